/**
 * Whether a JSON-RPC id is the event's id, text to text (Semantics §2, §5): a number never equals a text of the same
 * digits, and null equals nothing.
 */
export function idMatches(rpcId: unknown, eventId: string): boolean {
  return typeof rpcId === 'string' && rpcId === eventId;
}
