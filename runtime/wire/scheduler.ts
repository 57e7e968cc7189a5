/** Runs a task later, off the caller's stack. */
export type Scheduler = (task: () => void) => void;

/**
 * Runs each task from an immediate of its own, in order. The immediates are unreferenced: a process that has nothing
 * else to do exits without running them. One that waits for something else runs them without waiting for it.
 */
export const immediateScheduler: Scheduler = (task) => {
  setImmediate(task).unref();
  // An unreferenced immediate does not wake an idle event loop by itself, and would wait there for the next event.
  setTimeout(nothing, 0).unref();
};

function nothing(): void {}
