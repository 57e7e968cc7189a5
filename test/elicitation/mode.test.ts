import { describe, expect, test } from 'vitest';
import { JsonNumber } from '../../generated/json/index.js';
import { validateElicitationMode } from '../../runtime/elicitation/index.js';
import { codeOf } from './support.js';

const check = validateElicitationMode as (mode: unknown, capabilities?: unknown, origin?: unknown) => unknown;

describe('§2 modes', () => {
  test('form and url are opt-ins of their own', () => {
    expect(check('form', { form: {} })).toEqual({ form: {} });
    expect(check('url', { url: {} })).toEqual({ url: {} });
    expect(check('url', { form: {}, url: {} })).toEqual({ form: {}, url: {} });
  });

  test('absent capabilities support neither, of either origin', async () => {
    for (const mode of ['form', 'url']) {
      for (const origin of ['ahp', 'mcp', undefined]) {
        expect(await codeOf(() => check(mode, undefined, origin))).toBe('mode-unsupported');
      }
      expect(await codeOf(() => check(mode, {}))).toBe('mode-unsupported');
      expect(await codeOf(() => check(mode, {}, 'ahp'))).toBe('mode-unsupported');
    }
    expect(await codeOf(() => check('url', { form: {} }))).toBe('mode-unsupported');
    expect(await codeOf(() => check('form', { url: {} }))).toBe('mode-unsupported');
  });

  test('only an empty object of MCP means form, and never url', async () => {
    expect(check('form', {}, 'mcp')).toEqual({ form: {} });
    expect(check('form', { form: undefined }, 'mcp')).toEqual({ form: {} });
    expect(await codeOf(() => check('url', {}, 'mcp'))).toBe('mode-unsupported');
    expect(await codeOf(() => check('form', { url: {} }, 'mcp'))).toBe('mode-unsupported');
    expect(await codeOf(() => check('form', { later: {} }, 'mcp'))).toBe('mode-unsupported');
  });

  test('other members are dropped, at both levels, and the result is frozen', () => {
    const given = { form: { later: 1 }, other: {} };
    const supported = check('form', given);
    expect(supported).toEqual({ form: {} });
    expect(Object.isFrozen(supported)).toBe(true);
    expect(given).toEqual({ form: { later: 1 }, other: {} });
  });

  test('an unknown mode or origin is not supported', async () => {
    for (const mode of ['voice', 'toString', '', undefined, null])
      expect(await codeOf(() => check(mode, { form: {} }))).toBe('mode-unsupported');
    for (const origin of ['MCP', 'toString', null, 1])
      expect(await codeOf(() => check('form', { form: {} }, origin))).toBe('mode-unsupported');
  });

  test.each([[null], [[]], ['form'], [true], [new JsonNumber('1')]])(
    'capabilities %j are malformed',
    async (capabilities) => {
      expect(await codeOf(() => check('form', capabilities))).toBe('capabilities-malformed');
    },
  );

  test.each([[null], [[]], ['yes'], [true], [1], [new JsonNumber('1')]])(
    'a mode of %j is malformed, also when the other was asked for',
    async (value) => {
      expect(await codeOf(() => check('form', { form: value }))).toBe('capabilities-malformed');
      expect(await codeOf(() => check('form', { form: {}, url: value }))).toBe('capabilities-malformed');
      expect(await codeOf(() => check('url', { form: value, url: {} }, 'mcp'))).toBe('capabilities-malformed');
    },
  );

  test('inherited members declare nothing', async () => {
    expect(await codeOf(() => check('form', Object.create({ form: {} })))).toBe('mode-unsupported');
  });
});
