/** Observation dispatch (Semantics §4). */
export { immediateScheduler, type Scheduler } from '../wire/scheduler.js';
export { dispatchObservations } from './dispatch.js';
export { ObservationError, type ObservationErrorCode } from './errors.js';
export { DeliveryQueues } from './queues.js';
export type { DeliveryScheduler, ObservableSubscription, ObservationHandle, ObservationOptions } from './types.js';
