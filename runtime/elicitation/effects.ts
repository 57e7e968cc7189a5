import { type Capabilities, type ElicitResult, type KnownEffect, validateEffect } from '../../generated/index.js';
import type { JsonValue } from '../../generated/json/index.js';
import { isObject } from '../../generated/support/codec.js';
import { freezeDeep, snapshot } from '../wire/freeze.js';
import { readSelection, readStagedResult, requireLive } from './bodies.js';
import { checkAnswer, checkContentPlace, isAcceptedForm } from './cross-checks.js';
import { readExchange, readRequest, type RequestSide, requirePrincipal, type ResultSide } from './envelopes.js';
import { ElicitationError } from './errors.js';
import { resolveAsked, resolveExchange } from './exchange.js';
import type { ElicitationEffects, ElicitationProvenance, ResolveBody, StagedElicitation } from './types.js';

type ModifyEffect = Extract<KnownEffect, { readonly type: 'modify' }>;

/** What a call works on, once the envelopes and the list were found sound. */
interface Staging {
  readonly effects: readonly KnownEffect[];
  readonly resolveBody: ResolveBody;
  readonly signal: AbortSignal;
  readonly authenticatedSource: string;
}

/**
 * Stages a whole list of effects at the request boundary, or with `result` at the result boundary (Semantics §2):
 * envelopes first, then the list (canonical, granted, one terminal effect), then the bodies, then the staged result.
 * Gives the bodies as they are afterwards, with hook provenance. Rejects the whole list with an ElicitationError and
 * publishes nothing. Inputs stay as they are, the outcome is frozen.
 */
export async function applyElicitationEffects(options: ElicitationEffects): Promise<StagedElicitation> {
  const { request, result, effects, resolveBody, principal, signal = new AbortController().signal } = options;
  requireLive(signal);
  const authenticatedSource = requirePrincipal(principal);
  if (result === undefined) {
    const side = readRequest(request);
    const staging = { effects: readEffects(effects, side.capabilities), resolveBody, signal, authenticatedSource };
    return freezeDeep(await stageAtRequest(side, staging));
  }
  const sides = readExchange(request, result);
  const granted = readEffects(effects, sides.result.capabilities);
  return freezeDeep(await stageAtResult(sides, { effects: granted, resolveBody, signal, authenticatedSource }));
}

async function stageAtRequest(side: RequestSide, staging: Staging): Promise<StagedElicitation> {
  const body = await resolveAsked(side, staging.resolveBody, staging.signal);
  if (body === null) throw notSelected('request');
  const [index, terminal] = [...staging.effects.entries()].find(([, effect]) => isTerminal(effect)) ?? [];
  if (terminal === undefined) return publish(staging, { request: body });
  const supplied = terminal.type === 'return' ? terminal.value : { action: 'decline' };
  const result = readStagedResult(supplied, `/effects/${index}/value`);
  checkContentPlace(result, side.event.elicitation.mode);
  checkAnswer(body, result);
  return publish(staging, { request: body, result });
}

async function stageAtResult(
  sides: { readonly request: RequestSide; readonly result: ResultSide },
  staging: Staging,
): Promise<StagedElicitation> {
  // Told before anything is resolved; gaps come first, which are missing bodies.
  const { request, result } = { request: sides.request.event.elicitation, result: sides.result.event.elicitation };
  const asked = readSelection(request.request, '/request/params/event/elicitation/request');
  const answered = readSelection(result.result, '/result/params/event/elicitation/result');
  if (asked.selected === null) throw notSelected('request');
  if (answered.selected === null) throw notSelected('result');
  const bodies = await resolveExchange(sides, staging.resolveBody, staging.signal);
  if (bodies.request === null || bodies.result === null) throw notSelected('result');
  const edits = staging.effects.filter((effect) => effect.type === 'modify');
  if (edits.length === 0) return publish(staging, { request: bodies.request, result: bodies.result });
  if (!isAcceptedForm(bodies.result, result.mode)) {
    throw new ElicitationError('unexpected-content', '/effects', 'Edit: expected an accepted form, got none');
  }
  const staged = readStagedResult(editContent(bodies.result, edits), '/effects');
  checkAnswer(bodies.request, staged);
  return publish(staging, { request: bodies.request, result: staged });
}

