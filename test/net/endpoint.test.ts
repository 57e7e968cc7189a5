import { describe, expect, it } from 'vitest';
import { isLoopbackHost, NetError, parseEndpoint } from '../../runtime/net/index.js';

describe('parseEndpoint', () => {
  it.each([
    ['http://127.0.0.1:8080/hooks', '127.0.0.1', 8080, '/hooks', false],
    ['https://h.example', 'h.example', 443, '/', true],
    ['https://h.example?x=1', 'h.example', 443, '/?x=1', true],
    ['https://h.example:/a', 'h.example', 443, '/a', true],
    ['HTTPS://H.Example:8443/A/../b/%2E%2e//c?q=%zz&&=', 'H.Example', 8443, '/A/../b/%2E%2e//c?q=%zz&&=', true],
    ['http://[::1]:9/x', '::1', 9, '/x', false],
  ])('§7 keeps the target of %s text for text', (url, host, port, target, secure) => {
    expect(parseEndpoint(url)).toMatchObject({ url, host, port, target, secure });
  });

  it('gives the Host header as written and an origin to compare by', () => {
    expect(parseEndpoint('https://H.example/a').authority).toBe('H.example');
    expect(parseEndpoint('https://H.example:443/a').authority).toBe('H.example:443');
    expect(parseEndpoint('https://H.example/a').origin).toBe('https://h.example:443');
    expect(parseEndpoint('http://[::1]:80/').authority).toBe('[::1]:80');
  });

  it.each([
    ['another scheme', 'ftp://h.example/'],
    ['no scheme', '//h.example/'],
    ['no host', 'https:///a'],
    ['userinfo', 'https://user:s3cr3t@h.example/'],
    ['empty userinfo', 'https://@h.example/'],
    ['a fragment', 'https://h.example/a#b'],
    ['an empty fragment', 'https://h.example/a#'],
    ['a blank', 'https://h.example/a b'],
    ['a line end', 'https://h.example/a\r\nx: y'],
    ['a letter beyond ASCII', 'https://h.example/é'],
    ['port 0', 'https://h.example:0/'],
    ['port 65536', 'https://h.example:65536/'],
    ['a port of letters', 'https://h.example:8a/'],
    ['a host in escapes', 'https://h%2eexample/'],
    ['a broken IPv6 literal', 'https://[::1::2]/'],
    ['a backslash for a host end', 'https://h.example\\@evil.example/'],
  ])('§6 refuses %s and does not quote the URL', (_, url) => {
    let caught: unknown;
    try {
      parseEndpoint(url);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(NetError);
    expect(caught).toMatchObject({ code: 'endpoint' });
    expect(String(caught)).not.toMatch(/s3cr3t|h\.example/);
  });
});

describe('isLoopbackHost', () => {
  it.each(['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
    'takes %s for loopback',
    (host) => expect(isLoopbackHost(host)).toBe(true),
  );
  it.each(['localhost.example', '128.0.0.1', '::2', '0.0.0.0', '127.0.0.1.example', '2130706433'])(
    'does not take %s for loopback',
    (host) => expect(isLoopbackHost(host)).toBe(false),
  );
});
