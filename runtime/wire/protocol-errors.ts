/** Error codes of JSON-RPC 2.0 and the codes that the protocol reserves. */
export const PROTOCOL_ERRORS = Object.freeze({
  /** The text is no JSON. */
  parseError: -32700,
  /** The JSON is no JSON-RPC 2.0 message. */
  invalidRequest: -32600,
  methodNotFound: -32601,
  /** The message is not canonical, its id is not its event's, or a body is missing. */
  invalidParams: -32602,
  internalError: -32603,
  unsupportedVersion: -32001,
  unsupportedEvent: -32002,
  backendUnavailable: -32003,
  backendError: -32004,
});

/** The name of a code in {@link PROTOCOL_ERRORS}. */
export type ProtocolErrorName = keyof typeof PROTOCOL_ERRORS;
