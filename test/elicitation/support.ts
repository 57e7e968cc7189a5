/** Envelopes, bodies and calls that the tests of elicitation vary. */

import type { ContentReference, InterceptRequest } from '../../generated/index.js';
import { encode, type JsonValue } from '../../generated/json/index.js';
import { ElicitationError, type ResolveBody } from '../../runtime/elicitation/index.js';
import { deepFreeze } from '../support/frozen.js';

export const PRINCIPAL = 'svc:approvals';

/** A form of one required text and two optional fields. */
export const FORM = {
  message: 'Which branch?',
  requestedSchema: {
    type: 'object',
    properties: {
      branch: { type: 'string', minLength: 2 },
      retries: { type: 'integer', minimum: 0, maximum: 5, default: 2 },
      notify: { type: 'boolean' },
    },
    required: ['branch'],
  },
};

export const URL_REQUEST = {
  mode: 'url',
  message: 'Sign in',
  url: 'https://as.example/authorize',
  elicitationId: 'x1',
};

/** Members that take the place of those of the usual envelope. */
export interface Variation {
  readonly envelope?: object;
  readonly event?: object;
  readonly elicitation?: object;
  readonly capabilities?: object;
}

export function requestEnvelope({ envelope, event, elicitation, capabilities }: Variation = {}): InterceptRequest {
  return deepFreeze({
    jsonrpc: '2.0',
    id: 'e-1',
    method: 'hooks/intercept',
    params: {
      protocolVersion: 'draft',
      event: {
        id: 'e-1',
        source: 'urn:example:harness',
        type: 'user.elicitation.request',
        time: '2026-10-05T12:00:00Z',
        session: { id: 's-1' },
        elicitation: { server: 'crm', mode: 'form', request: bodyItem('req'), ...elicitation },
        ...event,
      },
      capabilities: capabilities ?? { effects: ['return', 'deny', 'message'] },
    },
    ...envelope,
  }) as InterceptRequest;
}

export function resultEnvelope({ envelope, event, elicitation, capabilities }: Variation = {}): InterceptRequest {
  return deepFreeze({
    jsonrpc: '2.0',
    id: 'e-2',
    method: 'hooks/intercept',
    params: {
      protocolVersion: 'draft',
      event: {
        id: 'e-2',
        source: 'urn:example:harness',
        type: 'user.elicitation.result',
        time: '2026-10-05T12:00:01Z',
        parentEventId: 'e-1',
        session: { id: 's-1' },
        elicitation: { server: 'crm', mode: 'form', action: 'accept', result: bodyItem('res'), ...elicitation },
        ...event,
      },
      capabilities: capabilities ?? {
        effects: ['modify', 'message'],
        modify: { content: { replace: true, merge: true } },
      },
    },
    ...envelope,
  }) as InterceptRequest;
}

export function bodyItem(id: string): object {
  return { id, kind: 'elicitation', mediaType: 'application/json', selection: 'body', body: { ref: `ref-${id}` } };
}

export function gapItem(id: string): object {
  return {
    id,
    kind: 'elicitation',
    mediaType: 'application/json',
    selection: 'body',
    gap: { reason: 'permission_withheld' },
  };
}

export function viewItem(id: string, selection: 'metadata' | 'omit'): object {
  return { id, kind: 'elicitation', mediaType: 'application/json', selection };
}

/** Resolves the two usual references to these values, texts as they stand; records what it was asked for. */
export function bodies(
  request: unknown = FORM,
  result: unknown = { action: 'accept', content: { branch: 'main' } },
): { readonly resolveBody: ResolveBody; readonly asked: string[] } {
  const asked: string[] = [];
  const known: Record<string, unknown> = { 'ref-req': request, 'ref-res': result };
  return {
    asked,
    resolveBody: async ({ ref }: ContentReference) => {
      asked.push(ref);
      const body = known[ref];
      if (body === null || body === undefined) return null;
      if (body instanceof Uint8Array) return body;
      return new TextEncoder().encode(typeof body === 'string' ? body : encode(body as JsonValue));
    },
  };
}

/** The error that a call ends in; fails the test when it is none of this family. */
export async function failureOf(work: () => unknown): Promise<ElicitationError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ElicitationError) return error;
    throw error;
  }
  throw new Error('expected a rejection, got an outcome');
}

/** The code of the error that a call ends in. */
export async function codeOf(work: () => unknown): Promise<string> {
  return (await failureOf(work)).code;
}
