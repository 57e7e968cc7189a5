import { expect } from 'vitest';
import type { ContentReference, InterceptRequest } from '../../generated/index.js';
import { encode, jsonEqual, parse } from '../../generated/json/index.js';
import {
  applyElicitationEffects,
  ElicitationError,
  validateElicitationExchange,
  validateElicitationMode,
} from '../../runtime/elicitation/index.js';
import { conformanceSuite } from '../support/conformance.js';
import { deepFreeze } from '../support/frozen.js';

interface Row {
  readonly name: string;
  readonly operation: 'exchange' | 'effects' | 'mode';
  readonly principal?: string;
  readonly request?: InterceptRequest;
  readonly result?: InterceptRequest;
  readonly effects?: Parameters<typeof applyElicitationEffects>[0]['effects'];
  readonly bodies?: Readonly<Record<string, string | { readonly base64: string }>>;
  readonly mode?: 'form' | 'url';
  readonly capabilities?: Parameters<typeof validateElicitationMode>[1];
  readonly origin?: 'ahp' | 'mcp';
  readonly expected: {
    readonly outcome?: unknown;
    readonly capabilities?: unknown;
    readonly reject?: true;
    readonly resolved?: readonly string[];
  };
}

conformanceSuite<Row>('elicitation.json', async (given) => {
  const row = deepFreeze(structuredClone(given));
  const before = encode(row);
  const resolved: string[] = [];
  const outcome = await settle(() => run(row, resolved));
  expect(encode(row)).toBe(before);
  if (row.expected.resolved !== undefined) expect(resolved).toEqual(row.expected.resolved);
  if (row.expected.reject === true) {
    expect(outcome).toBeInstanceOf(ElicitationError);
    return;
  }
  if (outcome instanceof Error) throw outcome;
  const expected = row.operation === 'mode' ? row.expected.capabilities : row.expected.outcome;
  expect(expected).toBeDefined();
  if (!jsonEqual(outcome, expected)) expect(outcome).toEqual(expected);
  // As JSON text too: nothing that encoding would leave out or refuse.
  const text = parse(encode(outcome));
  expect(text.ok && jsonEqual(text.value, expected)).toBe(true);
});

async function settle(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error;
  }
}

function run(row: Row, resolved: string[]): unknown {
  if (row.operation === 'mode') {
    return validateElicitationMode(row.mode as 'form', row.capabilities, row.origin);
  }
  const { request, result, principal } = row as Required<Row>;
  const resolveBody = async ({ ref }: ContentReference): Promise<Uint8Array | null> => {
    resolved.push(ref);
    const body = row.bodies?.[ref];
    if (body === undefined) return null;
    return typeof body === 'string' ? new TextEncoder().encode(body) : Buffer.from(body.base64, 'base64');
  };
  if (row.operation === 'exchange') return validateElicitationExchange({ request, result, resolveBody, principal });
  return applyElicitationEffects({ request, result, effects: row.effects ?? [], resolveBody, principal });
}
