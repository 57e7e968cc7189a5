import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createCredentials,
  createEnvironmentCredentials,
  createReferenceCredentials,
  type CredentialRequest,
  exchangeWithCredential,
} from '../../runtime/credentials/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { credentialsErrorOf, printed } from './support/expect-credentials-error.js';

const request: CredentialRequest = {
  endpoint: 'https://hooks.example/hooks',
  purpose: 'event',
  signal: new AbortController().signal,
};
const fromEnv = { type: 'bearer', tokenEnv: 'AHP_TOKEN' } as const;
const fromRef = { type: 'bearer', tokenRef: 'hooks' } as const;
const oauth = {
  type: 'oauth',
  resource: 'https://api.example',
  issuer: 'https://id.example',
  clientId: 'c',
  flow: 'client_credentials',
} as const;

describe('§6 tokens of environment variables', () => {
  const resolve = async (
    env: Record<string, string>,
    binding: typeof fromEnv | typeof fromRef | typeof oauth = fromEnv,
  ) => createEnvironmentCredentials(env).resolve(binding, request);

  it('are read anew each time', async () => {
    const env: Record<string, string> = { AHP_TOKEN: 'one' };
    const provider = createEnvironmentCredentials(env);
    expect(await provider.resolve(fromEnv, request)).toEqual({ token: 'one' });
    env.AHP_TOKEN = 'two';
    expect(await provider.resolve(fromEnv, request)).toEqual({ token: 'two' });
  });

  it('that are unset, empty, blank, or inherited are none', async () => {
    expect(await resolve({})).toBeNull();
    expect(await resolve({ AHP_TOKEN: '' })).toBeNull();
    expect(await resolve({ AHP_TOKEN: '\n' })).toBeNull();
    expect(await resolve({ AHP_TOKEN: '  ' })).toBeNull();
    const provider = createEnvironmentCredentials({});
    expect(await provider.resolve({ type: 'bearer', tokenEnv: 'toString' }, request)).toBeNull();
  });

  it('lose one line end at their end', async () => {
    expect(await resolve({ AHP_TOKEN: 's3cr3t\n' })).toEqual({ token: 's3cr3t' });
    expect(await resolve({ AHP_TOKEN: 's3cr3t\r\n' })).toEqual({ token: 's3cr3t' });
  });

  it.each(['s3cr3t\r\nx: y', 's3cr3t\n\n', 's3cr3t\rx', 's3cr3t\u0107', '\u0000s3cr3t', 's3cr3t\u007f'])(
    'with %j are refused and not quoted',
    async (AHP_TOKEN) => {
      const error = await credentialsErrorOf(
        Promise.resolve().then(() => resolve({ AHP_TOKEN })),
        'malformed',
      );
      expect(printed(error)).not.toContain('s3cr3t');
    },
  );

  it('answer no other binding', async () => {
    expect(await resolve({ AHP_TOKEN: 't' }, fromRef)).toBeNull();
    expect(await resolve({ AHP_TOKEN: 't' }, oauth)).toBeNull();
  });
});

describe('§6 tokens of references', () => {
  it('are read with endpoint and purpose, and lose one line end of their file', async () => {
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, 's3cr3t\n');
    const asked: unknown[] = [];
    const provider = createReferenceCredentials((reference, { endpoint, purpose }) => {
      asked.push([reference, endpoint, purpose]);
      return readFileSync(file, 'utf8');
    });
    expect(await provider.resolve(fromRef, { ...request, purpose: 'upload' })).toEqual({ token: 's3cr3t' });
    expect(asked).toEqual([['hooks', 'https://hooks.example/hooks', 'upload']]);
  });

  it('that are not there are none, that cannot be read are unavailable', async () => {
    expect(await createReferenceCredentials(() => null).resolve(fromRef, request)).toBeNull();
    expect(await createReferenceCredentials(async () => undefined).resolve(fromRef, request)).toBeNull();
    const failing = createReferenceCredentials(() => {
      throw new Error('vault closed');
    });
    await credentialsErrorOf(failing.resolve(fromRef, request), 'unavailable');
    const malformed = createReferenceCredentials(() => 's3cr3t\r\nx: y');
    const error = await credentialsErrorOf(malformed.resolve(fromRef, request), 'malformed');
    expect(printed(error)).not.toContain('s3cr3t');
  });
});

describe('§6 one provider for all bindings', () => {
  it('answers each by its own kind, and switches to no other', async () => {
    const whole = createCredentials({
      env: { AHP_TOKEN: 'env' },
      readReference: () => 'ref',
      oauth: { resolve: () => ({ token: 'oauth' }) },
    });
    expect(await whole.resolve(fromEnv, request)).toEqual({ token: 'env' });
    expect(await whole.resolve(fromRef, request)).toEqual({ token: 'ref' });
    expect(await whole.resolve(oauth, request)).toEqual({ token: 'oauth' });
    const bare = createCredentials({ env: { AHP_TOKEN: 'env', hooks: 'wrong' } });
    await credentialsErrorOf(bare.resolve(fromRef, request), 'configuration');
    await credentialsErrorOf(bare.resolve(oauth, request), 'configuration');
  });

  it('closes the providers in it', () => {
    let closed = 0;
    const close = (): void => {
      closed += 1;
    };
    const provider = createCredentials({ oauth: { resolve: () => null, close } });
    provider.close?.();
    expect(closed).toBe(1);
  });
});

describe('§6 an exchange with a credential', () => {
  const use = { endpoint: request.endpoint, purpose: 'event' as const, signal: request.signal };

  it('runs once without a binding, and asks nobody', async () => {
    const sent: unknown[] = [];
    const credentials = {
      resolve: () => {
        throw new Error('must not be asked');
      },
    };
    const response = await exchangeWithCredential(
      { ...use, binding: undefined, credentials },
      async (authorization) => {
        sent.push(authorization);
        return { status: 401, challenge: null };
      },
    );
    expect(response.status).toBe(401);
    expect(sent).toEqual([null]);
  });

  it('ends with its signal while the provider thinks', async () => {
    const controller = new AbortController();
    const credentials = { resolve: () => new Promise<never>(() => {}) };
    const send = (): Promise<never> => {
      throw new Error('must not send');
    };
    const promise = exchangeWithCredential({ ...use, binding: fromRef, credentials, signal: controller.signal }, send);
    controller.abort(new Error('deadline'));
    const error = await credentialsErrorOf(promise, 'aborted');
    expect(error.cause).toMatchObject({ message: 'deadline' });
  });

  it('refuses a binding of a type that nothing knows', async () => {
    const binding = { type: 'mtls' } as unknown as typeof fromRef;
    const credentials = { resolve: () => ({ token: 't' }) };
    const send = (): Promise<never> => {
      throw new Error('must not send');
    };
    await credentialsErrorOf(exchangeWithCredential({ ...use, binding, credentials }, send), 'configuration');
  });
});
