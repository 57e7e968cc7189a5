import { catalogue } from '../../../generated/index.js';
import { fullCapabilities } from './manifest.js';

const ENVELOPE = { source: 'urn:example:harness', time: '2026-03-01T09:00:00Z' };

export type Json = Record<string, unknown>;

export function toolBefore(id: string, more: Json = {}): Json {
  return {
    ...ENVELOPE,
    id,
    type: 'tool.before',
    call: { id: `call-${id}` },
    tool: { name: 'shell', input: { command: 'ls' }, origin: 'native' },
    path: '/shell',
    ...more,
  };
}

export function toolAfter(id: string, more: Json = {}): Json {
  return {
    ...toolBefore(id),
    type: 'tool.after',
    outcome: 'ok',
    execution: { status: 'executed' },
    items: [],
    ...more,
  };
}

/** A model-visible item with a ready body. */
export function readyItem(ref: string, id = 'item'): Json {
  return { id, kind: 'text', mediaType: 'text/plain', role: 'tool', selection: 'body', body: { ref } };
}

export function intercept(event: Json, params: Json = {}, more: Json = {}): Json {
  const name = catalogue.interceptableEventNames.find((known) => known === event.type);
  const capabilities = name === undefined ? { effects: [] } : fullCapabilities(name);
  return {
    jsonrpc: '2.0',
    id: event.id,
    method: 'hooks/intercept',
    params: { protocolVersion: 'draft', event, capabilities, ...params },
    ...more,
  };
}

export function observe(event: Json, more: Json = {}): Json {
  return { jsonrpc: '2.0', method: 'hooks/observe', params: { protocolVersion: 'draft', event }, ...more };
}

export function discover(id: unknown = 'd-1', params: Json = { protocolVersion: 'draft' }): Json {
  return { jsonrpc: '2.0', id, method: 'hooks/capabilities', params };
}
