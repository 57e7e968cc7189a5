import { raceAbort } from '../wire/index.js';

/** Gives a place back; calling it again does nothing. */
export type Place = () => void;

/** How much may be under way at once. Whoever waits is served in order. */
export class Places {
  #free: number;
  readonly #waiting: ((place: Place) => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** A place, or null when there is none. */
  take(): Place | null {
    if (this.#free === 0) return null;
    this.#free -= 1;
    return this.#place();
  }

  /** A place as soon as there is one. Rejects when the signal fires first. */
  async wait(signal: AbortSignal): Promise<Place> {
    const taken = signal.aborted ? null : this.take();
    if (taken !== null) return taken;
    let admit: ((place: Place) => void) | undefined;
    const promised = new Promise<Place>((resolve) => {
      admit = resolve;
      this.#waiting.push(resolve);
    });
    try {
      return await raceAbort(promised, signal);
    } catch (error) {
      const at = admit === undefined ? -1 : this.#waiting.indexOf(admit);
      if (at !== -1) this.#waiting.splice(at, 1);
      // It was handed over in the very moment that the signal fired.
      else void promised.then((place) => place());
      throw error;
    }
  }

  #place(): Place {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next(this.#place());
    };
  }
}
