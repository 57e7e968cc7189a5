import { type KnownEffect, validateEffect } from '../../generated/index.js';
import { snapshot } from '../wire/freeze.js';
import type { CompactionAfterEffect, CompactionBeforeEffect } from './types.js';

/** What the before boundary has accepted so far. */
export interface BeforeState {
  readonly instructions: string;
  readonly supplied: { readonly supplier: string; readonly text: string } | null;
  readonly messages: readonly string[];
  readonly denial: { readonly reason: string } | null;
}

/** What the after boundary has accepted so far. */
export interface AfterState {
  readonly text: string;
  readonly messages: readonly string[];
}

/**
 * The state after one before response, or null when the response is rejected: whole-list staging of Semantics §3.
 * Edits apply first, then what the response supplies is bound; with a denial the run ends, and nothing supplied counts.
 */
export function stageBefore(state: BeforeState, response: unknown, supplier: string): BeforeState | null {
  const effects = readEffects<CompactionBeforeEffect>(response, isBeforeEffect);
  if (effects === null) return null;
  const instructions = effects.reduce(
    (text, effect) => (effect.type === 'modify' ? effect.value : text),
    state.instructions,
  );
  const kept = instructions === state.instructions ? state.supplied : null;
  const supplied = effects.reduce(
    (last, effect) => (effect.type === 'return' ? { supplier, text: effect.value } : last),
    kept,
  );
  const denial = effects.find((effect) => effect.type === 'deny') ?? null;
  return {
    instructions,
    supplied,
    messages: withMessages(state.messages, effects),
    denial: denial && { reason: denial.reason },
  };
}

/** The state after one after response, or null when the response is rejected (Semantics §3). */
export function stageAfter(state: AfterState, response: unknown): AfterState | null {
  const effects = readEffects<CompactionAfterEffect>(response, isAfterEffect);
  if (effects === null) return null;
  return {
    text: effects.reduce((text, effect) => (effect.type === 'modify' ? effect.value : text), state.text),
    messages: withMessages(state.messages, effects),
  };
}

/** The effects of a response, read once and frozen, or null when one of them is malformed or not of this boundary. */
function readEffects<E>(
  response: unknown,
  isSupported: (effect: KnownEffect) => effect is KnownEffect & E,
): readonly E[] | null {
  const isAcceptable = (candidate: unknown): candidate is E => {
    const checked = validateEffect(candidate);
    return checked.ok && isSupported(checked.value);
  };
  const list = readList(response);
  return list?.every(isAcceptable) ? list : null;
}

/** Read once: what the hook does to its response afterwards, or behind its accessors, changes nothing. */
function readList(response: unknown): readonly unknown[] | null {
  if (!Array.isArray(response)) return null;
  try {
    // A hole is no JSON: as undefined it is refused like any other value that is no effect.
    return snapshot(Array.from(response as unknown[]));
  } catch {
    return null;
  }
}

function isBeforeEffect(effect: KnownEffect): effect is KnownEffect & CompactionBeforeEffect {
  return (
    isEdit(effect, 'instructions') ||
    (effect.type === 'return' && typeof effect.value === 'string') ||
    effect.type === 'deny' ||
    effect.type === 'message'
  );
}

function isAfterEffect(effect: KnownEffect): effect is KnownEffect & CompactionAfterEffect {
  return isEdit(effect, 'summary') || effect.type === 'message';
}

function isEdit(effect: KnownEffect, target: 'instructions' | 'summary'): boolean {
  return (
    effect.type === 'modify' &&
    effect.target === target &&
    effect.operation === 'replace' &&
    typeof effect.value === 'string'
  );
}

function withMessages(
  messages: readonly string[],
  effects: readonly (CompactionBeforeEffect | CompactionAfterEffect)[],
): readonly string[] {
  const added = effects.flatMap((effect) => (effect.type === 'message' ? [effect.text] : []));
  return added.length === 0 ? messages : Object.freeze([...messages, ...added]);
}
