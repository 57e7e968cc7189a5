import { randomUUID } from 'node:crypto';
import {
  type CapabilitiesRequest,
  encodeCapabilitiesRequest,
  type Manifest,
  PROTOCOL_VERSION,
  parseCapabilitiesResponse,
  validateCapabilitiesResponse,
} from '../../generated/index.js';
import { type Transport, TransportError } from '../transports/index.js';
import { armDeadline, idMatches, type LinkedAbort, systemClock } from '../wire/index.js';
import { HooksError } from './errors.js';

const DEFAULT_TIMEOUT_MS = 10_000;

/** Asks one backend for its manifest. `link` is aborted when the time is over. Rejects with `HooksError`. */
export async function discoverManifest(
  transport: Transport,
  link: LinkedAbort,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<Manifest> {
  const id = randomUUID();
  const request: CapabilitiesRequest = {
    jsonrpc: '2.0',
    id,
    method: 'hooks/capabilities',
    params: { protocolVersion: PROTOCOL_VERSION },
  };
  const deadline = systemClock.now() + timeoutMs;
  const timer = armDeadline(systemClock, deadline, () => link.abort(new DOMException('Discovery', 'TimeoutError')));
  try {
    const bytes = new TextEncoder().encode(encodeCapabilitiesRequest(request));
    const answer = await transport.request({ id, method: request.method, bytes }, { signal: link.signal, deadline });
    const parsed = parseCapabilitiesResponse(answer);
    const validated = parsed.ok ? validateCapabilitiesResponse(parsed.value) : parsed;
    if (!validated.ok) throw failed('invalid-message');
    if (!idMatches(validated.value.id, id)) throw failed('wrong-id');
    return validated.value.result.manifest;
  } catch (error) {
    if (error instanceof HooksError) throw error;
    throw failed(error instanceof TransportError ? error.code : 'connection', error);
  } finally {
    timer.cancel();
  }
}

function failed(detail: string, cause?: unknown): HooksError {
  const message = `Discovery: expected the backend's manifest, got a failure of code ${detail}`;
  return new HooksError('discovery-failed', message, { detail, ...(cause === undefined ? {} : { cause }) });
}
