import { type Authentication, isKnownAuthentication } from '../../generated/index.js';
import { bearerAuthorization } from '../net/headers.js';
import { raceAbort } from '../wire/abort.js';
import { CredentialsError } from './errors.js';
import type { CredentialProvider, CredentialPurpose, CredentialRequest, RejectedCredential } from './types.js';

/** What an exchange with a credential needs to know. */
export interface CredentialUse {
  /** Absent: nothing is asked for, and nothing is sent as a credential. */
  readonly binding: Authentication | undefined;
  readonly credentials: CredentialProvider | undefined;
  readonly endpoint: string;
  readonly purpose: CredentialPurpose;
  readonly signal: AbortSignal;
}

/** The part of a response that decides whether another credential is tried. */
export interface ChallengedResponse {
  readonly status: number;
  /** The `WWW-Authenticate` text, or null. */
  readonly challenge: string | null;
}

/**
 * Runs an exchange with the credential that its binding asks for (Semantics §6). After a 401 the provider is asked
 * once more, with the refused token and the challenge; only another token is tried, once. Gives the last response,
 * which may still be a 401. Without a binding the exchange runs once, with no credential.
 * Rejects with `CredentialsError` when no credential came, so that nothing was sent, and with what `send` rejects with.
 */
export async function exchangeWithCredential<R extends ChallengedResponse>(
  use: CredentialUse,
  send: (authorization: string | null) => Promise<R>,
): Promise<R> {
  if (use.binding === undefined) return send(null);
  const first = await resolveCredential(use.binding, use);
  const response = await send(authorize(first));
  if (response.status !== 401) return response;
  let second: string;
  try {
    second = await resolveCredential(use.binding, use, { token: first, challenge: response.challenge });
  } catch (error) {
    // The 401 is the answer: a provider that has nothing better does not turn it into another failure.
    if (use.signal.aborted) throw error;
    return response;
  }
  return second === first ? response : send(authorize(second));
}

/**
 * Asks the provider for one token. Rejects with `CredentialsError`: `configuration` without a provider or
 * for a binding of unknown type, `unavailable`
 * when it has none or fails, `malformed` for a token that no header can carry, `aborted`.
 */
export async function resolveCredential(
  binding: Authentication,
  use: Omit<CredentialUse, 'binding'>,
  rejected?: RejectedCredential,
): Promise<string> {
  const { credentials, endpoint, purpose, signal } = use;
  if (!isKnownAuthentication(binding)) {
    throw new CredentialsError('configuration', 'credential: expected a bearer or oauth binding, got another');
  }
  if (credentials === undefined) {
    throw new CredentialsError('configuration', 'credential: expected a provider for this binding, got none');
  }
  const request: CredentialRequest = { endpoint, purpose, signal, ...(rejected === undefined ? {} : { rejected }) };
  let found: unknown;
  try {
    found = await raceAbort(credentials.resolve(binding, request), signal);
  } catch (error) {
    if (signal.aborted)
      throw new CredentialsError('aborted', 'credential: ended by its signal', { cause: signal.reason });
    if (error instanceof CredentialsError) throw error;
    throw new CredentialsError('unavailable', 'credential: expected the provider to answer, got an error', {
      cause: error,
    });
  }
  if (typeof found !== 'object' || found === null || !('token' in found) || typeof found.token !== 'string') {
    throw new CredentialsError('unavailable', 'credential: expected a token from the provider, got none');
  }
  return found.token;
}

function authorize(token: string): string {
  try {
    return bearerAuthorization(token);
  } catch {
    // The header check names no value, but its error is about headers; callers want to know about the credential.
    throw new CredentialsError('malformed', 'credential: expected a token that a header can carry, got another');
  }
}
