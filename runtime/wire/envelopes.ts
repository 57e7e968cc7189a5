import {
  type InterceptRequest,
  type KnownEvent,
  type KnownInterceptableEvent,
  type ObserveNotification,
  PROTOCOL_VERSION,
} from '../../generated/index.js';

type InterceptParams = InterceptRequest['params'];

/** What an interception request carries beside its event. */
export interface InterceptContent {
  /** One of the events that may be intercepted, canonically valid. */
  readonly event: InterceptParams['event'] | KnownEvent;
  readonly capabilities: InterceptParams['capabilities'];
  readonly state?: InterceptParams['state'];
}

/** The one-way notification of `event`: nothing but the event travels in it (Semantics §4). Shares the event. */
export function observeNotification(event: KnownEvent): ObserveNotification {
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
    id: (event as KnownInterceptableEvent).id,
    method: 'hooks/intercept',
    params: Object.freeze(params),
  }) as InterceptRequest;
}
