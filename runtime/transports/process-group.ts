/** How long a group has between SIGTERM and SIGKILL (Semantics §6). */
export const GROUP_GRACE_MS = 500;

const KILL_CHECK_MS = 10;
const KILL_CHECKS = 20;

// Groups that may still have members. When the host exits without close(), they are killed on the way out.
const liveGroups = new Set<number>();

function killAllGroups(): void {
  for (const pid of liveGroups) signalGroup(pid, 'SIGKILL');
}

/** The process group that a detached child leads. */
export interface ProcessGroup {
  /**
   * SIGTERM now, SIGKILL after the grace to whatever is left of it. Resolves when the group is gone or was killed. Its
   * timers keep no process alive. Later calls give the same promise.
   */
  end(): Promise<void>;
}

/** Takes note of a group, so that it is also ended when this process exits in an ordinary way. */
export function trackProcessGroup(pid: number): ProcessGroup {
  if (liveGroups.size === 0) process.on('exit', killAllGroups);
  liveGroups.add(pid);
  let ending: Promise<void> | undefined;
  const forget = (): void => {
    liveGroups.delete(pid);
    if (liveGroups.size === 0) process.removeListener('exit', killAllGroups);
  };
  return {
    end() {
      ending ??= endGroup(pid).finally(forget);
      return ending;
    },
  };
}

async function endGroup(pid: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  for (let waitedMs = 0; waitedMs < GROUP_GRACE_MS; waitedMs += KILL_CHECK_MS) {
    if (!hasMembers(pid)) return;
    await pause(KILL_CHECK_MS);
  }
  signalGroup(pid, 'SIGKILL');
  // The kill is certain; a member may stay visible as a zombie until its parent reaps it, so this does not wait long.
  for (let check = 0; check < KILL_CHECKS && hasMembers(pid); check += 1) await pause(KILL_CHECK_MS);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    // Windows has no groups: there only the child itself is reached, which the docs say.
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // Nobody there any more.
  }
}

function hasMembers(pid: number): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 0);
    return true;
  } catch {
    return false;
  }
}
