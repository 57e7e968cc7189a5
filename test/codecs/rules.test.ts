import { describe, expect, it } from 'vitest';
import {
  encodeCapabilities,
  encodeContentUploadReceipt,
  encodeEffect,
  encodeElicitRequestParams,
  encodeModelResponseAfterEvent,
  fromJsonContentItem,
  fromJsonContentUploadReceipt,
  fromJsonEffect,
  isKnownContentItem,
  isKnownEffect,
  isKnownExecution,
  isKnownMcpConnection,
  isKnownModelVisibleItem,
  isKnownWireMessage,
  JsonNumber,
  type ParseResult,
  parseAuthentication,
  parseBackend,
  parseCapabilities,
  parseContentItem,
  parseContentUploadReceipt,
  parseEffect,
  parseElicitRequestParams,
  parseElicitResult,
  parseEvent,
  parseInterceptRequest,
  parseModelResponseAfterEvent,
  parseModelVisibleItem,
  parseToolBeforeEvent,
  parseWireMessage,
} from '../../generated/index.js';

/** Codes with their places: of issues, or of warnings when there are none. */
function told(result: ParseResult<unknown>): string[] {
  return (result.ok ? result.warnings : result.issues).map(({ code, pointer }) => `${code} ${pointer}`);
}

function decoded<T>(result: ParseResult<T>): T {
  if (!result.ok) throw new Error(`expected a value, got ${JSON.stringify(result.issues)}`);
  return result.value;
}

const item = (more: string): string => `{"id":"i","kind":"k","mediaType":"a/b",${more}}`;
const event = (type: string, more: string): string =>
  `{"id":"e","source":"urn:a:b","type":"${type}","time":"2026-01-01T00:00:00Z"${more}}`;
const tool = (connection: string): string =>
  event(
    'tool.before',
    `,"call":{"id":"c"},"path":"p","tool":{"name":"t","input":{},"origin":"mcp","mcp":{"server":{"id":"s"},"toolName":"n","provenance":"runtime","connection":${connection}}}`,
  );

