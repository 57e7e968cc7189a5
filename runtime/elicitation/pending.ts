import type { InterceptRequest } from '../../generated/index.js';
import { type RequestSide, readRequest, readResult, requireCorrelation } from './envelopes.js';
import { ElicitationError } from './errors.js';

interface Pending {
  /** The envelope as it was given, which `settle` gives back. */
  readonly envelope: InterceptRequest;
  /** What it said when it was opened; frozen. */
  readonly side: RequestSide;
}

/**
 * Live elicitation requests by source and request event id (Semantics §2): several may be open in one session and
 * settle in any order. It holds what the host opens until it settles or is cancelled.
 */
export class PendingElicitations {
  // Two levels, since joined text would let one pair of names pass for another.
  readonly #bySource = new Map<string, Map<string, Pending>>();

  /** How many requests are open. */
  get size(): number {
    let size = 0;
    for (const byId of this.#bySource.values()) size += byId.size;
    return size;
  }

  /**
   * Opens a request. Throws an ElicitationError: `not-canonical`, `id-mismatch` or `wrong-boundary`, or
   * `already-pending` when one of the same identity is open, which stays.
   */
  open(request: InterceptRequest): void {
    const side = readRequest(request);
    const { source, id } = side.event;
    const byId = this.#bySource.get(source) ?? new Map<string, Pending>();
    if (byId.has(id)) {
      const message = 'Request: expected an identity that is not open, got one that is';
      throw new ElicitationError('already-pending', '/request/params/event/id', message);
    }
    byId.set(id, { envelope: request, side });
    this.#bySource.set(source, byId);
  }

  /**
   * Gives back the request that the result answers, and closes it. Throws an ElicitationError: what step 2 finds in
   * the result, `not-pending` when nothing is open that it could answer, or `correlation`, which closes nothing.
   */
  settle(result: InterceptRequest): InterceptRequest {
    const { event } = readResult(result);
    const pending = event.parentEventId === undefined ? undefined : this.#find(event.source, event.parentEventId);
    if (pending === undefined) {
      const message = 'Result: expected the parent of an open request, got another';
      throw new ElicitationError('not-pending', '/result/params/event/parentEventId', message);
    }
    requireCorrelation(pending.side.event, event);
    this.cancel(pending.side.event.source, pending.side.event.id);
    return pending.envelope;
  }

  /** Closes a request without an answer; tells whether there was one. */
  cancel(source: string, id: string): boolean {
    const byId = this.#bySource.get(source);
    if (byId?.delete(id) !== true) return false;
    if (byId.size === 0) this.#bySource.delete(source);
    return true;
  }

  #find(source: string, id: string): Pending | undefined {
    return this.#bySource.get(source)?.get(id);
  }
}
