export type { TransportContext, TransportFactory, TransportOverrides } from './backends.js';
export { HooksError, type HooksErrorCode } from './errors.js';
export type { Continuations } from './grants.js';
export { createHooks } from './hooks.js';
export type {
  AuthorizeContent,
  ContentTargetFor,
  EventContent,
  DiscoverOptions,
  Hooks,
  HooksOptions,
  InterceptableEvent,
  InterceptElicitation,
  InterceptOptions,
  InterceptOutcome,
  Materialize,
  Materialized,
  ObserveOptions,
} from './options.js';
export type {
  DecisionRecord,
  DiscoveryRecord,
  FailureRecord,
  HookRecord,
  ObservationFailedRecord,
  RecordStream,
  BackendRecord,
} from './records.js';
export type { HookSubscription } from './subscriptions.js';
