export { ReceiverError, type ReceiverErrorCode } from './errors.js';
export { openFileStore, type FileStoreOptions } from './file-store.js';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.js';
export type { Listening, ListenOptions } from './node-server.js';
export type {
  Authenticate,
  AuthenticationRequest,
  EventHandlers,
  FailurePlace,
  Handlers,
  Identity,
  InterceptContext,
  ObserveContext,
  Peer,
  ReceiverPermission,
  ReceivedBody,
  ReceiverLimits,
  ReceiverOptions,
} from './options.js';
export { createReceiver, type Receiver } from './receiver.js';
export type { StdioIdentity } from './stdio.js';
export { type ContentStore, type StoredBody, StoreError, type StoreErrorCode, type StoreWriter } from './store.js';
