import { CredentialsError } from './errors.js';
import { readCredentialText } from './token-text.js';
import type { Credential, CredentialProvider, CredentialRequest, ReferenceReader } from './types.js';

/**
 * Resolves `bearer` bindings with `tokenEnv` from environment variables, read anew each time. An unset or empty
 * variable gives null. Throws `CredentialsError` `malformed` for a value that no header can carry.
 */
export function createEnvironmentCredentials(
  env: Readonly<Record<string, string | undefined>> = process.env,
): CredentialProvider {
  return {
    resolve(binding) {
      if (binding.type !== 'bearer' || binding.tokenEnv === undefined) return null;
      const name = binding.tokenEnv;
      const text = Object.hasOwn(env, name) ? env[name] : undefined;
      return asCredential(readCredentialText(text, 'token of an environment variable'));
    },
  };
}

/**
 * Resolves `bearer` bindings with `tokenRef` through a reader of the host's: a file, a key chain, a vault. The reader
 * is told endpoint and purpose. Null or undefined means that there is none. Throws `CredentialsError` `malformed` for
 * a value that no header can carry.
 */
export function createReferenceCredentials(read: ReferenceReader): CredentialProvider {
  return {
    async resolve(binding, request) {
      if (binding.type !== 'bearer' || binding.tokenRef === undefined) return null;
      return asCredential(await readReference(read, binding.tokenRef, request, 'token of a reference'));
    },
  };
}

/** Reads one secret by reference and makes it fit for a header. */
export async function readReference(
  read: ReferenceReader,
  reference: string,
  request: CredentialRequest,
  subject: string,
): Promise<string | null> {
  let text: string | null | undefined;
  try {
    text = await read(reference, request);
  } catch (error) {
    throw new CredentialsError('unavailable', `${subject}: expected the host's reader to answer, got an error`, {
      cause: error,
    });
  }
  return readCredentialText(text, subject);
}

function asCredential(token: string | null): Credential | null {
  return token === null ? null : { token };
}
