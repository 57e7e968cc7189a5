export { childEnvironment } from './child-environment.js';
export { createHttpTransport, type Authorize, type AuthorizeRequest, type HttpTransportOptions } from './http.js';
export {
  createMemoryTransport,
  type MemoryBackend,
  type MemoryMessage,
  type MemoryTransportOptions,
} from './memory.js';
export type { DroppedLineReason, RecordListener, TransportRecord } from './records.js';
export { createStdioTransport, type StdioTransport, type StdioTransportOptions } from './stdio.js';
export {
  DEFAULT_MAX_MESSAGE_BYTES,
  DEFAULT_NOTIFY_TIMEOUT_MS,
  TransportError,
  type MessageId,
  type RequestContext,
  type Transport,
  type TransportErrorCode,
  type TransportNotification,
  type TransportRequest,
} from './transport.js';
export { NetError, type NetErrorCode } from '../net/errors.js';
export type { ConnectTarget, Connector, Lookup, ResolvedAddress, TlsOptions } from '../net/connect.js';
export type { AddressClass, AddressPolicy } from '../net/address.js';
