/**
 * String formats that canonical validation and form answers assert. Every check takes any string without throwing and
 * is linear in its length: expressions that repeat search for a character that must not be there, since a repetition
 * that has to match runs out of backtracking room on megabytes.
 */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})$/;
const OFFSET = /^(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DATE_LENGTH = 10;
const TIME_END = 19;
const MINUTES_OF_DAY = 1440;

/** `full-date` of RFC 3339: a day that the calendar has, year 0000 to 9999. */
export function isDate(text: string): boolean {
  const found = DATE.exec(text);
  return found !== null && isCalendarDay(Number(found[1]), Number(found[2]), Number(found[3]));
}

/**
 * `date-time` of RFC 3339: `T` and `Z` in either case and no space, a real day, an offset up to 23:59, a leap second
 * only as the last second of a UTC day, fractions of any length.
 */
export function isDateTime(text: string): boolean {
  const separator = text.charCodeAt(DATE_LENGTH) | 0x20;
  if (separator !== 0x74 || !isDate(text.slice(0, DATE_LENGTH))) return false;
  const time = TIME.exec(text.slice(DATE_LENGTH + 1, TIME_END));
  const offset = OFFSET.exec(text.slice(endOfFraction(text, TIME_END)));
  if (time === null || offset === null) return false;
  const hour = Number(time[1]);
  const minute = Number(time[2]);
  const second = Number(time[3]);
  const offsetHour = Number(offset[2] ?? 0);
  const offsetMinute = Number(offset[3] ?? 0);
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const ahead = (offsetHour * 60 + offsetMinute) * (offset[1] === '-' ? -1 : 1);
  return (hour * 60 + minute - ahead + MINUTES_OF_DAY) % MINUTES_OF_DAY === MINUTES_OF_DAY - 1;
}

/** Offset behind a dot and at least one digit; `at` when there is no such fraction. */
function endOfFraction(text: string, at: number): number {
  if (text[at] !== '.') return at;
  let end = at + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end === at + 1 ? at : end;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month);
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const NO_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const NOT_IN_SCHEME = /[^A-Za-z0-9+.-]/;
const NOT_IN_PATH = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/;
const NOT_IN_QUERY_OR_FRAGMENT = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/;
const NOT_IN_USERINFO = /[^A-Za-z0-9\-._~!$&'()*+,;=:%]/;
const NOT_IN_REG_NAME = /[^A-Za-z0-9\-._~!$&'()*+,;=%]/;
const NOT_IN_PORT = /[^0-9]/;
const NOT_HEXADECIMAL = /[^0-9A-Fa-f]/;
const NOT_IN_IP_FUTURE = /[^A-Za-z0-9\-._~!$&'()*+,;=:]/;
const LETTER = /^[A-Za-z]/;
const H16 = /^[0-9A-Fa-f]{1,4}$/;
const DEC_OCTET = /^(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/;

/**
 * The `URI` production of RFC 3986: a scheme is required, a fragment allowed; escapes, IPv6 and IPvFuture literals are
 * checked; nothing outside ASCII and no white space. It does not tell whether the place is a safe one to dial.
 */
export function isUri(text: string): boolean {
  const colon = text.indexOf(':');
  if (colon < 1 || !LETTER.test(text) || NOT_IN_SCHEME.test(text.slice(0, colon)) || NO_ESCAPE.test(text)) return false;
  let rest = text.slice(colon + 1);
  const hash = rest.indexOf('#');
  if (hash >= 0) {
    if (NOT_IN_QUERY_OR_FRAGMENT.test(rest.slice(hash + 1))) return false;
    rest = rest.slice(0, hash);
  }
  const mark = rest.indexOf('?');
  if (mark >= 0) {
    if (NOT_IN_QUERY_OR_FRAGMENT.test(rest.slice(mark + 1))) return false;
    rest = rest.slice(0, mark);
  }
  if (!rest.startsWith('//')) return !NOT_IN_PATH.test(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority) && (slash < 0 || !NOT_IN_PATH.test(rest.slice(slash)));
}

function isAuthority(text: string): boolean {
  const at = text.indexOf('@');
  if (at >= 0 && NOT_IN_USERINFO.test(text.slice(0, at))) return false;
  const place = text.slice(at + 1);
  if (place.startsWith('[')) {
    const end = place.indexOf(']');
    if (end < 0 || !isPort(place.slice(end + 1))) return false;
    const literal = place.slice(1, end);
    return isIpv6(literal) || isIpFuture(literal);
  }
  // An IPv4 address is a registered name too, as far as the grammar goes.
  const colon = place.indexOf(':');
  const host = colon < 0 ? place : place.slice(0, colon);
  return !NOT_IN_REG_NAME.test(host) && (colon < 0 || isPort(place.slice(colon)));
}

/** Nothing, or a colon with any number of digits. */
function isPort(text: string): boolean {
  return text === '' || (text.startsWith(':') && !NOT_IN_PORT.test(text.slice(1)));
}

function isIpFuture(text: string): boolean {
  const dot = text.indexOf('.');
  return (
    (text.startsWith('v') || text.startsWith('V')) &&
    dot > 1 &&
    dot + 1 < text.length &&
    !NOT_HEXADECIMAL.test(text.slice(1, dot)) &&
    !NOT_IN_IP_FUTURE.test(text.slice(dot + 1))
  );
}

/** `IPv6address`: eight groups, or at most seven around one `::`; the last two may be an IPv4 address. */
function isIpv6(text: string): boolean {
  const gap = text.indexOf('::');
  if (gap < 0) return countGroups(text, true) === 8;
  const left = gap === 0 ? 0 : countGroups(text.slice(0, gap), false);
  const tail = text.slice(gap + 2);
  const right = tail === '' ? 0 : countGroups(tail, true);
  return left >= 0 && right >= 0 && left + right <= 7;
}

/** How many 16-bit groups the text has; -1 when it is no list of groups. */
function countGroups(text: string, mayEndInIpv4: boolean): number {
  const groups = text.split(':', 9);
  const last = groups[groups.length - 1] ?? '';
  const endsInIpv4 = mayEndInIpv4 && last.includes('.');
  if (endsInIpv4 && !isIpv4(last)) return -1;
  const plain = endsInIpv4 ? groups.slice(0, -1) : groups;
  return plain.every((group) => H16.test(group)) ? plain.length + (endsInIpv4 ? 2 : 0) : -1;
}

function isIpv4(text: string): boolean {
  const octets = text.split('.', 5);
  return octets.length === 4 && octets.every((octet) => DEC_OCTET.test(octet));
}

const NOT_IN_ATOM = /[^A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const MAX_LABEL_LENGTH = 63;

/**
 * `local@domain` in ASCII: atoms joined by single dots, one `@`, host labels joined by single dots; one label is
 * enough, so that `a@b` passes. Quoted local parts and address literals do not (Semantics §2).
 */
export function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  if (at < 1) return false;
  return (
    text
      .slice(0, at)
      .split('.')
      .every((atom) => atom !== '' && !NOT_IN_ATOM.test(atom)) &&
    text
      .slice(at + 1)
      .split('.')
      .every((label) => label.length <= MAX_LABEL_LENGTH && LABEL.test(label))
  );
}
