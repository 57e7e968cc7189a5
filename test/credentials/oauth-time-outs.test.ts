import { expect, it } from 'vitest';
import { createOAuthCredentials } from '../../runtime/credentials/index.js';

it.each([0, -5, Number.NaN])('§6 a time-out of %s is refused when the provider is made', (ms) => {
  for (const name of ['exchangeTimeoutMs', 'authorizationTimeoutMs']) {
    expect(() => createOAuthCredentials({ [name]: ms })).toThrow(
      expect.objectContaining({
        name: 'CredentialsError',
        code: 'configuration',
        message: `${name}: expected milliseconds above 0, got ${ms}`,
      }),
    );
    createOAuthCredentials({ [name]: Number.POSITIVE_INFINITY }).close();
  }
});