describe('§1 union selection', () => {
  it.each([
    ['{"type":"deny"}', false, ['missing-member /reason']],
    ['{"type":"summon","who":{"x":1.0}}', true, ['unknown-variant ']],
    ['{"type":7}', false, ['wrong-type /type']],
    ['{"type":null}', false, ['wrong-type /type']],
    ['{}', false, ['missing-member /type']],
    ['[]', false, ['wrong-type ']],
    ['{"type":"flow","operation":"stop","reason":"r"}', true, []],
    ['{"type":"flow","operation":"stop"}', false, ['missing-member /reason']],
    ['{"type":"flow","operation":"retry"}', true, ['unknown-variant ']],
    ['{"type":"flow"}', false, ['missing-member /operation']],
    ['{"type":"modify","target":"moon","operation":"replace","value":null}', true, ['unknown-enum-value /target']],
    [
      '{"type":"inject","target":"moon","operation":"append","deliverAt":"now","value":1}',
      false,
      ['wrong-constant /target'],
    ],
    [
      '{"type":"inject","target":"context","operation":"append","deliverAt":"later","value":1}',
      true,
      ['unknown-enum-value /deliverAt'],
    ],
  ])('effects by type and operation: %s', (text, ok, codes) => {
    const result = parseEffect(text);
    expect({ ok: result.ok, codes: told(result) }).toEqual({ ok, codes });
  });

  it.each([
    [item('"selection":"body","body":{"ref":"r"}'), true, []],
    [item('"selection":"body","gap":{"reason":"r"}'), true, []],
    [item('"selection":"body","body":{"ref":"r"},"gap":{"reason":"r"}'), false, ['no-branch ']],
    [item('"selection":"body"'), false, ['no-branch ']],
    [item('"selection":"body","body":{"ref":1}'), false, ['wrong-type /body/ref']],
    [item('"selection":"body","body":{"ref":"r"},"size":-1'), true, []],
    [item('"selection":"preview","body":5'), true, ['unknown-variant ']],
    ['{"selection":"preview"}', true, ['unknown-variant ']],
    [item('"selection":"omit","size":"1"'), false, ['wrong-type /size']],
    [item('"a":1'), false, ['missing-member /selection']],
  ])('content items by selection, then by body or gap: %s', (text, ok, codes) => {
    const result = parseContentItem(text);
    expect({ ok: result.ok, codes: told(result) }).toEqual({ ok, codes });
  });

  it('an item that the model sees has a role, also when its selection is unknown', () => {
    expect(told(parseModelVisibleItem('{"selection":"preview"}'))).toEqual(['missing-member /role']);
    const unknown = decoded(parseModelVisibleItem('{"selection":"preview","role":"user"}'));
    expect(isKnownModelVisibleItem(unknown)).toBe(false);
  });

  it.each([
    ['{"transport":"http","url":"x"}', true, []],
    ['{"transport":"http"}', true, []],
    ['{"transport":"http","url":1}', false, ['wrong-type /tool/mcp/connection/url']],
    ['{"transport":"_pipe","address":1,"more":[1.0]}', true, ['unknown-variant /tool/mcp/connection']],
    ['{"transport":"carrier-pigeon"}', true, ['unknown-variant /tool/mcp/connection']],
    ['{"transport":1}', false, ['wrong-type /tool/mcp/connection/transport']],
    ['{}', false, ['missing-member /tool/mcp/connection/transport']],
  ])('connections by the declared discriminator, the open branch unchecked inside: %s', (connection, ok, codes) => {
    const result = parseToolBeforeEvent(tool(connection));
    expect({ ok: result.ok, codes: told(result) }).toEqual({ ok, codes });
  });

  it.each([
    ['{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"m"}}', true, []],
    ['{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"m"},"result":{"effects":[]}}', true, []],
    ['{"jsonrpc":"2.0","id":null,"result":{"protocolVersion":"draft","effects":[]}}', true, []],
    ['{"jsonrpc":"2.0","id":"1","result":{"protocolVersion":"draft"}}', false, ['no-branch ']],
    ['{"jsonrpc":"2.0","id":"1","result":7}', false, ['no-branch ']],
    ['{"jsonrpc":"2.0","id":"1"}', false, ['no-branch ']],
    ['{"jsonrpc":"2.0","method":"hooks/capabilities","id":1,"params":{"protocolVersion":"draft"}}', true, []],
    [
      '{"jsonrpc":"2.0","method":"hooks/capabilities","id":1,"params":{},"result":{"effects":[]}}',
      false,
      ['missing-member /params/protocolVersion'],
    ],
    ['{"jsonrpc":"2.0","method":"hooks/later","params":1}', true, ['unknown-variant ']],
    ['{"jsonrpc":"2.0","method":1,"error":{}}', false, ['wrong-type /method']],
    ['{"jsonrpc":"1.0","id":"1","error":{"code":1,"message":"m"}}', false, ['wrong-constant /jsonrpc']],
    ['{"jsonrpc":"2.0","id":true,"error":{"code":1,"message":"m"}}', false, ['wrong-type /id']],
    ['{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":"m"}}', false, ['wrong-type /id']],
  ])('messages by method, else by error, else by what the result holds: %s', (text, ok, codes) => {
    const result = parseWireMessage(text);
    expect({ ok: result.ok, codes: told(result) }).toEqual({ ok, codes });
  });

  it('an absent mode selects the form, and stays absent', () => {
    const text = '{"message":"m","requestedSchema":{"type":"object","properties":{}}}';
    expect(encodeElicitRequestParams(decoded(parseElicitRequestParams(text)))).toBe(text);
    expect(told(parseElicitRequestParams('{"message":"m"}'))).toEqual(['missing-member /requestedSchema']);
    expect(told(parseElicitRequestParams('{"mode":"url","message":"m","url":"u"}'))).toEqual([
      'missing-member /elicitationId',
    ]);
    expect(told(parseElicitRequestParams('{"mode":"video","message":1}'))).toEqual(['unknown-variant ']);
    expect(told(parseElicitRequestParams('{"mode":null,"message":"m"}'))).toEqual(['wrong-type /mode']);
  });

  it.each([
    ['{"type":"string","title":"t"}', true],
    ['{"type":"string","oneOf":[{"const":"r","title":"Red"}]}', true],
    ['{"type":"string","oneOf":7}', true], // as a plain string field, with a member that this one does not know
    ['{"type":"array","items":{"type":"string","enum":["a"]}}', true],
    ['{"type":"number","minimum":1.50}', true],
    ['{"title":"t"}', false],
    ['{"type":7}', false],
    ['[]', false],
  ])('a field of a requested form passes when a branch takes it, whole: %s', (field, ok) => {
    const text = `{"message":"m","requestedSchema":{"type":"object","properties":{"f":${field}}}}`;
    const result = parseElicitRequestParams(text);
    expect(result.ok).toBe(ok);
    if (result.ok) expect(encodeElicitRequestParams(result.value)).toBe(text);
    else
      expect(told(result)).toEqual([
        expect.stringMatching(/^(?:no-branch|wrong-type) \/requestedSchema\/properties\/f$/),
      ]);
  });

  it('only the JSON type tells the answers of a form apart', () => {
    expect(told(parseElicitResult('{"action":"accept","content":{"a":["x"],"b":1.0,"c":true,"d":"s"}}'))).toEqual([]);
    expect(told(parseElicitResult('{"action":"accept","content":{"a":null}}'))).toEqual(['wrong-type /content/a']);
    expect(told(parseElicitResult('{"action":"accept","content":{"a":[1]}}'))).toEqual(['wrong-type /content/a/0']);
  });

  it('an event that cannot be intercepted is an unknown variant of what can', () => {
    const request = `{"jsonrpc":"2.0","id":"e","method":"hooks/intercept","params":{"protocolVersion":"draft","event":${event('session.end', '')},"capabilities":{"effects":[]}}}`;
    expect(told(parseInterceptRequest(request))).toEqual(['unknown-variant /params/event']);
    expect(told(parseEvent(event('session.end', ',"session":{"id":"s"},"outcome":"completed"')))).toEqual([
      'missing-member /reason',
    ]);
  });
});

