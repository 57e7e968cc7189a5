/** Runs a task later, off the caller's stack. */
export type Scheduler = (task: () => void) => void;

/**
 * Runs each task from an immediate of its own, in order. The immediates are unreferenced: a process that has nothing
 * else to do exits without running them.
 */
export const immediateScheduler: Scheduler = (task) => {
  setImmediate(task).unref();
};
