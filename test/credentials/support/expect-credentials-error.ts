import { inspect } from 'node:util';
import { expect } from 'vitest';
import { CredentialsError } from '../../../runtime/credentials/index.js';

/** The error of a promise that must reject with a `CredentialsError` of this code. */
export async function credentialsErrorOf(promise: unknown, code: string): Promise<CredentialsError> {
  const error: unknown = await Promise.resolve(promise).then(
    () => {
      throw new Error(`expected a CredentialsError with code ${code}, got a result`);
    },
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CredentialsError);
  if (!(error instanceof CredentialsError)) throw error;
  expect({ code: error.code, message: error.message }).toEqual({ code, message: error.message });
  return error;
}

/** Everything that a log could print of an error: message, stack, members, causes. */
export function printed(error: unknown): string {
  return inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
}
