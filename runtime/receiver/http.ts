import { ByteCollector } from '../net/byte-collector.js';
import { linkSignals } from '../net/timers.js';
import { raceAbort } from '../wire/index.js';
import type { Admission } from './admission.js';
import type { ReceiverCore } from './core.js';
import type { Identity, Peer, ReceiverPermission } from './options.js';
import { judgeFraming, storeUpload } from './upload.js';

/** A request, whatever server it came by. The body is read only when it is iterated. */
export interface IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array> | null;
  readonly peer: Peer;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  /** What the server around it admits. */
  readonly admission: Admission;
}

export interface OutgoingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** False when the request was refused before its body was read to the end, so that the connection must close. */
  readonly isBodyRead: boolean;
}

/** Body statuses that both routes share. */
export type ReadFailure = 400 | 408 | 503;

interface Route {
  readonly purpose: ReceiverPermission;
  /** For everything up to the last byte of the body. */
  readonly timeoutMs: number;
}

/** A request on a known route, under a signal that also knows the route's time. */
interface RoutedRequest extends IncomingRequest {
  readonly caller: AbortSignal;
}

/**
 * Answers one HTTP request in the order of Semantics §8: route 404, method 405, authentication 401, permission 403,
 * framing 400 or media type 415, size 413, then 503 when too much is under way, and only then the body. Never rejects.
 */
export function answerHttp(core: ReceiverCore, request: IncomingRequest): Promise<OutgoingResponse> {
  const work = answer(core, request);
  request.admission.track(work);
  return work;
}

async function answer(core: ReceiverCore, request: IncomingRequest): Promise<OutgoingResponse> {
  const route = findRoute(core, request.url);
  if (route === null) return refuse(404);
  if (request.method !== 'POST') return refuse(405, { allow: 'POST' });
  const link = linkSignals([request.signal, request.admission.closing], {
    timeoutMs: route.timeoutMs,
    reason: () => new DOMException('The request took too long', 'TimeoutError'),
  });
  try {
    const routed: RoutedRequest = { ...request, signal: link.signal, caller: request.signal };
    const identity = await authenticate(core, routed, route.purpose);
    if (identity === null && request.admission.closing.aborted) return refuse(503);
    if (identity === null) return refuse(401, { 'www-authenticate': core.options.challenge ?? 'Bearer' });
    if (!identity.permissions.includes(route.purpose)) return refuse(403);
    return await (route.purpose === 'event'
      ? answerMessage(core, routed, identity)
      : answerUpload(core, routed, identity));
  } finally {
    link.dispose();
  }
}

function findRoute(core: ReceiverCore, url: string): Route | null {
  const { paths } = core.options;
  const path = pathOf(url);
  if (path === paths?.hooks) return { purpose: 'event', timeoutMs: core.limits.messageTimeoutMs };
  if (path === paths?.content) return { purpose: 'upload', timeoutMs: core.limits.uploadTimeoutMs };
  return null;
}

/** The path as it was sent, without normalization; the query belongs to whoever configured the endpoint. */
function pathOf(url: string): string {
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const end = target.search(/[?#]/);
  return (end === -1 ? target : target.slice(0, end)) || '/';
}

async function authenticate(
  core: ReceiverCore,
  { headers, url, peer, signal }: RoutedRequest,
  purpose: ReceiverPermission,
): Promise<Identity | null> {
  try {
    const asked = (async () => core.options.authenticate({ headers, url, purpose, peer, signal }))();
    const identity = await raceAbort(asked, signal);
    return isIdentity(identity) ? identity : null;
  } catch (error) {
    if (!signal.aborted) core.report(error, { event: null, place: 'authenticate' });
    return null;
  }
}

/** A host's answer is trusted to be true, not to be complete: half an identity is none. */
function isIdentity(value: Identity | null): value is Identity {
  return (
    typeof value === 'object' &&
    value !== null &&
    isText(value.principal) &&
    isText(value.scope) &&
    Array.isArray(value.permissions)
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

async function answerMessage(
  core: ReceiverCore,
  request: RoutedRequest,
  identity: Identity,
): Promise<OutgoingResponse> {
  const { headers, admission, caller } = request;
  const announced = headers.get('content-length');
  // A length that came twice is joined by a comma.
  if (announced !== null && !/^[0-9]{1,20}$/.test(announced)) return refuse(400);
  if (headers.has('content-encoding') || !isJsonMediaType(headers.get('content-type'))) return refuse(415);
  if (announced !== null && Number(announced) > core.limits.maxMessageBytes) return refuse(413);
  const place = admission.admits ? core.places.take() : null;
  if (place === null) return refuse(503, { 'retry-after': '1' });
  const message = await readMessage(request, core.limits.maxMessageBytes);
  if (typeof message === 'number') {
    place();
    return refuse(message);
  }
  // From here on the handler has a time of its own.
  const answered = await core.answer(message, { identity, place, admission, signal: caller });
  switch (answered.kind) {
    case 'response':
      return { status: 200, headers: { 'content-type': 'application/json' }, body: answered.bytes, isBodyRead: true };
    case 'accepted':
      return { status: 202, headers: {}, body: null, isBodyRead: true };
    case 'refused':
      return { status: 400, headers: {}, body: null, isBodyRead: true };
  }
}

/** `application/json`, with no parameter but `charset=utf-8`. */
function isJsonMediaType(contentType: string | null): boolean {
  return (
    contentType !== null && /^[ \t]*application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i.test(contentType)
  );
}

/** The whole body, or the status to refuse it with. */
async function readMessage(request: RoutedRequest, maxBytes: number): Promise<Uint8Array | ReadFailure | 413> {
  const collector = new ByteCollector();
  try {
    const iterator = request.body?.[Symbol.asyncIterator]();
    while (iterator !== undefined) {
      const step = await raceAbort(iterator.next(), request.signal);
      if (step.done === true) break;
      if (collector.size + step.value.byteLength > maxBytes) return 413;
      collector.add(step.value);
    }
  } catch {
    return readFailure(request);
  }
  return collector.view();
}

/** Why a body did not come whole: bad framing or a caller who left, unless it was time or the receiver that ended it. */
export function readFailure({ signal, caller, admission }: RoutedRequest): ReadFailure {
  if (admission.closing.aborted) return 503;
  return signal.aborted && !caller.aborted ? 408 : 400;
}

async function answerUpload(
  core: ReceiverCore,
  request: RoutedRequest,
  { scope }: Identity,
): Promise<OutgoingResponse> {
  const framing = judgeFraming(request.headers, core.limits.maxUploadBytes);
  if (typeof framing === 'number') return refuse(framing);
  const place = request.admission.admits ? core.places.take() : null;
  if (place === null) return refuse(503, { 'retry-after': '1' });
  try {
    const { body, signal } = request;
    const stored = await storeUpload(core, { ...framing, scope, body, signal });
    if (stored.kind === 'stored') {
      const receipt = new TextEncoder().encode(stored.receipt);
      return { status: 201, headers: { 'content-type': 'application/json' }, body: receipt, isBodyRead: true };
    }
    const status = stored.kind === 'cut-short' ? readFailure(request) : stored.kind === 'store-failed' ? 500 : 400;
    return { ...refuse(status), isBodyRead: stored.isBodyRead };
  } finally {
    place();
  }
}

function refuse(status: number, headers: Readonly<Record<string, string>> = {}): OutgoingResponse {
  return { status, headers, body: null, isBodyRead: false };
}
