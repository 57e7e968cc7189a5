import { describe, expect, it } from 'vitest';
import { isDate, isDateTime, isEmail, isUri } from '../../templates/support/formats.js';

function table(check: (text: string) => boolean, valid: readonly string[], invalid: readonly string[]): void {
  it.each(valid)('takes %j', (text) => expect(check(text)).toBe(true));
  it.each(invalid)('refuses %j', (text) => expect(check(text)).toBe(false));
}

describe('date-time: RFC 3339', () => {
  table(
    isDateTime,
    [
      '2026-03-01T10:00:00Z',
      '2026-03-01t10:00:00z',
      '2026-03-01T10:00:00.1Z',
      '2026-03-01T10:00:00.123456789012345678901234567890Z',
      '2026-03-01T00:00:00+00:00',
      '2026-03-01T00:00:00-00:00',
      '2026-03-01T23:59:59+23:59',
      '2026-03-01T23:59:59-23:59',
      '2024-02-29T12:00:00Z',
      '2000-02-29T12:00:00Z',
      '0000-02-29T12:00:00Z',
      '9999-12-31T23:59:59Z',
      '1998-12-31T23:59:60Z',
      '1998-12-31T23:59:60.5Z',
      '1998-12-31T15:59:60-08:00',
      '1999-01-01T00:59:60+01:00',
      '1999-01-01T05:29:60+05:30',
      '1998-12-31T00:00:60-23:59',
    ],
    [
      '',
      '2026-03-01',
      '10:00:00Z',
      '2026-03-01 10:00:00Z',
      '2026-03-01_10:00:00Z',
      '2026-03-01T10:00:00',
      '2026-03-01T10:00Z',
      '2026-03-01T10:00:00+01',
      '2026-03-01T10:00:00+0100',
      '2026-03-01T10:00:00+1:00',
      '2026-03-01T10:00:00+01:00:00',
      '2026-03-01T10:00:00.Z',
      '2026-03-01T10:00:00,5Z',
      '2026-03-01T10:00:00.5',
      '2026-03-01T24:00:00Z',
      '2026-03-01T10:60:00Z',
      '2026-03-01T10:00:61Z',
      '2026-03-01T10:00:60Z',
      '2026-03-01T10:00:00+24:00',
      '2026-03-01T10:00:00+00:60',
      '2026-03-01T10:00:00 Z',
      '2026-03-01T10:00:00Z ',
      ' 2026-03-01T10:00:00Z',
      '2026-03-01T10:00:00Z\n',
      '2026-00-01T10:00:00Z',
      '2026-13-01T10:00:00Z',
      '2026-03-00T10:00:00Z',
      '2026-02-29T10:00:00Z',
      '2026-02-30T00:00:00Z',
      '1900-02-29T12:00:00Z',
      '2026-04-31T10:00:00Z',
      '26-03-01T10:00:00Z',
      '12026-03-01T10:00:00Z',
      '+2026-03-01T10:00:00Z',
      '-2026-03-01T10:00:00Z',
      '2026-3-01T10:00:00Z',
      '2026-03-01T1:00:00Z',
      '2026-03-01T10:00:00ZZ',
      '2016-12-31T24:59:60+01:00',
      '1998-12-31T23:59:60+01:00',
      '1998-12-31T22:59:60Z',
      '1998-12-31T15:59:60+08:00',
      '２026-03-01T10:00:00Z',
      '2026-03-01T10:00:00−01:00',
    ],
  );

  it('takes a fraction of a million digits', () =>
    expect(isDateTime(`2026-03-01T10:00:00.${'9'.repeat(1e6)}Z`)).toBe(true));
});

describe('date: RFC 3339 full-date', () => {
  table(
    isDate,
    ['2026-03-01', '2024-02-29', '0000-01-01', '9999-12-31'],
    [
      '',
      '2026-02-29',
      '2026-3-1',
      '2026/03/01',
      '2026-03-01Z',
      '2026-03-01T00:00:00Z',
      '20260301',
      '2100-02-29',
      '2026-06-31',
    ],
  );

  it('knows the length of every month', () => {
    const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (const [index, length] of lengths.entries()) {
      const month = String(index + 1).padStart(2, '0');
      expect(isDate(`2026-${month}-${length}`)).toBe(true);
      expect(isDate(`2026-${month}-${length + 1}`)).toBe(false);
    }
  });
});

