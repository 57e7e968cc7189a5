import { describe as nodeDescribe, it as nodeIt } from 'node:test';
import { transportCases, type TransportPair, type TransportTraits } from './transport-cases.js';

/** The two functions that a test framework gives. vitest, node:test, Jest and Mocha have them. */
export interface TestFramework {
  describe(name: string, body: () => void): unknown;
  /** `timeoutMs` is what a test may take; frameworks that take no such argument ignore it. */
  it(name: string, body: () => Promise<void>, timeoutMs: number): unknown;
}

/** Settings of {@link testTransport}. */
export interface TestTransportOptions extends Partial<TransportTraits> {
  /** Found by itself when absent: vitest when it runs, global `describe` and `it`, else node:test. */
  readonly framework?: TestFramework;
}

const CASE_TIMEOUT_MS = 60_000;

const framework = await findFramework();

/**
 * Registers the suite that every transport must pass (Semantics §6). `makePair` makes a fresh transport and a peer for
 * each test; the peer does with each message what `scriptedReply` says.
 */
export function testTransport(
  name: string,
  makePair: () => Promise<TransportPair> | TransportPair,
  options: TestTransportOptions = {},
): void {
  const { describe, it } = options.framework ?? framework;
  const traits: TransportTraits = { concurrency: options.concurrency ?? 100 };
  describe(`transport: ${name}`, () => {
    for (const { name: caseName, run } of transportCases) {
      it(
        caseName,
        async () => {
          const pair = await makePair();
          try {
            await run(pair, traits);
          } finally {
            await pair.transport.close();
            await pair.close();
          }
        },
        CASE_TIMEOUT_MS,
      );
    }
  });
}

async function findFramework(): Promise<TestFramework> {
  if (process.env.VITEST !== undefined) {
    try {
      // Named through a variable, since vitest is the user's and no dependency of this package.
      const name = 'vitest';
      return (await import(name)) as TestFramework;
    } catch {
      // Not to be had from here: go on with what stands in the global scope.
    }
  }
  const globals = globalThis as Partial<TestFramework>;
  if (globals.describe !== undefined && globals.it !== undefined) {
    return { describe: globals.describe, it: globals.it };
  }
  return { describe: nodeDescribe, it: nodeIt };
}
