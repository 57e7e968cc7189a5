import type {
  ContextCompactAfterEvent,
  ContextCompactBeforeEvent,
  ModelErrorEvent,
  ModelRequestBeforeEvent,
  ModelResponseAfterEvent,
  ModelSwitchAfterEvent,
  ModelSwitchBeforeEvent,
  ToolAfterEvent,
  ToolBatchAfterEvent,
  ToolBeforeEvent,
  ToolPermissionRequestEvent,
  ToolPermissionResolvedEvent,
  ToolProgressEvent,
} from './execution-events.js';
import type {
  UserAttentionEvent,
  UserElicitationRequestEvent,
  UserElicitationResultEvent,
  UserMessageInboundEvent,
  UserMessageOutboundEvent,
} from './interaction-events.js';
import type {
  CapabilitiesRequest,
  CapabilitiesResponse,
  InterceptRequest,
  InterceptResponse,
  JsonRpcErrorResponse,
  ObserveNotification,
} from './messages.js';
import type {
  ConfigChangeAfterEvent,
  ConfigChangeBeforeEvent,
  HookFailureEvent,
  SessionEndEvent,
  SessionStartEvent,
  TurnEndEvent,
  TurnFinishBeforeEvent,
  TurnProgressEvent,
  TurnStartEvent,
} from './session-events.js';
import type {
  FileChangedEvent,
  TaskChangeAfterEvent,
  TaskChangeBeforeEvent,
  WorkspaceChangeAfterEvent,
  WorkspaceChangeBeforeEvent,
} from './task-workspace-events.js';
import type { UnknownVariant } from '../support/results.js';

/**
 * Any of the 32 events of this draft, told by `type`.
 * @see unions.json#/$defs/Event
 */
export type Event = KnownEvent | UnknownEvent;

/**
 * The variants of `Event` that this revision knows. `isKnownEvent` tells them from the others.
 * @see unions.json#/$defs/Event
 */
export type KnownEvent =
  | SessionStartEvent
  | SessionEndEvent
  | ToolBeforeEvent
  | ToolAfterEvent
  | TurnStartEvent
  | TurnFinishBeforeEvent
  | TurnEndEvent
  | TurnProgressEvent
  | ModelRequestBeforeEvent
  | ModelResponseAfterEvent
  | ModelErrorEvent
  | ModelSwitchBeforeEvent
  | ModelSwitchAfterEvent
  | ToolPermissionRequestEvent
  | ToolPermissionResolvedEvent
  | ToolProgressEvent
  | ToolBatchAfterEvent
  | ContextCompactBeforeEvent
  | ContextCompactAfterEvent
  | ConfigChangeBeforeEvent
  | ConfigChangeAfterEvent
  | UserAttentionEvent
  | UserElicitationRequestEvent
  | UserElicitationResultEvent
  | UserMessageInboundEvent
  | UserMessageOutboundEvent
  | HookFailureEvent
  | TaskChangeBeforeEvent
  | TaskChangeAfterEvent
  | WorkspaceChangeBeforeEvent
  | WorkspaceChangeAfterEvent
  | FileChangedEvent;

/**
 * A value of `Event` whose tag this revision does not know, kept whole.
 * @see unions.json#/$defs/Event
 */
export type UnknownEvent = UnknownVariant & { readonly type: string };

/**
 * Any of the 19 events that may be intercepted, told by `type`.
 * @see unions.json#/$defs/InterceptableEvent
 */
export type InterceptableEvent = KnownInterceptableEvent | UnknownInterceptableEvent;

/**
 * The variants of `InterceptableEvent` that this revision knows. `isKnownInterceptableEvent` tells them from the others.
 * @see unions.json#/$defs/InterceptableEvent
 */
export type KnownInterceptableEvent =
  | SessionStartEvent
  | ConfigChangeBeforeEvent
  | TurnStartEvent
  | TurnFinishBeforeEvent
  | ModelRequestBeforeEvent
  | ModelResponseAfterEvent
  | ModelSwitchBeforeEvent
  | ToolBeforeEvent
  | ToolAfterEvent
  | ToolPermissionRequestEvent
  | ToolBatchAfterEvent
  | ContextCompactBeforeEvent
  | ContextCompactAfterEvent
  | TaskChangeBeforeEvent
  | UserElicitationRequestEvent
  | UserElicitationResultEvent
  | UserMessageInboundEvent
  | UserMessageOutboundEvent
  | WorkspaceChangeBeforeEvent;

/**
 * A value of `InterceptableEvent` whose tag this revision does not know, kept whole.
 * @see unions.json#/$defs/InterceptableEvent
 */
export type UnknownInterceptableEvent = UnknownVariant & { readonly type: string };

/**
 * Any message on the wire: a request, a response or a notification of this draft. At least one of the six holds; objects are open, so that a value may be more than one of them. Correlation of ids is a runtime rule.
 * @see unions.json#/$defs/WireMessage
 */
export type WireMessage = KnownWireMessage | UnknownWireMessage;

/**
 * The variants of `WireMessage` that this revision knows. `isKnownWireMessage` tells them from the others.
 * @see unions.json#/$defs/WireMessage
 */
export type KnownWireMessage =
  | InterceptRequest
  | InterceptResponse
  | JsonRpcErrorResponse
  | ObserveNotification
  | CapabilitiesRequest
  | CapabilitiesResponse;

/**
 * A value of `WireMessage` whose tag this revision does not know, kept whole.
 * @see unions.json#/$defs/WireMessage
 */
export type UnknownWireMessage = UnknownVariant & { readonly method: string };
