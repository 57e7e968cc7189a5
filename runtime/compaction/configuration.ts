import { CompactionError } from './errors.js';
import type {
  CompactionAfterEffect,
  CompactionBeforeEffect,
  CompactionHook,
  CompactionObserver,
  CompactionOptions,
} from './types.js';

/** The parts of the options that are lists, read once: what a host does to its lists later reaches no run. */
export interface CompactionPlan {
  readonly before: readonly CompactionHook<CompactionBeforeEffect>[];
  readonly after: readonly CompactionHook<CompactionAfterEffect>[];
  readonly observers: readonly CompactionObserver[];
}

/** Checks everything that can be checked before a hook runs. Throws a CompactionError of code `configuration`. */
export function planCompaction(options: CompactionOptions): CompactionPlan {
  requireType(options.instructions, 'string', '/instructions');
  requireType(options.generate, 'function', '/generate');
  if (options.observeOnly !== undefined) requireType(options.observeOnly, 'boolean', '/observeOnly');
  if (options.schedule !== undefined) requireType(options.schedule, 'function', '/schedule');
  if (options.itemId !== undefined) requireText(options.itemId, '/itemId');
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw misconfigured('/signal', 'expected an AbortSignal, got something else');
  }
  return {
    before: captureHooks(options.before, '/before'),
    after: captureHooks(options.after, '/after'),
    observers: captureParticipants(options.observers, '/observers').map(bindRun),
  };
}

function captureHooks<E>(list: readonly CompactionHook<E>[] | undefined, place: string): CompactionHook<E>[] {
  return captureParticipants(list, place).map((hook, index) => {
    const { failurePolicy } = hook;
    if (failurePolicy !== 'fail-open' && failurePolicy !== 'fail-closed') {
      throw misconfigured(
        `${place}/${index}/failurePolicy`,
        'expected "fail-open" or "fail-closed", got something else',
      );
    }
    return { failurePolicy, ...bindRun(hook) };
  });
}

function bindRun<R extends (...args: never[]) => unknown>(participant: { readonly supplier: string; run: R }) {
  return { supplier: participant.supplier, run: participant.run.bind(participant) as R };
}

function captureParticipants<P extends CompactionObserver>(list: readonly P[] | undefined, place: string): P[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw misconfigured(place, `expected a list, got ${typeof list}`);
  return Array.from(list, (participant: P, index) => {
    requireType(participant, 'object', `${place}/${index}`);
    requireText(participant.supplier, `${place}/${index}/supplier`);
    requireType(participant.run, 'function', `${place}/${index}/run`);
    return participant;
  });
}

function requireText(value: unknown, place: string): void {
  requireType(value, 'string', place);
  if (String(value).trim() === '') throw misconfigured(place, 'expected text that is not blank, got blank text');
}

function requireType(value: unknown, type: 'string' | 'function' | 'boolean' | 'object', place: string): void {
  const actual = value === null ? 'null' : typeof value;
  if (actual !== type) throw misconfigured(place, `expected ${type}, got ${actual}`);
}

function misconfigured(place: string, message: string): CompactionError {
  return new CompactionError('configuration', place, `Compaction option ${place}: ${message}`);
}
