/**
 * Random runs against a small model of Semantics §3 that is written apart from the code under test: it keeps no
 * staging state, it replays what was accepted so far from the start.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompactionHook, type CompactionSnapshot, runCompaction } from '../../runtime/compaction/index.js';
import { deepFreeze } from '../support/frozen.js';

type Effect = Readonly<Record<string, unknown>> & { readonly type: string };

interface Response {
  readonly supplier: string;
  readonly policy: 'fail-open' | 'fail-closed';
  readonly answer: readonly Effect[] | 'throws' | 'no list';
}

const text = fc.constantFrom('i', 'a', 'b', '');
const modify = (target: string) =>
  fc.record({
    type: fc.constant('modify'),
    target: fc.constant(target),
    operation: fc.constant('replace'),
    value: text,
  });
const shared = [
  fc.record({ type: fc.constant('message'), text }),
  fc.constantFrom<Effect>(
    { type: 'allow' },
    { type: 'summon' },
    { type: 'message' },
    { type: 'return', value: 1 },
    { type: 'modify', target: 'instructions', operation: 'merge', value: {} },
    { type: 'inject', target: 'context', operation: 'append', deliverAt: 'now', value: 'a' },
  ),
] as const;
const beforeEffect = fc.oneof(
  { weight: 4, arbitrary: modify('instructions') },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('return'), value: text }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('deny'), reason: fc.constantFrom('r1', 'r2', '') }) },
  { weight: 3, arbitrary: shared[0] },
  { weight: 1, arbitrary: shared[1] },
  { weight: 1, arbitrary: modify('summary') },
);
const afterEffect = fc.oneof(
  { weight: 5, arbitrary: modify('summary') },
  { weight: 3, arbitrary: shared[0] },
  { weight: 1, arbitrary: shared[1] },
  { weight: 1, arbitrary: modify('instructions') },
);

const response = (effect: fc.Arbitrary<Effect>): fc.Arbitrary<Response> =>
  fc.record({
    supplier: fc.constantFrom('s1', 's2', 's3'),
    policy: fc.constantFrom('fail-open', 'fail-closed'),
    answer: fc.oneof(
      { weight: 8, arbitrary: fc.array(effect, { maxLength: 4 }) },
      { weight: 1, arbitrary: fc.constantFrom('throws' as const, 'no list' as const) },
    ),
  });

function isAcceptable(boundary: 'before' | 'after', answer: Response['answer']): answer is readonly Effect[] {
  if (typeof answer === 'string') return false;
  return answer.every((effect) => {
    if (effect.type === 'message') return typeof effect.text === 'string';
    if (effect.type === 'modify') {
      return effect.target === (boundary === 'before' ? 'instructions' : 'summary') && effect.operation === 'replace';
    }
    if (boundary === 'after') return false;
    if (effect.type === 'return') return typeof effect.value === 'string';
    return effect.type === 'deny' && effect.reason !== '';
  });
}

function model(before: readonly Response[], after: readonly Response[]) {
  const accepted: Response[] = [];
  const failures: unknown[] = [];
  const seen: unknown[] = [];
  let ended: 'denied' | 'failed' | null = null;

  const effectsOf = (responses: readonly Response[]) => responses.map(({ answer }) => answer as readonly Effect[]);
  const instructionsAfter = (responses: readonly Response[]): string =>
    String(
      effectsOf(responses)
        .flat()
        .findLast(({ type }) => type === 'modify')?.value ?? 'i',
    );
  const textsOf = (responses: readonly Response[]) =>
    effectsOf(responses).flatMap((effects) =>
      effects.flatMap(({ type, text: line }) => (type === 'message' ? [line] : [])),
    );

  for (const item of before) {
    if (ended !== null) break;
    seen.push(['before', instructionsAfter(accepted), null, textsOf(accepted)]);
    if (isAcceptable('before', item.answer)) {
      accepted.push(item);
      if (item.answer.some(({ type }) => type === 'deny')) ended = 'denied';
    } else {
      failures.push({ boundary: 'before', supplier: item.supplier });
      if (item.policy === 'fail-closed') ended = 'failed';
    }
  }
  const instructions = instructionsAfter(accepted);
  const reason =
    effectsOf(accepted)
      .flat()
      .find(({ type }) => type === 'deny')?.reason ?? null;
  const common = { instructions, reason, denied: ended === 'denied', failures, seen };
  if (ended !== null) {
    const messages = textsOf(accepted);
    return { ...common, applied: false, generated: false, summary: null, texts: [], messages, provenance: null };
  }
  // The last return counts when no later response changed the instructions.
  const supplying = accepted.findLastIndex(({ answer }) =>
    (answer as readonly Effect[]).some(({ type }) => type === 'return'),
  );
  const isBound = accepted.every(
    (_item, index) =>
      index <= supplying ||
      instructionsAfter(accepted.slice(0, index + 1)) === instructionsAfter(accepted.slice(0, index)),
  );
  const supplier = isBound ? accepted[supplying] : undefined;
  const first =
    supplier === undefined
      ? `summary:${instructions}`
      : String((supplier.answer as readonly Effect[]).findLast(({ type }) => type === 'return')?.value);

  const texts = new Set([first]);
  const acceptedAfter: Response[] = [];
  const summaryAfter = (): string =>
    String(
      effectsOf(acceptedAfter)
        .flat()
        .findLast(({ type }) => type === 'modify')?.value ?? first,
    );
  let applied = true;
  for (const item of after) {
    if (!applied) break;
    seen.push(['after', instructions, summaryAfter(), [...textsOf(accepted), ...textsOf(acceptedAfter)]]);
    if (isAcceptable('after', item.answer)) {
      acceptedAfter.push(item);
      texts.add(summaryAfter());
    } else {
      failures.push({ boundary: 'after', supplier: item.supplier });
      applied = item.policy === 'fail-open';
    }
  }
  return {
    ...common,
    applied,
    generated: supplier === undefined,
    summary: summaryAfter(),
    texts: [...texts],
    messages: [...textsOf(accepted), ...textsOf(acceptedAfter)],
    provenance: supplier === undefined ? { kind: 'generated' } : { kind: 'supplied', supplier: supplier.supplier },
  };
}

describe('§3 random runs', () => {
  it('agree with the model, and leave frozen inputs as they were', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(response(beforeEffect), { maxLength: 5 }),
        fc.array(response(afterEffect), { maxLength: 5 }),
        async (before, after) => {
          deepFreeze([before, after]);
          const seen: unknown[] = [];
          const hook = ({ supplier, policy, answer }: Response): CompactionHook<never> => ({
            supplier,
            failurePolicy: policy,
            run(snapshot: CompactionSnapshot) {
              const { boundary, instructions, summary, messages } = snapshot;
              seen.push([boundary, instructions, summary?.text ?? null, messages]);
              if (answer === 'throws') throw new Error('thrown');
              return answer as never;
            },
          });
          const outcome = await runCompaction({
            instructions: 'i',
            before: before.map(hook),
            after: after.map(hook),
            generate: (instructions) => `summary:${instructions}`,
          });
          const { summary, bodies, ...rest } = outcome;
          expect({ ...rest, summary: summary?.text ?? null, texts: [...bodies.values()], seen }).toEqual(
            model(before, after),
          );
        },
      ),
      { numRuns: 400 },
    );
  });
});