describe('§1 what is left to validation', () => {
  it.each([
    ['exactly one of', parseAuthentication('{"type":"bearer","tokenEnv":"A","tokenRef":"b"}')],
    ['at least one of', parseAuthentication('{"type":"bearer"}')],
    [
      'none of',
      parseBackend(
        '{"id":"a","transport":{"type":"stdio","command":"c","lifecycle":"persistent"},"authentication":{"type":"bearer"},"subscriptions":[]}',
      ),
    ],
    ['conditions', parseCapabilities('{"effects":["flow"]}')],
    [
      'flags of which one must be set',
      parseCapabilities('{"effects":["modify"],"modify":{"input":{"replace":false,"merge":false}}}'),
    ],
    ['patterns and bounds', parseContentUploadReceipt('{"ref":"","size":-5,"sha256":"no"}')],
  ])('%s', (_rule, result) => expect(told(result)).toEqual([]));
});

describe('§1 numbers', () => {
  it('a typed integer keeps spelling and digits, and reads as a number', () => {
    const text = '{"ref":"r","size":9007199254740993,"sha256":"s"}';
    const receipt = decoded(parseContentUploadReceipt(text));
    expect(receipt.size).toBe(9007199254740992);
    expect(encodeContentUploadReceipt(receipt)).toBe(text);
    expect(encodeContentUploadReceipt({ ...receipt, ref: 'x' })).toBe(text.replace('"r"', '"x"'));
    expect(encodeContentUploadReceipt({ ...receipt, size: 7 })).toBe('{"ref":"r","size":7,"sha256":"s"}');
  });

  it.each([
    ['1e400', ['wrong-type /size']],
    ['1.5', ['wrong-type /size']],
    ['1.00000000000000000001', ['wrong-type /size']],
    ['1.0', []],
    ['1E2', []],
    ['10000000000000000000000000000000000001', []],
    ['-0', []],
  ])('a typed integer written %s', (spelling, codes) => {
    expect(told(parseContentUploadReceipt(`{"ref":"r","size":${spelling},"sha256":"s"}`))).toEqual(codes);
  });

  it('a number in a place of any JSON is a frozen JsonNumber when a double cannot hold it', () => {
    const text = '{"type":"return","value":{"n":12345678901234567890,"m":[1e400,1.0]}}';
    const effect = decoded(parseEffect(text));
    const value = effect.type === 'return' ? (effect as unknown as { value: { n: unknown } }).value : { n: null };
    expect(value.n).toBeInstanceOf(JsonNumber);
    expect(Object.isFrozen(value.n)).toBe(true);
    expect(encodeEffect({ ...effect })).toBe(text);
  });

  it('typed numbers inside lists of the answer are lowered, and come back as they were', () => {
    const text = event(
      'model.response.after',
      ',"model":{"id":"m","provider":"p"},"attempt":{"id":"a","number":12345678901234567890},"execution":{"status":"executed"},"items":[],"finishReason":"f","latencyMs":0.12345678901234567890',
    );
    const parsed = decoded(parseModelResponseAfterEvent(text));
    expect(typeof parsed.attempt.number).toBe('number');
    expect(typeof parsed.latencyMs).toBe('number');
    expect(encodeModelResponseAfterEvent(parsed)).toBe(text);
  });
});

