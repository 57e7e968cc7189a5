import { randomUUID } from 'node:crypto';
import { raceAbort } from '../wire/abort.js';
import { immediateScheduler } from '../wire/scheduler.js';
import { SummaryBodies } from './bodies.js';
import { compactionCapabilities } from './capabilities.js';
import { type CompactionPlan, planCompaction } from './configuration.js';
import { CompactionError } from './errors.js';
import { type AfterState, type BeforeState, stageAfter, stageBefore } from './staging.js';
import type {
  CompactionBoundary,
  CompactionContext,
  CompactionFailure,
  CompactionHook,
  CompactionObserver,
  CompactionOptions,
  CompactionOutcome,
  CompactionProvenance,
  CompactionSnapshot,
  SummaryHandle,
} from './types.js';

interface Settled {
  readonly outcome: CompactionOutcome;
  /** Starts the observers of a run that applied. */
  observe(): void;
}

/** One run under way. */
interface Run {
  readonly options: CompactionOptions;
  readonly plan: CompactionPlan;
  readonly itemId: string;
  readonly context: CompactionContext;
  readonly failures: CompactionFailure[];
}

/**
 * Runs before hooks, the host's generator and after hooks, in order and one at a time (Semantics §3).
 *
 * Resolves to what came of it, frozen. Rejects with a CompactionError: `configuration` before anything runs,
 * `generator` when the generator throws or gives no text. Rejects with the signal's reason, at once, when it aborts.
 * A hook that fails rejects nothing; its policy decides. Observers start after the outcome has settled, and only when
 * the run applied; nothing of theirs reaches it.
 */
export function runCompaction(options: CompactionOptions): Promise<CompactionOutcome> {
  return new Promise((resolve, reject) => {
    const { signal } = options;
    settle(options).then(({ outcome, observe }) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      resolve(outcome);
      observe();
    }, reject);
  });
}

async function settle(options: CompactionOptions): Promise<Settled> {
  const plan = planCompaction(options);
  const { signal = new AbortController().signal, itemId = randomUUID() } = options;
  signal.throwIfAborted();
  const run: Run = { options, plan, itemId, context: Object.freeze({ signal }), failures: [] };
  const bodies = new SummaryBodies(itemId);

  const before = await runBefore(run);
  if (before.closed || before.state.denial !== null) {
    const outcome = publish(run, bodies, before.state, {
      applied: false,
      generated: false,
      summary: null,
      provenance: null,
    });
    return { outcome, observe: () => undefined };
  }
  const { supplied, instructions } = before.state;
  const text = supplied === null ? await generate(run, instructions) : supplied.text;
  const provenance: CompactionProvenance =
    supplied === null ? { kind: 'generated' } : { kind: 'supplied', supplier: supplied.supplier };
  const after = await runAfter(run, bodies, { instructions, first: { text, messages: before.state.messages } });
  const outcome = publish(
    run,
    bodies,
    { ...before.state, messages: after.state.messages },
    {
      applied: !after.closed,
      generated: supplied === null,
      summary: bodies.handleOf(after.state.text),
      provenance: Object.freeze(provenance),
    },
  );
  return { outcome, observe: () => startObservers(run, outcome) };
}

async function runBefore(run: Run): Promise<{ state: BeforeState; closed: boolean }> {
  let state: BeforeState = {
    instructions: run.options.instructions,
    supplied: null,
    messages: Object.freeze([]),
    denial: null,
  };
  for (const hook of run.plan.before) {
    const response = await ask(run, hook, view(run, 'before', state.instructions, null, state.messages));
    const staged = stageBefore(state, response, hook.supplier);
    if (staged !== null) state = staged;
    else if (fail(run, 'before', hook)) return { state, closed: true };
    if (state.denial !== null) break;
  }
  return { state, closed: false };
}

async function runAfter(
  run: Run,
  bodies: SummaryBodies,
  { instructions, first }: { instructions: string; first: AfterState },
): Promise<{ state: AfterState; closed: boolean }> {
  let state = first;
  let summary = bodies.handleOf(state.text);
  const hooks = run.options.observeOnly === true ? [] : run.plan.after;
  for (const hook of hooks) {
    const response = await ask(run, hook, view(run, 'after', instructions, summary, state.messages));
    const staged = stageAfter(state, response);
    if (staged === null) {
      if (fail(run, 'after', hook)) return { state, closed: true };
      continue;
    }
    state = staged;
    summary = bodies.handleOf(state.text);
  }
  return { state, closed: false };
}

/**
 * One hook's answer, null (which no boundary accepts) when it failed. Throws the signal's reason when the run was
 * aborted; any other failure is the hook's.
 */
async function ask(run: Run, hook: CompactionHook<unknown>, snapshot: CompactionSnapshot): Promise<unknown> {
  const { signal } = run.context;
  try {
    return await raceAbort(hook.run(snapshot, run.context), signal);
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** Records a failure; tells whether the hook's policy ends the run. */
function fail(run: Run, boundary: CompactionBoundary, hook: CompactionHook<unknown>): boolean {
  run.failures.push(Object.freeze({ boundary, supplier: hook.supplier }));
  return hook.failurePolicy === 'fail-closed';
}

async function generate(run: Run, instructions: string): Promise<string> {
  const { signal } = run.context;
  let text: unknown;
  try {
    text = await raceAbort(run.options.generate(instructions, run.context), signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new CompactionError('generator', '/generate', 'Generator: expected text, got a failure', { cause });
  }
  if (typeof text === 'string') return text;
  throw new CompactionError('generator', '/generate', `Generator: expected text, got ${typeof text}`);
}

function view(
  run: Run,
  boundary: CompactionBoundary,
  instructions: string,
  summary: SummaryHandle | null,
  messages: readonly string[],
): CompactionSnapshot {
  const capabilities = compactionCapabilities(boundary);
  return Object.freeze({ boundary, itemId: run.itemId, instructions, summary, messages, capabilities });
}

function publish(
  run: Run,
  bodies: SummaryBodies,
  { instructions, messages, denial }: Pick<BeforeState, 'instructions' | 'messages' | 'denial'>,
  result: Pick<CompactionOutcome, 'applied' | 'generated' | 'summary' | 'provenance'>,
): CompactionOutcome {
  return Object.freeze({
    ...result,
    denied: denial !== null,
    reason: denial?.reason ?? null,
    instructions,
    bodies: bodies.seal(),
    messages,
    failures: Object.freeze([...run.failures]),
  });
}

function startObservers(run: Run, outcome: CompactionOutcome): void {
  if (!outcome.applied) return;
  const { observeOnly = false, schedule = immediateScheduler } = run.options;
  const observers = observeOnly ? [...run.plan.after, ...run.plan.observers] : run.plan.observers;
  for (const observer of observers) {
    const snapshot: CompactionSnapshot = Object.freeze({
      boundary: 'after',
      itemId: run.itemId,
      instructions: outcome.instructions,
      summary: outcome.summary,
      messages: outcome.messages,
      capabilities: compactionCapabilities('after', { observeOnly: true }),
    });
    let isFresh = true;
    const task = (): void => {
      if (isFresh) void observe(observer, snapshot, run.context);
      isFresh = false;
    };
    try {
      const answer: unknown = schedule(task);
      Promise.resolve(answer).catch(() => undefined);
    } catch {
      // A scheduler that refuses, now or later, loses this one observer, nothing else.
    }
  }
}

async function observe(
  observer: CompactionObserver,
  snapshot: CompactionSnapshot,
  context: CompactionContext,
): Promise<void> {
  try {
    await observer.run(snapshot, context);
  } catch {
    // Nothing of an observer reaches anything.
  }
}
