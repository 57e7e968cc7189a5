/** What a token endpoint issued. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** Monotonic milliseconds at which the access token counts as expired, or null when the server named no end. */
  readonly expiresAtMs: number | null;
  readonly refreshToken: string | null;
}

/** Where refresh tokens are kept between calls, or between runs of a host. Keys are opaque and hold no secret. */
export interface RefreshTokenStore {
  get(key: string): Promise<string | null> | string | null;
  set(key: string, refreshToken: string): Promise<void> | void;
  /** Removes the token, but only while it is still this one: another process may have stored a newer one. */
  delete(key: string, refreshToken: string): Promise<void> | void;
}

/** A store that forgets when the process ends. */
export function createMemoryRefreshTokenStore(): RefreshTokenStore {
  const tokens = new Map<string, string>();
  return {
    get: (key) => tokens.get(key) ?? null,
    set: (key, refreshToken) => {
      tokens.set(key, refreshToken);
    },
    delete: (key, refreshToken) => {
      if (tokens.get(key) === refreshToken) tokens.delete(key);
    },
  };
}

/**
 * The access token of one cache key. However many callers ask at once, one acquisition is under way, and it belongs to
 * none of them: a caller that gives up does not end it, since a refresh token that was sent may be spent already.
 */
export class TokenSlot {
  readonly #acquire: (rejectedChallenge: string | null) => Promise<IssuedTokens>;
  readonly #now: () => number;
  #current: IssuedTokens | null = null;
  #flight: Promise<IssuedTokens> | null = null;

  constructor(acquire: (rejectedChallenge: string | null) => Promise<IssuedTokens>, now: () => number) {
    this.#acquire = acquire;
    this.#now = now;
  }

  /** A token that is neither expired nor the rejected one. Rejects as the acquisition does; nothing is remembered then. */
  get(rejected: { readonly token: string; readonly challenge: string | null } | undefined): Promise<IssuedTokens> {
    const current = this.#current;
    if (current !== null) {
      const isRejected = rejected !== undefined && rejected.token === current.accessToken;
      const isExpired = current.expiresAtMs !== null && current.expiresAtMs <= this.#now();
      if (!isRejected && !isExpired) return Promise.resolve(current);
      this.#current = null;
    }
    this.#flight ??= this.#fly(rejected?.challenge ?? null);
    return this.#flight;
  }

  async #fly(challenge: string | null): Promise<IssuedTokens> {
    try {
      this.#current = await this.#acquire(challenge);
      return this.#current;
    } finally {
      this.#flight = null;
    }
  }
}