/** Edits in order; only what they come to in the end has to be valid. */
function editContent(result: ElicitResult, edits: readonly ModifyEffect[]): object {
  let content: object = result.content ?? {};
  for (const { operation, value } of edits) {
    const edit = value as { readonly [name: string]: JsonValue };
    content = operation === 'merge' ? { ...content, ...edit } : edit;
  }
  return { ...result, content };
}

function publish(
  { effects, authenticatedSource }: Staging,
  bodies: Pick<StagedElicitation, 'request' | 'result'>,
): StagedElicitation {
  const messages = effects.flatMap((effect) => (effect.type === 'message' ? [effect.text] : []));
  const types = effects.flatMap(({ type }) =>
    type === 'return' || type === 'deny' || type === 'modify' ? [type] : [],
  );
  const provenance: ElicitationProvenance =
    types.length === 0 ? { kind: 'mcp', authenticatedSource } : { kind: 'hook', authenticatedSource, effects: types };
  return { ...bodies, provenance, externalCompletion: false, ...(messages.length === 0 ? {} : { messages }) };
}

/** A frozen copy of the list: not empty, each effect canonical and granted, at most one that ends the elicitation. */
function readEffects(given: unknown, capabilities: Capabilities): readonly KnownEffect[] {
  const effects = copyList(given);
  if (effects.length === 0) throw new ElicitationError('empty-effects', '/effects', 'Effects: expected some, got none');
  const canonical = effects.map(requireCanonical);
  for (const [index, effect] of canonical.entries()) requireGranted(effect, capabilities, index);
  const terminals = canonical.flatMap((effect, index) => (isTerminal(effect) ? [index] : []));
  if (terminals.length < 2) return canonical;
  const message = `Effects: expected at most one return or deny, got ${terminals.length}`;
  throw new ElicitationError('effect-conflict', `/effects/${terminals[1]}`, message);
}

function copyList(given: unknown): readonly unknown[] {
  try {
    const copy = snapshot(given);
    if (Array.isArray(copy)) return copy;
  } catch (cause) {
    throw new ElicitationError('effect-malformed', '/effects', 'Effects: expected JSON, got other data', { cause });
  }
  throw new ElicitationError('effect-malformed', '/effects', `Effects: expected a list, got ${typeof given}`);
}

function requireCanonical(effect: unknown, index: number): KnownEffect {
  const checked = validateEffect(effect);
  if (!checked.ok) {
    const message = 'Effect: expected a canonical one, got one that is invalid';
    throw new ElicitationError('effect-malformed', `/effects/${index}`, message, { issues: checked.issues });
  }
  const known: KnownEffect = checked.value;
  // Answers are members of an object, so both operations need one.
  if (known.type === 'modify' && !isObject(known.value)) {
    const message = 'Edit: expected an object of answers, got another value';
    throw new ElicitationError('effect-malformed', `/effects/${index}/value`, message);
  }
  return known;
}

function requireGranted(effect: KnownEffect, { effects, modify }: Capabilities, index: number): void {
  const isGranted =
    effects.includes(effect.type) &&
    (effect.type !== 'modify' || (effect.target === 'content' && grants(modify?.content, effect.operation)));
  if (isGranted) return;
  const message = `Effect: expected one that is granted, got ${effect.type}`;
  throw new ElicitationError('effect-not-granted', `/effects/${index}`, message);
}

function grants(granted: object | undefined, operation: string): boolean {
  return granted !== undefined && Object.hasOwn(granted, operation) && Reflect.get(granted, operation) === true;
}

function isTerminal(effect: KnownEffect): effect is Extract<KnownEffect, { readonly type: 'return' | 'deny' }> {
  return effect.type === 'return' || effect.type === 'deny';
}

function notSelected(side: 'request' | 'result'): ElicitationError {
  const place = `/${side}/params/event/elicitation/${side}`;
  return new ElicitationError('not-selected', place, `Effects: expected the ${side}'s body, which was not selected`);
}
