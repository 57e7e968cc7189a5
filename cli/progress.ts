/** Progress on stderr: one line, rewritten, only on a terminal and only when the work takes longer than a moment. */

const MOMENT_MS = 400;

export interface Progress {
  /** Names what is being done now. */
  phase(name: string): void;
  /** Takes the line away. */
  done(): void;
}

export interface ProgressTarget {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A silent progress when the target is no terminal or `quiet` is set. */
export function startProgress(
  target: ProgressTarget,
  quiet: boolean,
  now: () => number = () => performance.now(),
): Progress {
  if (quiet || target.isTTY !== true) return { phase: () => undefined, done: () => undefined };
  const start = now();
  let isShown = false;
  return {
    phase(name) {
      if (now() - start < MOMENT_MS) return;
      isShown = true;
      target.write(`\r\u001b[K${name} …`);
    },
    done() {
      if (isShown) target.write('\r\u001b[K');
      isShown = false;
    },
  };
}
