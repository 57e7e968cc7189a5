import type { ExchangeResponse } from '../net/client.js';
import { NetError } from '../net/errors.js';
import { jsonMediaTypeProblem } from '../net/headers.js';
import { TransportError } from './transport.js';

/** The response bytes of a request, or a `TransportError`: only `200` with unencoded UTF-8 JSON is one. */
export function judgeAnswer(response: ExchangeResponse): Uint8Array {
  const { status } = response;
  if (status !== 200) throw statusError(status, '200');
  const problem = jsonMediaTypeProblem(response.headers);
  if (problem !== null) throw new TransportError('invalid-message', problem, { status });
  return response.body;
}

/** Accepts the response to a notification: only `202` or `204` without a body (wire page, HTTP binding). */
export function judgeAcknowledgement(response: ExchangeResponse): void {
  const { status } = response;
  if (status !== 202 && status !== 204) throw statusError(status, '202 or 204');
  if (response.body.byteLength > 0) {
    throw new TransportError('invalid-message', 'acknowledgement: expected no body, got one', { status });
  }
}

/** What a failed exchange means for a delivery. */
export function judgeFailure(error: unknown): TransportError {
  if (!(error instanceof NetError)) return TransportError.from(error);
  const options = { cause: error, status: error.status };
  if (error.code === 'response-too-large') {
    if (error.status === 401) return unauthorized();
    if (error.status !== 200) return new TransportError('status', error.message, options);
    return new TransportError('invalid-message', error.message, options);
  }
  if (error.code === 'header') return new TransportError('authentication', error.message, options);
  return new TransportError('connection', error.message, options);
}

/** The backend refused the credential, or wanted one that nobody has. */
export function unauthorized(): TransportError {
  return new TransportError('authentication', 'status: expected the credential to be taken, got 401', { status: 401 });
}

function statusError(status: number, expected: string): TransportError {
  if (status === 401) return unauthorized();
  const what = status >= 300 && status <= 399 ? ', a redirect, which is never followed' : '';
  return new TransportError('status', `status: expected ${expected}, got ${status}${what}`, { status });
}