describe('uri: the URI production of RFC 3986', () => {
  table(
    isUri,
    [
      'a:',
      'urn:example:source',
      'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      'mailto:a@b',
      'HTTP://EXAMPLE.test',
      'http://',
      'http:///path',
      'file:///etc/hosts',
      'http://example.test?',
      'http://example.test#',
      'http://example.test/a/b;c=1,d?e=f&g=/?#h/?',
      'http://example.test/%41%e9%00',
      'http://user:pass@example.test:8080/',
      'http://user:pa:ss@example.test/',
      'http://@example.test/',
      'http://example.test:/',
      'http://example.test:99999999/',
      'http://127.0.0.1/',
      'http://999.999.999.999/',
      'http://%41.test/',
      "http://a!$&'()*+,;=b/",
      'http://[::]/',
      'http://[::1]:80/',
      'http://[1:2:3:4:5:6:7:8]/',
      'http://[1:2:3:4:5:6:7::]/',
      'http://[::2:3:4:5:6:7:8]/',
      'http://[1::8]/',
      'http://[2001:db8::ff00:42:8329]/',
      'http://[::ffff:192.0.2.1]/',
      'http://[1:2:3:4:5:6:192.0.2.1]/',
      'http://[FEDC:BA98::]/',
      'http://[v1.a:b]/',
      'http://[Vf.~]/',
      'http://u@[::1]/',
      'a+b-c.1:x',
      'a:/b',
      'a:b//c',
      'a:////',
      'x:?q',
      'x:#f',
      'data:,A%20brief%20note',
    ],
    [
      '',
      ':',
      ':a',
      'a',
      '/a',
      '//example.test/',
      '?q',
      '#f',
      '1a:b',
      '+a:b',
      'a_b:c',
      'é:x',
      'a b:c',
      'http://exa mple.test/',
      'http://example.test/a b',
      'http://example.test/\t',
      'http://example.test/\n',
      ' http://example.test/',
      'http://example.test/ ',
      'http://exämple.test/',
      'http://example.test/é',
      'http://example.test/%',
      'http://example.test/%4',
      'http://example.test/%zz',
      'http://example.test/%4g',
      'http://example.test/?%',
      'http://example.test/#%',
      'http://%@example.test/',
      'http://example.test/<a>',
      'http://example.test/a|b',
      'http://example.test/"',
      'http://example.test/\\',
      'http://example.test/^',
      'http://example.test/`',
      'http://example.test/{a}',
      'http://example.test/[a]',
      'http://example.test/?[a]',
      'http://example.test/#a#b',
      'http://example.test/#[',
      'http://a@b@example.test/',
      'http://example.test:8a/',
      'http://example.test:80:80/',
      'http://[::1/',
      'http://::1/',
      'http://[::1]80/',
      'http://[::1]x/',
      'http://[]/',
      'http://[1:2:3:4:5:6:7]/',
      'http://[1:2:3:4:5:6:7:8:9]/',
      'http://[1:2:3:4:5:6:7::8]/',
      'http://[::1:2:3:4:5:6:7:8]/',
      'http://[1:2:3:4:5:6:7:8::]/',
      'http://[1::2::3]/',
      'http://[:::]/',
      'http://[:1]/',
      'http://[1:]/',
      'http://[12345::]/',
      'http://[g::]/',
      'http://[::1%25eth0]/',
      'http://[::192.0.2]/',
      'http://[::192.0.2.256]/',
      'http://[::192.0.2.01]/',
      'http://[::192.0.2.1.1]/',
      'http://[1:2:3:4:5:6:7:192.0.2.1]/',
      'http://[192.0.2.1::]/',
      'http://[192.0.2.1]/',
      'http://[v.a]/',
      'http://[vg.a]/',
      'http://[v1.]/',
      'http://[v1]/',
      'http://[v1.a/b]/',
      'http://a[::1]/',
      '\ud800:x',
      'http://example.test/\ud800',
      'http://example.test/\u007f',
      'http://example.test/\u0000',
    ],
  );

  it('takes each character exactly where the grammar has it', () => {
    const unreserved = 'ABCXYZabcxyz0189-._~';
    const subDelims = "!$&'()*+,;=";
    const allowed: [string, string, string][] = [
      ['path', 'a:/', `${unreserved}${subDelims}:@/`],
      ['query', 'a:?', `${unreserved}${subDelims}:@/?`],
      ['fragment', 'a:#', `${unreserved}${subDelims}:@/?`],
      ['userinfo', 'a://', `${unreserved}${subDelims}:`],
    ];
    for (const [place, before, characters] of allowed) {
      const after = place === 'userinfo' ? '@h' : '';
      for (let unit = 0; unit < 256; unit += 1) {
        const character = String.fromCharCode(unit);
        // In userinfo these end the authority, and what follows may be something else that is allowed.
        if (place === 'userinfo' && '/?#@['.includes(character)) continue;
        if ((place === 'path' && '?#'.includes(character)) || (place === 'query' && character === '#')) continue;
        const isAllowed = /[A-Za-z0-9]/.test(character) || characters.includes(character);
        expect(isUri(`${before}x${character}x${after}`), `${place} ${JSON.stringify(character)}`).toBe(isAllowed);
      }
    }
  });

  it('takes long texts', () => {
    expect(isUri(`https://example.test/${'a%20'.repeat(1e6)}`)).toBe(true);
    expect(isUri(`https://example.test/${'a'.repeat(4e6)} `)).toBe(false);
    expect(isUri(`http://[${'1:'.repeat(1e6)}]/`)).toBe(false);
  });
});

describe('email: local@domain', () => {
  table(
    isEmail,
    [
      'a@b',
      'a.b+c@mail.example.test',
      "o'brien@example.test",
      '1@1',
      'a@x-y.test',
      `a@${'l'.repeat(63)}.test`,
      'A_B~{|}@c',
    ],
    [
      ...['', '@', 'a', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b c', ' a@b', 'a@b ', 'a@b\n', '.a@b', 'a.@b', 'a..b@c'],
      ...['a@.b', 'a@b.', 'a@b..c', 'a@-b', 'a@b-', 'a@b_c', 'é@b', 'a@é', 'a,b@c', '<a@b>', '"a"@b', 'a@[127.0.0.1]'],
      `a@${'l'.repeat(64)}`,
    ],
  );
});
