import type { Capabilities, Extensions } from '../../generated/index.js';

/** Before a summary is made, or after. */
export type CompactionBoundary = 'before' | 'after';

/** What the host does when a hook fails: go on without it, or end the run. */
export type CompactionFailurePolicy = 'fail-open' | 'fail-closed';

declare const summaryRef: unique symbol;

/**
 * Names one text of the summary inside one run. Text at run time, opaque to the compiler: it is no wire reference, and
 * cannot be taken for one. Use it as a key of {@link CompactionOutcome.bodies}.
 */
export interface SummaryRef {
  readonly [summaryRef]: never;
}

/** The summary as the run holds it. The logical `id` stays; changed bytes have another `ref`. */
export interface SummaryHandle {
  readonly id: string;
  readonly ref: SummaryRef;
  readonly text: string;
}

/** What one hook or observer sees: frozen, and its own. */
export interface CompactionSnapshot {
  readonly boundary: CompactionBoundary;
  /** The logical id that the summary has or will have. */
  readonly itemId: string;
  readonly instructions: string;
  /** Null at the before boundary, whatever was supplied so far. */
  readonly summary: SummaryHandle | null;
  /** Messages accepted so far, in order. */
  readonly messages: readonly string[];
  /** What the hook may answer; `{effects: []}` for observers. */
  readonly capabilities: Capabilities;
}

/** Given to hooks, observers and the generator. The signal is the run's; without one it never aborts. */
export interface CompactionContext {
  readonly signal: AbortSignal;
}

/** For the user, without authority. */
export interface CompactionMessage {
  readonly type: 'message';
  readonly text: string;
}

/** What a before hook may answer. */
export type CompactionBeforeEffect =
  | { readonly type: 'modify'; readonly target: 'instructions'; readonly operation: 'replace'; readonly value: string }
  /** The summary itself: generation is skipped, the after hooks still run. */
  | { readonly type: 'return'; readonly value: string }
  | { readonly type: 'deny'; readonly reason: string; readonly code?: string; readonly extensions?: Extensions }
  | CompactionMessage;

/** What an after hook may answer. */
export type CompactionAfterEffect =
  | { readonly type: 'modify'; readonly target: 'summary'; readonly operation: 'replace'; readonly value: string }
  | CompactionMessage;

/** One hook. Its response is accepted whole or not at all; no effect is `[]`, anything but a list is a failure. */
export interface CompactionHook<E> {
  /** Whose hook it is: authenticated by the host, recorded in failures and in the provenance. Not blank. */
  readonly supplier: string;
  readonly failurePolicy: CompactionFailurePolicy;
  run(snapshot: CompactionSnapshot, context: CompactionContext): readonly E[] | PromiseLike<readonly E[]>;
}

/** Sees what was applied, later. What it returns, throws or changes reaches nothing. */
export interface CompactionObserver {
  readonly supplier: string;
  run(snapshot: CompactionSnapshot, context: CompactionContext): unknown;
}

/** Options of one run. The lists are read once, at the call. */
export interface CompactionOptions {
  /** What the generator is asked for, before any hook changes it. */
  readonly instructions: string;
  /** In order. Default: none. */
  readonly before?: readonly CompactionHook<CompactionBeforeEffect>[];
  /** In order; observers when `observeOnly`. Default: none. */
  readonly after?: readonly CompactionHook<CompactionAfterEffect>[];
  /** Run after every run that applied. Default: none. */
  readonly observers?: readonly CompactionObserver[];
  /** Turns the after boundary into a notification. Default: false. */
  readonly observeOnly?: boolean;
  /** The host's real generator: text, or a promise of it. */
  generate(instructions: string, context: CompactionContext): string | PromiseLike<string>;
  /** Logical id of the summary. Default: a random one. */
  readonly itemId?: string;
  /** Runs one observer later, off the caller's stack. Default: `immediateScheduler`. */
  readonly schedule?: (task: () => void) => void;
  /** Ends the run: it rejects with the signal's reason and publishes nothing. */
  readonly signal?: AbortSignal;
}

/** A hook that failed under its policy. Nothing of what it said or threw. */
export interface CompactionFailure {
  readonly boundary: CompactionBoundary;
  readonly supplier: string;
}

/** Whose text the summary was at first; an after hook that redacts it does not become its author. */
export type CompactionProvenance =
  { readonly kind: 'generated' } | { readonly kind: 'supplied'; readonly supplier: string };

/** What came of a run. Frozen all the way down. */
export interface CompactionOutcome {
  /** Whether the host may put the summary in place. */
  readonly applied: boolean;
  /** Whether the generator made a summary. */
  readonly generated: boolean;
  /** True for an explicit denial only; a fail-closed failure shows in `applied` and `failures`. */
  readonly denied: boolean;
  /** The denial's reason, else null. */
  readonly reason: string | null;
  /** The effective instructions. */
  readonly instructions: string;
  readonly summary: SummaryHandle | null;
  /** Every text that the summary had, by ref. */
  readonly bodies: ReadonlyMap<SummaryRef, string>;
  readonly messages: readonly string[];
  readonly failures: readonly CompactionFailure[];
  /** Null when there is no summary. */
  readonly provenance: CompactionProvenance | null;
}
