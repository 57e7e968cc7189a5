import { freezeDeep } from '../wire/freeze.js';
import { readSelection, requireLive, resolveRequest, resolveResult } from './bodies.js';
import { checkAnswer, checkRequestBody, checkResultBody } from './cross-checks.js';
import { readExchange, type RequestSide, requirePrincipal, type ResultSide } from './envelopes.js';
import type { ElicitationExchange, ElicitationOutcome, ResolveBody } from './types.js';

const REQUEST_ITEM = '/request/params/event/elicitation/request';
const RESULT_ITEM = '/result/params/event/elicitation/result';

/**
 * Whether a result answers its request (Semantics §2): principal, canonical envelopes, correlation, metadata, then the
 * selected bodies and the checks between them. No body is resolved before correlation and metadata hold.
 * Gives both bodies, or, where one was not selected, what was selected. Rejects with an ElicitationError; the caller
 * then applies its own failure policy. Inputs stay as they are, the outcome is frozen.
 */
export async function validateElicitationExchange(exchange: ElicitationExchange): Promise<ElicitationOutcome> {
  const { request, result, resolveBody, principal, signal = new AbortController().signal } = exchange;
  requireLive(signal);
  const authenticatedSource = requirePrincipal(principal);
  const sides = readExchange(request, result);
  const bodies = await resolveExchange(sides, resolveBody, signal);
  const provenance = { kind: 'mcp', authenticatedSource } as const;
  if (bodies.request === null || bodies.result === null) {
    const { selection } = bodies;
    return freezeDeep({ selection, bodyValidation: 'not-selected', provenance, externalCompletion: false });
  }
  return freezeDeep({ request: bodies.request, result: bodies.result, provenance, externalCompletion: false });
}

/** Steps 5 and 6: null for a body that was not selected. */
export async function resolveExchange(
  { request, result }: { readonly request: RequestSide; readonly result: ResultSide },
  resolveBody: ResolveBody,
  signal: AbortSignal,
) {
  const asked = readSelection(request.event.elicitation.request, REQUEST_ITEM);
  const answered = readSelection(result.event.elicitation.result, RESULT_ITEM);
  const source = { resolveBody, signal };
  const requestBody =
    asked.selected === null ? null : await resolveRequest({ ...source, selected: asked.selected, place: REQUEST_ITEM });
  const resultBody =
    answered.selected === null
      ? null
      : await resolveResult({ ...source, selected: answered.selected, place: RESULT_ITEM });
  if (requestBody !== null) checkRequestBody(requestBody, request);
  if (resultBody !== null) checkResultBody(resultBody, result);
  if (requestBody !== null && resultBody !== null) checkAnswer(requestBody, resultBody);
  const selection = { request: asked.selection, result: answered.selection };
  return { request: requestBody, result: resultBody, selection };
}

/** Steps 5 and 6 at the request boundary: null when the body was not selected. */
export async function resolveAsked(request: RequestSide, resolveBody: ResolveBody, signal: AbortSignal) {
  const { selected } = readSelection(request.event.elicitation.request, REQUEST_ITEM);
  if (selected === null) return null;
  const body = await resolveRequest({ selected, resolveBody, signal, place: REQUEST_ITEM });
  checkRequestBody(body, request);
  return body;
}
