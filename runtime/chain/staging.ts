import { type KnownEffect, validateEvent } from '../../generated/index.js';
import { isJsonNumber, jsonEqual, type JsonValue } from '../../generated/json/index.js';
import { freezeDeep, getAt, setAt } from '../wire/index.js';
import type { TargetPlace } from './capabilities.js';
import type { Candidate, ChainState, FailureCode, Flow, Injection, Permission } from './types.js';

/** A content target whose value changed, by JSON equality. */
export interface ContentChange {
  readonly target: string;
  readonly value: JsonValue;
}

/** What ends the chain, when the list holds it. Deny beats stop. */
export interface Ending {
  readonly kind: 'deny' | 'stop';
  readonly reason: string;
  readonly code?: string;
}

export type Staged =
  | {
      readonly ok: true;
      /** The state after acceptance; its event still lacks the new descriptors of `changes`. */
      readonly state: ChainState;
      readonly changes: readonly ContentChange[];
      readonly ending: Ending | null;
    }
  | { readonly ok: false; readonly code: FailureCode };

/**
 * Stages one whole response on a state that stays as it is (Semantics §5): edits first, in order; then the response's
 * own return and permission bind to what the edits made; then flow. The effects are canonical and granted.
 */
export function stageEffects(
  state: ChainState,
  effects: readonly KnownEffect[],
  targets: ReadonlyMap<string, TargetPlace>,
): Staged {
  if (effects.length === 0) return { ok: true, state, changes: [], ending: null };
  const edited = applyEdits(state, effects, targets);
  if (!edited.ok) return edited;
  const binding = edited.changed ? withoutStaleDecisions(state) : state;
  let { candidate, permission, flow } = binding;
  const messages: string[] = [];
  const injections: Injection[] = [];
  const instructions: string[] = [];
  let denial: Ending | null = null;
  let stop: Ending | null = null;
  for (const effect of effects) {
    switch (effect.type) {
      case 'modify':
        break;
      case 'return':
        candidate = { value: effect.value };
        break;
      case 'allow':
      case 'ask':
        permission = strongest(permission, effect.type);
        break;
      case 'deny':
        denial ??= { kind: 'deny', reason: effect.reason, ...(effect.code === undefined ? {} : { code: effect.code }) };
        break;
      case 'message':
        messages.push(effect.text);
        break;
      case 'inject':
        // Canonical validation left these two moments only.
        injections.push({ deliverAt: effect.deliverAt === 'now' ? 'now' : 'next_turn', value: effect.value });
        break;
      case 'flow':
        if (effect.operation === 'stop') {
          stop ??= { kind: 'stop', reason: effect.reason };
        } else {
          flow = 'continue';
          if (effect.instruction !== undefined) instructions.push(effect.instruction);
        }
        break;
    }
  }
  const next: ChainState = {
    event: edited.event,
    values: edited.values,
    ...settleDecisions({ candidate, permission, flow }, denial !== null, stop !== null),
    messages: appended(state.messages, messages),
    injections: appended(state.injections, injections),
    instructions: appended(state.instructions, instructions),
  };
  return { ok: true, state: freezeDeep(next), changes: edited.changes, ending: denial ?? stop };
}

/** What a changed operation leaves of earlier decisions: a candidate and an allow were about something else. */
export function withoutStaleDecisions(state: ChainState): ChainState {
  return { ...state, candidate: null, permission: state.permission === 'allow' ? 'none' : state.permission };
}

interface Decisions {
  readonly candidate: Candidate | null;
  readonly permission: Permission;
  readonly flow: Flow;
}

/** Deny and stop void a candidate; a denial's flow is `stop` only together with a stop, whose permission stays. */
export function settleDecisions(decisions: Decisions, isDenied: boolean, isStopped: boolean): Decisions {
  if (!isDenied && !isStopped) return decisions;
  return {
    candidate: null,
    permission: isDenied ? 'deny' : decisions.permission,
    flow: isStopped ? 'stop' : 'none',
  };
}

const PERMISSION_STRENGTH: Readonly<Record<Permission, number>> = { none: 0, allow: 1, ask: 2, deny: 3 };

function strongest(a: Permission, b: Permission): Permission {
  return PERMISSION_STRENGTH[a] >= PERMISSION_STRENGTH[b] ? a : b;
}

/** `list` itself when nothing is added, so that hooks without state cost nothing. */
function appended<T>(list: readonly T[], added: readonly T[]): readonly T[] {
  return added.length === 0 ? list : [...list, ...added];
}

interface Edit {
  readonly before: JsonValue;
  after: JsonValue;
}

type Edited =
  | {
      readonly ok: true;
      readonly event: ChainState['event'];
      readonly values: ChainState['values'];
      readonly changed: boolean;
      readonly changes: readonly ContentChange[];
    }
  | { readonly ok: false; readonly code: FailureCode };

function applyEdits(
  state: ChainState,
  effects: readonly KnownEffect[],
  targets: ReadonlyMap<string, TargetPlace>,
): Edited {
  const edits = new Map<string, Edit>();
  for (const effect of effects) {
    if (effect.type !== 'modify') continue;
    const edit = edits.get(effect.target) ?? openEdit(state, effect.target, targets);
    if (edit === null) return { ok: false, code: 'effect-not-granted' };
    edits.set(effect.target, edit);
    if (effect.operation === 'replace') {
      edit.after = effect.value;
    } else if (isRecord(edit.after) && isRecord(effect.value)) {
      edit.after = { ...edit.after, ...effect.value };
    } else {
      return { ok: false, code: 'effect-malformed' };
    }
  }
  let { event, values } = state;
  let changed = false;
  const changes: ContentChange[] = [];
  for (const [target, { before, after }] of edits) {
    if (jsonEqual(before, after)) continue;
    changed = true;
    const place = targets.get(target);
    if (place?.content) {
      changes.push({ target, value: after });
      values = { ...values, [target]: after };
    } else if (place !== undefined) {
      event = setAt(event, place.place, after);
    }
  }
  if (event !== state.event && !validateEvent(event).ok) return { ok: false, code: 'event-invalid' };
  return { ok: true, event, values, changed, changes };
}

function openEdit(state: ChainState, target: string, targets: ReadonlyMap<string, TargetPlace>): Edit | null {
  const place = targets.get(target);
  if (place === undefined) return null;
  const before = place.content
    ? Object.hasOwn(state.values, target)
      ? state.values[target]
      : undefined
    : (getAt(state.event, place.place) as JsonValue | undefined);
  return before === undefined ? null : { before, after: before };
}

function isRecord(value: unknown): value is { readonly [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isJsonNumber(value);
}
