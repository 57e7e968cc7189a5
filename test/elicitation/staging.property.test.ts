import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KnownEffect } from '../../generated/index.js';
import { encode, jsonEqual } from '../../generated/json/index.js';
import { applyElicitationEffects, ElicitationError } from '../../runtime/elicitation/index.js';
import { deepFreeze, isDeepFrozen } from '../support/frozen.js';
import {
  bodies,
  bodyItem,
  FORM,
  gapItem,
  PRINCIPAL,
  requestEnvelope,
  resultEnvelope,
  URL_REQUEST,
  viewItem,
} from './support.js';

/** Staging of random lists of effects against a model of the rules in a few lines, at both boundaries. */

type Answers = Readonly<Record<string, unknown>>;
interface Result {
  readonly action: string;
  readonly content?: Answers;
  readonly kept?: number;
}
interface Effect {
  readonly type: string;
  readonly target?: string;
  readonly operation?: string;
  readonly reason?: string;
  readonly text?: string;
  readonly value?: unknown;
}
type Selection = 'body' | 'metadata' | 'omit' | 'gap';
interface Scenario {
  readonly mode: 'form' | 'url';
  readonly base: Result | null;
  readonly asked: Selection;
  readonly answered: Selection;
  readonly grants: readonly string[];
  readonly operations: { readonly replace: boolean; readonly merge: boolean };
  readonly effects: readonly Effect[];
}
interface Staged {
  readonly result: Result | null;
  readonly types: readonly string[];
  readonly messages: readonly string[];
}

const answers: fc.Arbitrary<Answers> = fc.record(
  {
    branch: fc.constantFrom<unknown>('main', 'dev', 'x', null),
    retries: fc.constantFrom<unknown>(0, 5, 6, 1.5),
    notify: fc.constantFrom<unknown>(true, null),
    ['__proto__']: fc.constantFrom<unknown>('undeclared'),
  },
  { requiredKeys: [] },
);
const sound: fc.Arbitrary<Answers> = fc.record(
  { branch: fc.constantFrom('main', 'dev'), retries: fc.constantFrom(0, 5), notify: fc.boolean() },
  { requiredKeys: ['branch'] },
);
const result: fc.Arbitrary<Result> = fc.oneof(
  fc.record({ action: fc.constant('accept'), content: sound, kept: fc.constant(1) }, { requiredKeys: ['action'] }),
  fc.record(
    { action: fc.constantFrom('accept', 'decline', 'cancel', 'shrug'), content: answers },
    { requiredKeys: ['action'] },
  ),
);
const effect: fc.Arbitrary<Effect> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('return'), value: result }) },
  { weight: 2, arbitrary: fc.constant({ type: 'deny', reason: 'no' }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('message'), text: fc.constantFrom('one', 'two') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('modify'),
      target: fc.constant('content'),
      operation: fc.constantFrom('replace', 'merge'),
      value: fc.oneof(sound, answers),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Effect>(
      { type: 'deny' },
      { type: 'summon' },
      { type: 'modify', target: 'content', operation: 'replace', value: 'text' },
      { type: 'modify', target: 'prompt', operation: 'replace', value: {} },
    ),
  },
);
const selection = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Selection>('body') },
  { weight: 1, arbitrary: fc.constantFrom<Selection>('metadata', 'omit', 'gap') },
);
const scenarios: fc.Arbitrary<Scenario> = fc
  .record({ mode: fc.constantFrom('form', 'url'), atResult: fc.boolean(), content: sound, isAccepted: fc.boolean() })
  .chain(({ mode, atResult, content, isAccepted }) =>
    fc.record<Scenario>({
      mode: fc.constant(mode),
      base: fc.constant(!atResult ? null : baseOf(mode, isAccepted, content)),
      asked: selection,
      answered: selection,
      grants: fc.subarray(atResult ? ['modify', 'message'] : ['return', 'deny', 'message'], { minLength: 1 }),
      operations: fc.constantFrom(
        { replace: true, merge: true },
        { replace: true, merge: true },
        { replace: true, merge: false },
        { replace: false, merge: true },
      ),
      effects: fc.array(
        effect.filter(({ type }) => (atResult ? type !== 'return' : type !== 'modify')),
        { maxLength: 4 },
      ),
    }),
  );

function baseOf(mode: 'form' | 'url', isAccepted: boolean, content: Answers): Result {
  if (!isAccepted) return { action: 'decline' };
  return mode === 'form' ? { action: 'accept', content, kept: 2 } : { action: 'accept' };
}

