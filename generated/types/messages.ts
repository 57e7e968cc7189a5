import type { JsonObject, JsonValue } from '../json/index.js';
import type { Capabilities, Manifest } from './capabilities.js';
import type { Extensions } from './common.js';
import type { Effect } from './effects.js';
import type { Event, InterceptableEvent } from './unions.js';

/**
 * A result that a hook supplied earlier in the chain. Open object.
 * @see messages.json#/$defs/Candidate
 */
export interface Candidate {
  /** The result; any JSON, null included. */
  readonly value: JsonValue;
  /** Who supplied it, an open object of the host's own; no subscription id (a runtime rule). */
  readonly provenance?: JsonObject;
  readonly [member: string]: unknown;
}

/**
 * Parameters of a discovery. Closed object.
 * @see messages.json#/$defs/CapabilitiesParams
 */
export interface CapabilitiesParams {
  /** The protocol version. */
  readonly protocolVersion: 'draft';
}

/**
 * Request `hooks/capabilities`: asks what the peer supports; needs no session. Open object.
 * @see messages.json#/$defs/CapabilitiesRequest
 */
export interface CapabilitiesRequest {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The request's id. */
  readonly id: RequestId;
  /** Asks what is supported. */
  readonly method: 'hooks/capabilities';
  /** The protocol version. */
  readonly params: CapabilitiesParams;
  readonly [member: string]: unknown;
}

/**
 * Response to `hooks/capabilities`. Open object, without a member `error`.
 * @see messages.json#/$defs/CapabilitiesResponse
 */
export interface CapabilitiesResponse {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The id of the request that is answered; null when it could not be read. */
  readonly id: ResponseId;
  /** What is supported. */
  readonly result: CapabilitiesResult;
  readonly error?: never;
  readonly [member: string]: unknown;
}

/**
 * What the peer supports. Open object, without a member `effects`.
 * @see messages.json#/$defs/CapabilitiesResult
 */
export interface CapabilitiesResult {
  /** The protocol version. */
  readonly protocolVersion: 'draft';
  /** What is supported. */
  readonly manifest: Manifest;
  readonly effects?: never;
  readonly [member: string]: unknown;
}

/**
 * Parameters of an interception. Open object. The capabilities are those of the event's own type.
 * @see messages.json#/$defs/InterceptParams
 */
export interface InterceptParams {
  /** The protocol version. */
  readonly protocolVersion: 'draft';
  /** The event to decide on. */
  readonly event: InterceptableEvent;
  /** What the hook may answer with. */
  readonly capabilities: Capabilities;
  /** Extension data of the request. */
  readonly extensions?: Extensions;
  /** What the chain has decided so far. */
  readonly state?: InterceptState;
  readonly [member: string]: unknown;
}

/**
 * Request `hooks/intercept`: asks for a decision about an event. Open object. A retry repeats ids and content (a runtime rule).
 * @see messages.json#/$defs/InterceptRequest
 */
export interface InterceptRequest {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The request's id; for an interception it equals the event's id (a runtime rule). */
  readonly id: RequestId;
  /** Asks for a decision. */
  readonly method: 'hooks/intercept';
  /** The event and what may be decided. */
  readonly params: InterceptParams;
  readonly [member: string]: unknown;
}

/**
 * Response to `hooks/intercept`. Open object, without a member `error`.
 * @see messages.json#/$defs/InterceptResponse
 */
export interface InterceptResponse {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The id of the request that is answered; null when it could not be read. */
  readonly id: ResponseId;
  /** The decision. */
  readonly result: InterceptResult;
  readonly error?: never;
  readonly [member: string]: unknown;
}

/**
 * The decision. Open object, without a member `manifest`.
 * @see messages.json#/$defs/InterceptResult
 */
export interface InterceptResult {
  /** The protocol version. */
  readonly protocolVersion: 'draft';
  /** The effects, staged as a whole; none means no objection and no permission. */
  readonly effects: readonly Effect[];
  /** Extension data of the response. */
  readonly extensions?: Extensions;
  readonly manifest?: never;
  readonly [member: string]: unknown;
}

/**
 * What the chain has decided so far. Open object.
 * @see messages.json#/$defs/InterceptState
 */
export interface InterceptState {
  /** The result supplied so far; null when there is none. */
  readonly candidate: null | Candidate;
  /** The permission so far. */
  readonly permission: 'none' | 'allow' | 'ask' | 'deny' | (string & {});
  /** The flow so far. */
  readonly flow?: 'none' | 'stop' | 'continue' | (string & {});
  /** Injections accepted so far, in order. */
  readonly injections?: readonly JsonValue[];
  /** Instructions of `continue` accepted so far, in order. */
  readonly instructions?: readonly string[];
  readonly [member: string]: unknown;
}

/**
 * An error object of JSON-RPC. Open object.
 * @see messages.json#/$defs/JsonRpcError
 */
export interface JsonRpcError {
  /** Any integer. Reserved here: -32001 unsupported protocol version, -32002 unsupported event, -32003 backend unavailable, -32004 backend internal error. */
  readonly code: number;
  /** What went wrong, for a reader. */
  readonly message: string;
  /** More about it, any JSON, without secrets (a runtime rule). */
  readonly data?: JsonValue;
  readonly [member: string]: unknown;
}

/**
 * An error response of JSON-RPC to any of the requests. Open object, without a member `result`.
 * @see messages.json#/$defs/JsonRpcErrorResponse
 */
export interface JsonRpcErrorResponse {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The id of the request that is answered; null when it could not be read. */
  readonly id: ResponseId;
  /** What went wrong. */
  readonly error: JsonRpcError;
  readonly result?: never;
  readonly [member: string]: unknown;
}

/**
 * Notification `hooks/observe`: tells of an event and is never answered. Open object, without a member `id`.
 * @see messages.json#/$defs/ObserveNotification
 */
export interface ObserveNotification {
  /** The version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** Tells of an event. */
  readonly method: 'hooks/observe';
  /** The event. */
  readonly params: ObserveParams;
  readonly id?: never;
  readonly [member: string]: unknown;
}

/**
 * Parameters of an observation. Open object.
 * @see messages.json#/$defs/ObserveParams
 */
export interface ObserveParams {
  /** The protocol version. */
  readonly protocolVersion: 'draft';
  /** The event that occurred. */
  readonly event: Event;
  readonly [member: string]: unknown;
}

/**
 * Id of a request: a non-empty string or an integer.
 * @see messages.json#/$defs/RequestId
 */
export type RequestId = string | number;

/**
 * Id of a response: a non-empty string, an integer or null.
 * @see messages.json#/$defs/ResponseId
 */
export type ResponseId = string | number | null;