describe('§1 fromJson', () => {
  it('gives the very value when nothing has to be lowered', () => {
    const value = Object.freeze({ type: 'deny', reason: 'r', later: Object.freeze([1]) });
    expect(decoded(fromJsonEffect(value))).toBe(value);
  });

  it('copies only the containers on the way to a number that it lowers, and never changes the input', () => {
    const size = new JsonNumber('9007199254740993');
    const input = Object.freeze({
      id: 'i',
      kind: 'k',
      mediaType: 'm',
      selection: 'omit',
      size,
      later: Object.freeze({ a: 1 }),
    });
    const result = fromJsonContentItem(input);
    const value = decoded(result) as unknown as { size: unknown; later: unknown };
    expect(value.size).toBe(9007199254740992);
    expect(value.later).toBe(input.later);
    expect(input.size).toBe(size);
    const receipt = decoded(fromJsonContentUploadReceipt({ ref: 'r', size, sha256: 's' }));
    expect(encodeContentUploadReceipt(receipt)).toBe('{"ref":"r","size":9007199254740993,"sha256":"s"}');
  });

  it('takes a member that is undefined as absent', () => {
    expect(told(fromJsonEffect({ type: 'deny', reason: undefined }))).toEqual(['missing-member /reason']);
    expect(told(fromJsonEffect({ type: 'deny', reason: 'r', code: undefined, other: undefined }))).toEqual([]);
  });

  const cycle: Record<string, unknown> = { type: 'return' };
  cycle.value = [cycle];
  const throwing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no');
      },
      getPrototypeOf: () => Object.prototype,
    },
  );
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  it.each([
    ['undefined', undefined, ['invalid-json ']],
    ['a function', () => 1, ['invalid-json ']],
    ['a symbol inside', { type: 'return', value: [Symbol('s')] }, ['invalid-json /value/0']],
    ['a bigint', { type: 'return', value: 1n }, ['invalid-json /value']],
    ['NaN', { type: 'return', value: Number.NaN }, ['invalid-json /value']],
    ['an infinity', { type: 'return', value: [[Number.POSITIVE_INFINITY]] }, ['invalid-json /value/0/0']],
    ['undefined in a list', { type: 'return', value: [undefined] }, ['invalid-json /value/0']],
    [
      'a hole',
      { type: 'return', value: Array.from({ length: 1 }, () => 1).concat(new Array(1)) },
      ['invalid-json /value/1'],
    ],
    ['a date', { type: 'return', value: new Date(0) }, ['invalid-json /value']],
    ['a map', new Map(), ['invalid-json ']],
    ['a number object', { type: 'return', value: Object(1) }, ['invalid-json /value']],
    [
      'a list with another prototype',
      { type: 'return', value: Object.setPrototypeOf([], null) },
      ['invalid-json /value'],
    ],
    ['an object with another prototype', { type: 'return', value: Object.create({ a: 1 }) }, ['invalid-json /value']],
    ['a cycle', cycle, ['invalid-json /value/0']],
    [
      'a getter',
      {
        type: 'return',
        get value() {
          throw new Error('called');
        },
      },
      ['invalid-json /value'],
    ],
    ['a proxy that throws', throwing, ['invalid-json ']],
    ['a revoked proxy', revoked.proxy, ['invalid-json ']],
  ])('answers %s with an issue', (_name, value, codes) => expect(told(fromJsonEffect(value))).toEqual(codes));

  it('bounds the depth, by the limit and by the call stack', () => {
    const nest = (depth: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < depth; level++) value = [value];
      return { type: 'return', value };
    };
    expect(fromJsonEffect(nest(255)).ok).toBe(true);
    expect(told(fromJsonEffect(nest(256)))).toEqual([expect.stringMatching(/^too-deep \/value/)]);
    expect(told(fromJsonEffect(nest(3), { maxDepth: 3 }))).toEqual(['too-deep /value/0/0']);
    expect(fromJsonEffect(nest(100_000), { maxDepth: Number.POSITIVE_INFINITY }).ok).toBe(true);
  });
});

