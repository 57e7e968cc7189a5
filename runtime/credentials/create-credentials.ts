import { createEnvironmentCredentials, createReferenceCredentials } from './bearer.js';
import { CredentialsError } from './errors.js';
import type { AuthenticationBinding, CredentialProvider, ReferenceReader } from './types.js';

/** Which provider answers which kind of binding. */
export interface CredentialsOptions {
  /** For `bearer` with `tokenEnv`; the process's own environment by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** For `bearer` with `tokenRef`. Without it such a binding is refused. */
  readonly readReference?: ReferenceReader;
  /** For `oauth`; see `createOAuthCredentials`. Without it such a binding is refused. */
  readonly oauth?: CredentialProvider;
}

/**
 * One provider for every binding that a registration can have. A binding is answered by its own kind of provider or
 * not at all: there is no silent switch to another (Semantics §6). Rejects with `CredentialsError` `configuration` for
 * a binding that nothing answers.
 */
export function createCredentials(options: CredentialsOptions = {}): CredentialProvider {
  const fromEnvironment = createEnvironmentCredentials(options.env);
  const fromReferences =
    options.readReference === undefined ? undefined : createReferenceCredentials(options.readReference);
  const pick = (binding: AuthenticationBinding): CredentialProvider | undefined => {
    if (binding.type === 'oauth') return options.oauth;
    return binding.tokenEnv === undefined ? fromReferences : fromEnvironment;
  };
  return {
    async resolve(binding, request) {
      const provider = pick(binding);
      if (provider === undefined) {
        const kind = binding.type === 'oauth' ? 'oauth' : 'tokenRef';
        throw new CredentialsError('configuration', `credential: expected a provider of ${kind} bindings, got none`);
      }
      return provider.resolve(binding, request);
    },
    close() {
      options.oauth?.close?.();
    },
  };
}