/** The code of the rule that the scenario breaks first, or what it comes to. */
function model({ mode, base, asked, answered, grants, operations, effects }: Scenario): string | Staged {
  if (effects.length === 0) return 'empty-effects';
  const isMalformed = ({ type, reason, value }: Effect): boolean =>
    type === 'summon' || (type === 'deny' && reason === undefined) || (type === 'modify' && value === 'text');
  if (effects.some(isMalformed)) return 'effect-malformed';
  const isGranted = ({ type, target, operation }: Effect): boolean =>
    grants.includes(type) &&
    (type !== 'modify' || (target === 'content' && operations[operation as 'replace' | 'merge']));
  if (!effects.every(isGranted)) return 'effect-not-granted';
  const terminals = effects.filter(({ type }) => type === 'return' || type === 'deny');
  if (terminals.length > 1) return 'effect-conflict';
  const views = base === null ? [asked] : [asked, answered];
  if (views.includes('gap')) return 'missing-body';
  if (views.some((view) => view !== 'body')) return 'not-selected';

  const types = effects.map(({ type }) => type).filter((type) => type !== 'message');
  const messages = effects.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const [terminal] = terminals;
  if (base === null) {
    if (terminal === undefined) return { result: null, types, messages };
    const supplied = terminal.type === 'deny' ? { action: 'decline' } : (terminal.value as Result);
    return fault(mode, supplied) ?? { result: supplied, types, messages };
  }
  if (types.length === 0) return { result: base, types, messages };
  if (mode !== 'form' || base.action !== 'accept') return 'unexpected-content';
  const edits = effects.filter(({ type }) => type === 'modify');
  let members = new Map(Object.entries(base.content ?? {}));
  for (const { operation, value } of edits) {
    members = new Map([...(operation === 'merge' ? members : []), ...Object.entries(value as Answers)]);
  }
  const edited = { ...base, content: Object.fromEntries(members) };
  return fault(mode, edited) ?? { result: edited, types, messages };
}

function fault(mode: string, { action, content }: Result): string | null {
  if (action === 'shrug' || Object.values(content ?? {}).includes(null)) return 'body-not-mcp';
  const isForm = mode === 'form' && action === 'accept';
  if (content !== undefined && !isForm) return 'unexpected-content';
  const { branch, retries } = content ?? {};
  const isSound = (branch === 'main' || branch === 'dev') && (retries === undefined || retries === 0 || retries === 5);
  return isForm && !isSound ? 'answer-invalid' : null;
}

function itemOf(id: string, view: Selection): object {
  if (view === 'body') return bodyItem(id);
  return view === 'gap' ? gapItem(id) : viewItem(id, view);
}

async function stage({ mode, base, asked, answered, grants, operations, effects }: Scenario): Promise<unknown> {
  const capabilities = {
    effects: grants,
    ...(base === null || !grants.includes('modify') ? {} : { modify: { content: operations } }),
  };
  const { resolveBody } = bodies(mode === 'form' ? FORM : URL_REQUEST, base ?? undefined);
  return await applyElicitationEffects({
    request: requestEnvelope({
      elicitation: { mode, request: itemOf('req', asked) },
      ...(base === null ? { capabilities } : {}),
    }),
    ...(base === null
      ? {}
      : {
          result: resultEnvelope({
            elicitation: { mode, action: base.action, result: itemOf('res', answered) },
            capabilities,
          }),
        }),
    effects: effects as readonly KnownEffect[],
    resolveBody,
    principal: PRINCIPAL,
  });
}

test('§2 random lists of effects are staged, or refused, as the model says, and frozen inputs stay', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const before = encode(deepFreeze(scenario.effects) as never);
      const expected = model(scenario);
      const kind = typeof expected === 'string' ? expected : `staged ${scenario.base === null ? 'request' : 'result'}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      let actual: unknown;
      try {
        actual = await stage(scenario);
      } catch (error) {
        if (!(error instanceof ElicitationError)) throw error;
        actual = error.code;
      }
      expect(encode(scenario.effects as never)).toBe(before);
      if (typeof expected === 'string') {
        expect(actual).toBe(expected);
        return;
      }
      const { result: staged, types, messages } = expected;
      const outcome = {
        request: scenario.mode === 'form' ? FORM : URL_REQUEST,
        ...(staged === null ? {} : { result: staged }),
        provenance:
          types.length === 0
            ? { kind: 'mcp', authenticatedSource: PRINCIPAL }
            : { kind: 'hook', authenticatedSource: PRINCIPAL, effects: types },
        externalCompletion: false,
        ...(messages.length === 0 ? {} : { messages }),
      };
      if (!jsonEqual(actual, outcome)) expect(actual).toEqual(outcome);
      expect(isDeepFrozen(actual)).toBe(true);
    }),
    { numRuns: 400, seed: 20_261_005 },
  );
  // The scenarios reach every rule that they are about.
  for (const kind of [
    'empty-effects',
    'effect-malformed',
    'effect-not-granted',
    'effect-conflict',
    'missing-body',
    'not-selected',
    'body-not-mcp',
    'unexpected-content',
    'answer-invalid',
    'staged request',
    'staged result',
  ]) {
    expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0);
  }
});
