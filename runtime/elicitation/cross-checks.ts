import type { ElicitResult, KnownElicitRequestParams } from '../../generated/index.js';
import { checkAnswers } from './answer-check.js';
import type { RequestSide, ResultSide } from './envelopes.js';
import { ElicitationError } from './errors.js';

/** The mode that a request body means; an absent one is interpreted, never written. */
function modeOf(body: KnownElicitRequestParams): string {
  return body.mode ?? 'form';
}

/** Step 6, as far as the request's body and its event say: `mode-mismatch`. */
export function checkRequestBody(body: KnownElicitRequestParams, { event }: RequestSide): void {
  if (modeOf(body) === event.elicitation.mode) return;
  const place = '/request/params/event/elicitation/mode';
  throw new ElicitationError('mode-mismatch', place, "Request: expected its body's mode, got another");
}

/** Step 6, as far as the result's body and its event say: `action-mismatch`, `unexpected-content`. */
export function checkResultBody(body: ElicitResult, { event }: ResultSide): void {
  if (body.action !== event.elicitation.action) {
    const place = '/result/params/event/elicitation/action';
    throw new ElicitationError('action-mismatch', place, "Result: expected its body's action, got another");
  }
  checkContentPlace(body, event.elicitation.mode);
}

/** Content belongs to accepted forms alone: `unexpected-content`. */
export function checkContentPlace(result: ElicitResult, mode: string): void {
  if (result.content === undefined || isAcceptedForm(result, mode)) return;
  const came = result.action === 'accept' ? 'an accepted URL' : 'no acceptance';
  throw new ElicitationError('unexpected-content', '', `Content: expected an accepted form beside it, got ${came}`);
}

export function isAcceptedForm(result: ElicitResult, mode: string): boolean {
  return mode === 'form' && result.action === 'accept';
}

/** Step 6, what needs both bodies: accepted answers satisfy the form. `answer-invalid`, `schema-unusable`. */
export function checkAnswer(request: KnownElicitRequestParams, result: ElicitResult): void {
  if (request.mode === 'url' || !isAcceptedForm(result, modeOf(request))) return;
  const verdict = checkAnswers(request.requestedSchema, result.content ?? {});
  if (verdict.ok) return;
  const { issues } = verdict;
  if (verdict.reason === 'schema') {
    const message = 'Requested schema: expected a valid JSON Schema of 2020-12, got one that is not';
    throw new ElicitationError(
      'schema-unusable',
      '',
      message,
      verdict.cause === undefined ? {} : { cause: verdict.cause },
    );
  }
  throw new ElicitationError('answer-invalid', '', 'Answers: expected to satisfy the form, do not', { issues });
}
