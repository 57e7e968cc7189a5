import { describe, expect, it } from 'vitest';
import { type ToolBeforeEvent, validateInterceptRequest, validateObserveNotification } from '../../generated/index.js';
import {
  freezeDeep,
  idMatches,
  interceptRequest,
  isCanonicalEvent,
  observeNotification,
  PROTOCOL_ERRORS,
} from '../../runtime/wire/index.js';

function toolBefore(id: string): ToolBeforeEvent {
  return {
    id,
    source: 'urn:example:host',
    type: 'tool.before',
    time: '2026-10-05T12:00:00Z',
    call: { id: 'c1' },
    tool: { name: 'Bash', input: {}, origin: 'native' },
    path: 'native',
  };
}

describe('envelopes', () => {
  it('§4 a notification holds protocol version and event alone, shared and frozen', () => {
    const event = toolBefore('e1');
    const message = observeNotification(event);
    expect(message).toEqual({ jsonrpc: '2.0', method: 'hooks/observe', params: { protocolVersion: 'draft', event } });
    expect(validateObserveNotification(message).ok).toBe(true);
    expect(message.params.event).toBe(event);
    expect(Object.isFrozen(message) && Object.isFrozen(message.params)).toBe(true);
    expect(Object.isFrozen(event)).toBe(false);
  });

  it('§5 a request has the event id as its JSON-RPC id; state is there only when it was given', () => {
    const event = toolBefore('e1');
    const capabilities = { effects: ['deny'] };
    const bare = interceptRequest({ event, capabilities });
    expect(bare).toEqual({
      jsonrpc: '2.0',
      id: 'e1',
      method: 'hooks/intercept',
      params: { protocolVersion: 'draft', event, capabilities },
    });
    expect(Object.hasOwn(bare.params, 'state')).toBe(false);
    expect(validateInterceptRequest(bare).ok).toBe(true);
    const state = { candidate: null, permission: 'none', flow: 'none', injections: [], instructions: [] } as const;
    const full = interceptRequest({ event, capabilities, state });
    expect(full.params.state).toBe(state);
    expect(validateInterceptRequest(full).ok).toBe(true);
    expect(Object.isFrozen(full) && Object.isFrozen(full.params)).toBe(true);
  });
});

describe('correlation', () => {
  it('§2, §5 ids match text to text', () => {
    expect(idMatches('7', '7')).toBe(true);
    for (const id of [7, null, undefined, '', '07', new String('7'), ['7']]) expect(idMatches(id, '7')).toBe(false);
    expect(idMatches(undefined, undefined as never)).toBe(false);
  });
});

describe('canonical validity', () => {
  it('is asked once of a frozen event and each time of one that can change', () => {
    const event = toolBefore('e1') as { path: string } & ToolBeforeEvent;
    expect(isCanonicalEvent(event)).toBe(true);
    Object.assign(event, { path: '' });
    expect(isCanonicalEvent(event)).toBe(false);
    let reads = 0;
    const counted = freezeDeep(
      Object.defineProperty({ ...toolBefore('e2') }, 'id', {
        enumerable: true,
        get() {
          reads += 1;
          return 'e2';
        },
      }),
    );
    expect(isCanonicalEvent(counted)).toBe(true);
    const afterFirst = reads;
    expect(isCanonicalEvent(counted)).toBe(true);
    expect(reads).toBe(afterFirst);
    const invalid = freezeDeep({ ...toolBefore('e3'), path: '' });
    expect(isCanonicalEvent(invalid)).toBe(false);
    expect(isCanonicalEvent(invalid)).toBe(false);
  });
});

describe('error codes', () => {
  it('are those of JSON-RPC and the reserved four', () => {
    expect(PROTOCOL_ERRORS).toEqual({
      parseError: -32700,
      invalidRequest: -32600,
      methodNotFound: -32601,
      invalidParams: -32602,
      internalError: -32603,
      unsupportedVersion: -32001,
      unsupportedEvent: -32002,
      backendUnavailable: -32003,
      backendError: -32004,
    });
    expect(Object.isFrozen(PROTOCOL_ERRORS)).toBe(true);
  });
});
