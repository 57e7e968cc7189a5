import { randomUUID } from 'node:crypto';
import {
  type CapabilitiesRequest,
  encodeCapabilitiesRequest,
  fromJsonCapabilitiesResponse,
  type Manifest,
  PROTOCOL_VERSION,
  validateCapabilitiesResponse,
  validateJsonRpcErrorResponse,
} from '../../generated/index.js';
import { type JsonValue, parse } from '../../generated/json/index.js';
import { type Transport, TransportError } from '../transports/index.js';
import { idMatches, PROTOCOL_ERRORS, systemClock } from '../wire/index.js';
import { HooksError } from './errors.js';
import { withinTime } from './within-time.js';

export interface DiscoveryRequest {
  readonly transport: Transport;
  /** Milliseconds; 10,000 by default. */
  readonly timeoutMs: number | undefined;
  readonly signals: readonly (AbortSignal | undefined)[];
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Asks one backend for its manifest (Semantics §6). Rejects with `HooksError` `discovery-failed`; its `detail` is the
 * code of the failure as section 5 names it, or `aborted` when the caller ended it.
 */
export async function discoverManifest({ transport, timeoutMs, signals }: DiscoveryRequest): Promise<Manifest> {
  const id = randomUUID();
  const request: CapabilitiesRequest = {
    jsonrpc: '2.0',
    id,
    method: 'hooks/capabilities',
    params: { protocolVersion: PROTOCOL_VERSION },
  };
  const bytes = new TextEncoder().encode(encodeCapabilitiesRequest(request));
  const boundMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const deadline = systemClock.now() + boundMs;
  let answer: Uint8Array;
  try {
    answer = await withinTime(boundMs, signals, (signal) =>
      transport.request({ id, method: request.method, bytes }, { signal, deadline }),
    );
  } catch (error) {
    if (signals.some((signal) => signal?.aborted)) throw failed('aborted', error);
    if (error instanceof DOMException && error.name === 'TimeoutError') throw failed('deadline', error);
    throw failed(error instanceof TransportError ? error.code : 'connection', error);
  }
  return readManifest(answer, id);
}

function readManifest(answer: Uint8Array, id: string): Manifest {
  const json = parse(answer);
  if (!json.ok) {
    const code = json.issues[0]?.code;
    throw failed(code === 'invalid-utf8' ? code : code === 'too-large' ? 'invalid-message' : 'invalid-json');
  }
  const parsed = fromJsonCapabilitiesResponse(json.value);
  const validated = parsed.ok ? validateCapabilitiesResponse(parsed.value) : parsed;
  if (!validated.ok) throw failed(codeOfOther(json.value, id));
  if (!idMatches(validated.value.id, id)) throw failed('wrong-id');
  return validated.value.result.manifest;
}

/** The code of an answer that is no manifest. */
function codeOfOther(value: JsonValue, id: string): string {
  const error = validateJsonRpcErrorResponse(value);
  if (!error.ok) return 'invalid-message';
  // An error may come with a null id, when the peer could not read the request's.
  if (error.value.id !== null && !idMatches(error.value.id, id)) return 'wrong-id';
  return error.value.error.code === PROTOCOL_ERRORS.unsupportedVersion ? 'unsupported-version' : 'error-response';
}

function failed(detail: string, cause?: unknown): HooksError {
  const message = `Discovery: expected the backend's manifest, got a failure of code ${detail}`;
  return new HooksError('discovery-failed', message, { detail, ...(cause === undefined ? {} : { cause }) });
}
