/** What a message of the transport suite asks its peer to do. */
export interface Script {
  /** The JSON-RPC id; absent makes a notification. */
  readonly id?: string | number;
  /** `answer`: answer, perhaps later; `silence`: never answer; `hang-up`: break the connection, or exit, unanswered. */
  readonly act: 'answer' | 'silence' | 'hang-up';
  /** Comes back in the answer. */
  readonly nonce: string;
  /** Milliseconds before the answer; 0 by default. */
  readonly afterMs?: number;
  /** Makes message and answer longer by so many bytes. */
  readonly paddingBytes?: number;
}

/** What the peer has to do with a message. `nothing` belongs to notifications (over HTTP: `202` without a body). */
export type ScriptedReply =
  | { readonly act: 'answer'; readonly bytes: Uint8Array; readonly afterMs: number }
  | { readonly act: 'silence' | 'hang-up' | 'nothing' };

// Spellings and characters that a careless transport loses.
const DELICATE = '"numbers":[1.0,1E2,-0,12345678901234567890,1e400],"text":"café 🜁 \\u2028"';

/** The message that carries a script: one line of JSON-RPC in UTF-8. */
export function encodeScript(script: Script): Uint8Array {
  const { id, ...rest } = script;
  const head = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  const method = id === undefined ? 'hooks/observe' : 'hooks/intercept';
  const padding = 'p'.repeat(script.paddingBytes ?? 0);
  return new TextEncoder().encode(
    `{"jsonrpc":"2.0",${head}"method":"${method}","params":{"script":${JSON.stringify(rest)},${DELICATE},"padding":"${padding}"}}`,
  );
}

/** The answer that a script's message must get, byte for byte. */
export function encodeScriptedAnswer(script: Script): Uint8Array {
  const padding = 'q'.repeat(script.paddingBytes ?? 0);
  const id = JSON.stringify(script.id ?? null);
  return new TextEncoder().encode(
    `{"jsonrpc":"2.0", "id":${id},"result":{"nonce":${JSON.stringify(script.nonce)},${DELICATE},"padding":"${padding}"}}`,
  );
}

/**
 * The peer's side of the suite: what to do with one message that arrived. A peer that is to be tested with
 * `testTransport` calls this for each message and does as it is told.
 * Throws when the bytes are no message of `encodeScript`.
 */
export function scriptedReply(message: Uint8Array): ScriptedReply {
  const decoded: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(message));
  const { id, params } = decoded as { id?: string | number; params: { script: Omit<Script, 'id'> } };
  if (id === undefined) return { act: 'nothing' };
  const script: Script = { ...params.script, id };
  if (script.act !== 'answer') return { act: script.act };
  return { act: 'answer', bytes: encodeScriptedAnswer(script), afterMs: script.afterMs ?? 0 };
}
