import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { ContentReference, InterceptRequest } from '../../generated/index.js';
import {
  applyElicitationEffects,
  ElicitationError,
  PendingElicitations,
  validateElicitationExchange,
} from '../../runtime/elicitation/index.js';
import { bodyItem, FORM, PRINCIPAL, requestEnvelope, resultEnvelope } from './support.js';

/** One elicitation of a session, whose bodies come when the test says so. */
class Open {
  readonly controller = new AbortController();
  readonly added = vi.spyOn(this.controller.signal, 'addEventListener');
  readonly removed = vi.spyOn(this.controller.signal, 'removeEventListener');
  readonly request: InterceptRequest;
  readonly result: InterceptRequest;
  readonly #waiting = new Map<string, (bytes: Uint8Array) => void>();
  readonly #early = new Set<string>();
  /** What the call came to, once it has. */
  settled: unknown;
  readonly #name: string;

  constructor(name: string, withEffects: boolean) {
    this.#name = name;
    const item = (side: string): object => ({ ...bodyItem(side), body: { ref: `${name}-${side}` } });
    const [asked, answered] = [`${name}-asked`, `${name}-answered`];
    this.request = requestEnvelope({
      envelope: { id: asked },
      event: { id: asked, elicitation: { server: 'crm', mode: 'form', request: item('request') } },
    });
    this.result = resultEnvelope({
      envelope: { id: answered },
      event: {
        id: answered,
        parentEventId: asked,
        elicitation: { server: 'crm', mode: 'form', action: 'accept', result: item('result') },
      },
    });
    const common = {
      request: this.request,
      result: this.result,
      resolveBody: (reference: ContentReference) => this.#resolve(reference),
      principal: PRINCIPAL,
      signal: this.controller.signal,
    };
    const edit = { type: 'modify', target: 'content', operation: 'merge', value: { retries: 1 } } as const;
    const call = withEffects
      ? applyElicitationEffects({ ...common, effects: [edit] })
      : validateElicitationExchange(common);
    call.then(
      (outcome) => {
        this.settled = outcome;
      },
      (error: unknown) => {
        this.settled = error;
      },
    );
  }

  /** Gives a body, also one that was not asked for yet. */
  give(side: 'request' | 'result'): void {
    const ref = `${this.#name}-${side}`;
    const waiting = this.#waiting.get(ref);
    if (waiting === undefined) this.#early.add(ref);
    else waiting(this.#bytesOf(ref));
  }

  #resolve({ ref }: ContentReference): Promise<Uint8Array> {
    if (this.#early.has(ref)) return Promise.resolve(this.#bytesOf(ref));
    return new Promise((resolve) => this.#waiting.set(ref, resolve));
  }

  #bytesOf(ref: string): Uint8Array {
    const answer = { action: 'accept', content: { branch: this.#name } };
    return new TextEncoder().encode(JSON.stringify(ref.endsWith('-request') ? FORM : answer));
  }
}

/** Lets everything happen that needs no more than promises. */
async function drain(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const NAMES = ['north', 'east', 'south', 'west'];
const STEPS = ['first request', 'first result', 'first abort', 'second request', 'second result', 'second abort'];

test('§2 two elicitations of one session settle in any order, and an abort publishes nothing of its own one', async () => {
  const schedule = fc.record({
    steps: fc.shuffledSubarray(STEPS),
    withEffects: fc.boolean(),
    drains: fc.array(fc.boolean(), { minLength: STEPS.length, maxLength: STEPS.length }),
  });
  await fc.assert(
    fc.asyncProperty(schedule, async ({ steps, withEffects, drains }) => {
      const pair = { first: new Open('first', withEffects), second: new Open('second', withEffects) };
      const begun = { first: new Set<string>(), second: new Set<string>() };
      for (const [index, step] of steps.entries()) {
        const [name, what] = step.split(' ') as ['first' | 'second', 'request' | 'result' | 'abort'];
        const open = pair[name];
        const wasDone = open.settled !== undefined;
        if (what === 'abort') open.controller.abort(`${name} stopped`);
        else open.give(what);
        if (!wasDone) begun[name].add(what);
        // An abort counts from its own turn on: nothing is published by what came before it and was not drained.
        if (what === 'abort' || drains[index] === true) await drain();
      }
      await drain();
      for (const name of ['first', 'second'] as const) {
        const { settled } = pair[name];
        const isAborted = begun[name].has('abort');
        const isComplete = begun[name].has('request') && begun[name].has('result');
        if (isAborted) expect(settled).toMatchObject({ code: 'aborted', cause: `${name} stopped` });
        else if (isComplete) expect(settled).toMatchObject({ result: { action: 'accept', content: { branch: name } } });
        else expect(settled).toBeUndefined();
      }
      // No listener outlives its call.
      for (const { settled, added, removed } of Object.values(pair)) {
        if (settled === undefined || settled instanceof ElicitationError) continue;
        expect(added).toHaveBeenCalledTimes(2);
        expect(removed).toHaveBeenCalledTimes(2);
      }
    }),
    { numRuns: 100 },
  );
});

test('§2 the pending requests of a session are found whichever result comes first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(NAMES, { minLength: 4 }), async (order) => {
      const pending = new PendingElicitations();
      const open = new Map(NAMES.map((name) => [name, new Open(name, false)]));
      for (const { request } of open.values()) pending.open(request);
      for (const name of order) {
        const own = open.get(name);
        if (own === undefined) throw new Error('no such elicitation');
        expect(pending.settle(own.result)).toBe(own.request);
        own.give('request');
        own.give('result');
      }
      await drain();
      for (const [name, { settled }] of open) expect(settled).toMatchObject({ result: { content: { branch: name } } });
    }),
    { numRuns: 24 },
  );
});
