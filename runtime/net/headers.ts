import { NetError } from './errors.js';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Visible Latin-1, blank and tab: what an HTTP/1.1 field value may hold.
const FIELD_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

/**
 * Checks one header before it is handed to the HTTP layer, whose own error would quote the value.
 * Throws `NetError` `header`; the message names the header and never its value.
 */
export function checkHeader(name: string, value: string): void {
  if (!TOKEN.test(name)) throw new NetError('header', 'header name: expected an HTTP token');
  if (!FIELD_VALUE.test(value)) {
    throw new NetError('header', `header ${name}: expected Latin-1 text without line ends or control characters`);
  }
}

/**
 * The `Authorization` value for a bearer token. One line end at the end of the token is dropped, as files have one.
 * Throws `NetError` `header` for an empty token or one that no header can carry, without quoting it.
 */
export function bearerAuthorization(token: string): string {
  const trimmed = token.replace(/\r?\n$/, '');
  if (trimmed.trim() === '') throw new NetError('header', 'bearer token: expected text, got none');
  const value = `Bearer ${trimmed}`;
  checkHeader('authorization', value);
  return value;
}

/** All values of a response header, one for each time it was sent. */
export function headerValues(headers: readonly (readonly [string, string])[], name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/**
 * Tells whether a response says that it is unencoded UTF-8 JSON: exactly one `Content-Type` of `application/json` with
 * no parameter but `charset=utf-8`, and no content coding (Semantics §6). Gives the complaint, or null when all is well.
 */
export function jsonMediaTypeProblem(headers: readonly (readonly [string, string])[]): string | null {
  const types = headerValues(headers, 'content-type');
  if (types.length !== 1) return `content-type: expected one application/json, got ${types.length} headers`;
  const [essence = '', ...parameters] = (types[0] ?? '').split(';').map((part) => part.trim());
  if (essence.toLowerCase() !== 'application/json') return 'content-type: expected application/json, got another type';
  for (const parameter of parameters) {
    // An empty parameter (a closing semicolon) says nothing and is allowed by RFC 9110.
    if (parameter !== '' && !/^charset=(?:utf-8|"utf-8")$/i.test(parameter)) {
      return 'content-type: expected no parameter but charset=utf-8, got another';
    }
  }
  const codings = headerValues(headers, 'content-encoding').filter(
    (coding) => coding.trim().toLowerCase() !== 'identity',
  );
  if (codings.length > 0) return 'content-encoding: expected none, got one';
  return null;
}
