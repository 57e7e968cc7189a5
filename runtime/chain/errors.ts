/**
 * What a chain refuses before anybody is asked.
 *
 * - `event-invalid`: the event is not canonically valid, or is not interceptable.
 * - `capabilities-invalid`: the capabilities are not canonical for the event.
 * - `configuration`: an option is out of its range, or a subscription id occurs twice in one mode.
 */
export type ChainErrorCode = 'event-invalid' | 'capabilities-invalid' | 'configuration';

/** A call of `runInterceptionChain` that cannot begin. Failures of interceptors are outcomes, never errors. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainErrorCode;
  /** JSON Pointer or option name. */
  readonly place: string;

  constructor(code: ChainErrorCode, place: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.place = place;
  }
}
