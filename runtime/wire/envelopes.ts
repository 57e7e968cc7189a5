import type { Event, InterceptRequest, ObserveNotification } from '../../generated/index.js';

const PROTOCOL_VERSION = 'draft';

type InterceptParams = InterceptRequest['params'];

/** What an interception request carries beside its event. */
export interface InterceptContent {
  readonly event: InterceptParams['event'];
  readonly capabilities: InterceptParams['capabilities'];
  readonly state?: InterceptParams['state'];
}

/** The one-way notification of `event`: nothing but the event travels in it (Semantics §4). Shares the event. */
export function observeNotification(event: Event): ObserveNotification {
  return Object.freeze({
    jsonrpc: '2.0',
    method: 'hooks/observe',
    params: Object.freeze({ protocolVersion: PROTOCOL_VERSION, event }),
  });
}

/** The interception request whose JSON-RPC id is its event's id (Semantics §5). Shares event, capabilities and state. */
export function interceptRequest({ event, capabilities, state }: InterceptContent): InterceptRequest {
  const params = { protocolVersion: PROTOCOL_VERSION, event, capabilities, ...(state === undefined ? {} : { state }) };
  return Object.freeze({
    jsonrpc: '2.0',
    id: event.id,
    method: 'hooks/intercept',
    params: Object.freeze(params),
  }) as InterceptRequest;
}