describe('§1 the rest', () => {
  it('explicit null passes only where every schema that applies allows it', () => {
    expect(told(parseEvent(event('session.end', ',"session":null,"outcome":"completed","reason":"r"')))).toEqual([
      'wrong-type /session',
    ]);
    expect(told(parseEffect('{"type":"return","value":null}'))).toEqual([]);
  });

  it('names that every object inherits are neither present nor lost', () => {
    expect(told(parseCapabilities('{"effects":[],"__proto__":{"flow":1},"constructor":7,"toString":null}'))).toEqual(
      [],
    );
    const text = '{"effects":[],"__proto__":{"flow":1},"constructor":7,"toString":null}';
    const value = decoded(parseCapabilities(text));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value.flow).toBeUndefined();
    expect(encodeCapabilities({ ...value })).toBe(text);
  });

  it('reports many issues with their places, a bounded number of them', () => {
    const effects = `[${'1,'.repeat(5_000)}1]`;
    const result = parseCapabilities(`{"effects":${effects}}`);
    expect(result).toMatchObject({ ok: false });
    expect(told(result)).toHaveLength(100);
    expect(told(result)[99]).toBe('wrong-type /effects/99');
  });

  it('messages tell subject, rule and what came, and quote nothing of the text', () => {
    const result = parseEffect('{"type":"deny","reason":{"secret":"hunter2"}}');
    expect(result).toEqual({
      ok: false,
      issues: [{ code: 'wrong-type', pointer: '/reason', message: 'expected a string, got an object' }],
    });
    expect(JSON.stringify(parseEffect('{"type":"hunter2"}'))).toBe(
      JSON.stringify({
        ok: true,
        value: { type: 'hunter2' },
        warnings: [
          {
            code: 'unknown-variant',
            pointer: '',
            message: 'expected a known `type`, got another one, which is kept whole',
          },
        ],
      }),
    );
  });

  it('isKnownX tells known variants from the unknown one', () => {
    expect(isKnownEffect(decoded(parseEffect('{"type":"allow"}')))).toBe(true);
    expect(isKnownEffect(decoded(parseEffect('{"type":"flow","operation":"retry"}')))).toBe(false);
    expect(isKnownContentItem(decoded(parseContentItem(item('"selection":"omit"'))))).toBe(true);
    expect(isKnownContentItem(decoded(parseContentItem(item('"selection":"peek"'))))).toBe(false);
    expect(isKnownWireMessage(decoded(parseWireMessage('{"method":"hooks/later"}')))).toBe(false);
    expect(
      isKnownWireMessage(decoded(parseWireMessage('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}'))),
    ).toBe(true);
    const request = decoded(parseToolBeforeEvent(tool('{"transport":"_pipe"}')));
    expect(request.tool.mcp && isKnownMcpConnection(request.tool.mcp.connection)).toBe(false);
    expect(isKnownExecution({ status: 'skipped', reason: 'policy' })).toBe(true);
  });
});
