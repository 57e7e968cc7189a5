/**
 * Why one delivery was dropped.
 *
 * - `queue-full`: the subscription's queue holds as many deliveries as it may.
 * - `schedule`: the scheduler threw or rejected.
 * - `preparation`: `prepare` threw or rejected.
 * - `event-changed`: the projection has another id, source or type than the event.
 * - `event-invalid`: the projection is not canonically valid.
 * - `notification`: `notify` threw or rejected.
 */
export type ObservationErrorCode =
  'queue-full' | 'schedule' | 'preparation' | 'event-changed' | 'event-invalid' | 'notification';

/** A dropped delivery (Semantics §4). Its message holds nothing of the event and nothing that a callback said. */
export class ObservationError extends Error {
  override readonly name = 'ObservationError';
  readonly code: ObservationErrorCode;

  constructor(code: ObservationErrorCode, options?: ErrorOptions) {
    super(`Observation: ${RULES[code]}`, options);
    this.code = code;
  }
}

const RULES: Record<ObservationErrorCode, string> = {
  'queue-full': 'expected room in the queue of the subscription, got none',
  schedule: 'expected the scheduler to take the delivery, got a failure',
  preparation: 'expected a projection of the event, got a failure',
  'event-changed': 'expected the projection to keep id, source and type, got another event',
  'event-invalid': 'expected a canonically valid projection, got another value',
  notification: 'expected the notification to be sent, got a failure',
};
