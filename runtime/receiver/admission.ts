import { armDeadline, type LinkedAbort, linkAbort, systemClock } from '../wire/index.js';
import { ReceiverError } from './errors.js';

/**
 * What one listener, one stdio link or a whole receiver has under way, and how that comes to an end: first nothing more
 * is admitted, then what is under way gets some time, then it is aborted. A child's work is its parent's work too, and
 * a parent that closes takes its children with it.
 */
export class Admission {
  readonly #parent: Admission | null;
  readonly #stopping: LinkedAbort;
  readonly #closing: LinkedAbort;
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(parent: Admission | null = null) {
    this.#parent = parent;
    this.#stopping = linkAbort(parent?.stopping);
    this.#closing = linkAbort(parent?.closing);
  }

  get admits(): boolean {
    return !this.stopping.aborted;
  }

  /** Fires when nothing more is admitted. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Fires when what is still under way is given up. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Counts work that never rejects. */
  track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
    this.#parent?.track(work);
  }

  close(timeoutMs: number): Promise<void> {
    this.#closed ??= this.#close(timeoutMs);
    return this.#closed;
  }

  async #close(timeoutMs: number): Promise<void> {
    const reason = new ReceiverError('closed', 'Receiver: closed while this was under way');
    this.#stopping.abort(reason);
    await new Promise<void>((resolve) => {
      const timer = armDeadline(systemClock, systemClock.now() + timeoutMs, resolve);
      void this.#settle().then(() => {
        timer.cancel();
        resolve();
      });
    });
    this.#closing.abort(reason);
  }

  /** Work may begin other work: a request that was admitted is followed by the handler of its observation. */
  async #settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
