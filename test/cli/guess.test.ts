import { describe, expect, it } from 'vitest';
import { guessName, shapeOfMessage } from '../../cli/guess.js';

const eventTypeNames = new Map([['tool.before', 'ToolBeforeEvent']]);

describe('what a document is taken for', () => {
  it.each([
    [{ jsonrpc: '2.0' }, 'WireMessage'],
    [{ type: 'tool.before', source: 'x' }, 'ToolBeforeEvent'],
    [{ type: 'no.such', source: 'x' }, 'Event'],
    [{ hooks: [] }, 'Registration'],
    [{ events: [], transports: [] }, 'Manifest'],
    [{ transport: {}, subscriptions: [] }, 'Backend'],
    [{ ref: 'r', sha256: '' }, 'ContentUploadReceipt'],
    [{ selection: 'omit' }, 'ContentItem'],
    [{ requestedSchema: {} }, 'ElicitRequestParams'],
    [{ action: 'accept' }, 'ElicitResult'],
    [{ mode: 'observe', events: [] }, 'ObserveSubscription'],
    [{ mode: 'intercept', events: [] }, 'InterceptSubscription'],
    [{ type: 'deny' }, 'Effect'],
    [{ effects: [] }, 'Capabilities'],
    [{}, 'WireMessage'],
    [[], 'WireMessage'],
    ['text', 'WireMessage'],
  ])('%j is judged as %s', (value, name) => {
    expect(guessName(value, eventTypeNames)).toBe(name);
  });

  it.each([
    [{ method: 'hooks/intercept', error: {} }, 'InterceptRequest'],
    [{ method: 'hooks/observe' }, 'ObserveNotification'],
    [{ method: 'hooks/capabilities' }, 'CapabilitiesRequest'],
    [{ method: 'hooks/other' }, 'WireMessage'],
    [{ error: {}, result: { manifest: {} } }, 'JsonRpcErrorResponse'],
    [{ result: { manifest: {} } }, 'CapabilitiesResponse'],
    [{ result: { effects: [] } }, 'InterceptResponse'],
    [{ result: null }, 'InterceptResponse'],
    [{}, 'InterceptResponse'],
  ])('the wire message %j has the shape %s (§1)', (message, shape) => {
    expect(shapeOfMessage(message)).toBe(shape);
  });
});
