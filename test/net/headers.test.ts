import { describe, expect, it } from 'vitest';
import {
  bearerAuthorization,
  checkHeader,
  headerValues,
  jsonMediaTypeProblem,
  NetError,
} from '../../runtime/net/index.js';

describe('checkHeader', () => {
  it.each(['a\r\nx: y', 'a\nb', 'a\rb', 'a\0b', 'a\x7fb', 'aĀb', 'a🜁'])('§6 refuses %j', (value) => {
    expect(() => checkHeader('x-test', value)).toThrow(
      new NetError('header', 'header x-test: expected Latin-1 text without line ends or control characters'),
    );
  });
  it('takes Latin-1 text', () => {
    expect(() => checkHeader('X-Test', 'caf\xe9 \t~')).not.toThrow();
  });
  it.each(['', 'a b', 'a:', 'é', 'a\r\nb'])('refuses the name %j', (name) => {
    expect(() => checkHeader(name, 'v')).toThrow(NetError);
  });
});

describe('bearerAuthorization', () => {
  it('drops one line end at the end, as files have one', () => {
    expect(bearerAuthorization('s3cr3t\n')).toBe('Bearer s3cr3t');
    expect(bearerAuthorization('s3cr3t\r\n')).toBe('Bearer s3cr3t');
  });
  it.each(['s3cr3t\r\nx: y', 's3cr3t\n\n', 's3cr3tĀ', '\r\ns3cr3t'])('§6 refuses %j and quotes it nowhere', (token) => {
    let caught: unknown;
    try {
      bearerAuthorization(token);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(NetError);
    const { message, stack } = caught as NetError;
    expect(`${message} ${stack}`).not.toContain('s3cr3t');
  });
  it.each(['', '\n', '  '])('refuses the empty token %j', (token) => {
    expect(() => bearerAuthorization(token)).toThrow('bearer token: expected text, got none');
  });
});

describe('jsonMediaTypeProblem', () => {
  const typed = (...values: string[]) => jsonMediaTypeProblem(values.map((value) => ['Content-Type', value] as const));
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json;',
  ])('takes %s', (value) => expect(typed(value)).toBeNull());
  it.each([
    'text/json',
    'application/json; charset=latin1',
    'application/json; profile="x;charset=utf-8"',
    'application/json; charset=utf-8; v=1',
    'application/jsonp',
    '',
  ])('§6 refuses %j', (value) => expect(typed(value)).not.toBeNull());
  it('refuses none and two', () => {
    expect(typed()).toBe('content-type: expected one application/json, got 0 headers');
    expect(typed('application/json', 'application/json')).toBe(
      'content-type: expected one application/json, got 2 headers',
    );
  });
  it('§6 refuses content codings', () => {
    const coded = (coding: string) =>
      jsonMediaTypeProblem([
        ['content-type', 'application/json'],
        ['Content-Encoding', coding],
      ]);
    expect(coded('gzip')).toBe('content-encoding: expected none, got one');
    expect(coded('identity')).toBeNull();
  });
});

it('headerValues gives every value, whatever the case of the name', () => {
  const headers = [
    ['A', '1'],
    ['b', '2'],
    ['a', '3'],
  ] as const;
  expect(headerValues(headers, 'a')).toEqual(['1', '3']);
});
