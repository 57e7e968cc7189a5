import { raceAbort } from '../wire/index.js';
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
}

export interface OutgoingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** False when the request was refused before its body was read to the end, so that the connection must close. */
  readonly isBodyRead: boolean;
}

interface Route {
  readonly purpose: ReceiverPermission;
  readonly timeoutMs: number;
}

/**
 * Answers one HTTP request in the order of Semantics §8: route 404, method 405, authentication 401, permission 403,
 * framing 400 or media type 415, size 413, and only then the body. Never rejects.
 */
export async function answerHttp(core: ReceiverCore, request: IncomingRequest): Promise<OutgoingResponse> {
  const route = findRoute(core, request.url);
  if (route === null) return refuse(404);
  if (request.method !== 'POST') return refuse(405, { allow: 'POST' });
  const identity = await authenticate(core, request, route.purpose);
  if (identity === null) return refuse(401, { 'www-authenticate': 'Bearer' });
  if (!identity.permissions.includes(route.purpose)) return refuse(403);
  return route.purpose === 'event'
    ? answerMessage(core, request, identity, route.timeoutMs)
    : answerUpload(core, request, identity, route.timeoutMs);
}

function findRoute(core: ReceiverCore, url: string): Route | null {
  const { paths } = core.options;
  const path = pathOf(url);
  if (path === (paths?.hooks ?? '/hooks')) return { purpose: 'event', timeoutMs: core.limits.messageTimeoutMs };
  if (path === (paths?.content ?? '/content')) return { purpose: 'upload', timeoutMs: core.limits.uploadTimeoutMs };
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
  request: IncomingRequest,
  purpose: ReceiverPermission,
): Promise<Identity | null> {
  const { headers, url, peer, signal } = request;
  try {
    const identity = await raceAbort(core.options.authenticate({ headers, url, purpose, peer, signal }), signal);
    return isIdentity(identity) ? identity : null;
  } catch (error) {
    core.report(error, { event: null, place: 'authenticate' });
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
  request: IncomingRequest,
  identity: Identity,
  timeoutMs: number,
): Promise<OutgoingResponse> {
  const { headers } = request;
  if (headers.has('content-encoding')) return refuse(415);
  if (!isJsonMediaType(headers.get('content-type'))) return refuse(415);
  const { maxMessageBytes } = core.limits;
  const announced = headers.get('content-length');
  if (announced !== null && !/^[0-9]{1,16}$/.test(announced)) return refuse(400);
  if (announced !== null && Number(announced) > maxMessageBytes) return refuse(413);
  const read = await readMessage(request, maxMessageBytes, timeoutMs);
  if (typeof read === 'number') return refuse(read);
  const answer = await core.answer(read, identity, request.signal);
  switch (answer.kind) {
    case 'response':
      return { status: 200, headers: { 'content-type': 'application/json' }, body: answer.bytes, isBodyRead: true };
    case 'accepted':
      return { status: 202, headers: {}, body: null, isBodyRead: true };
    case 'refused':
      return { status: 400, headers: {}, body: null, isBodyRead: true };
    case 'busy':
      return { status: 503, headers: { 'retry-after': '1' }, body: null, isBodyRead: true };
  }
}

/** `application/json`, with no parameter but `charset=utf-8`. */
function isJsonMediaType(contentType: string | null): boolean {
  return (
    contentType !== null && /^[ \t]*application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i.test(contentType)
  );
}

/** The whole body, or the status to refuse it with. */
async function readMessage(
  { body, signal }: IncomingRequest,
  maxBytes: number,
  timeoutMs: number,
): Promise<Uint8Array | 400 | 408 | 413> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timeout = timeLimit(timeoutMs);
  try {
    if (body !== null) {
      const iterator = body[Symbol.asyncIterator]();
      for (;;) {
        const step = await raceAbort(raceAbort(iterator.next(), timeout.signal), signal);
        if (step.done === true) break;
        size += step.value.byteLength;
        if (size > maxBytes) return 413;
        chunks.push(step.value);
      }
    }
  } catch {
    return timeout.signal.aborted ? 408 : 400;
  } finally {
    timeout.cancel();
  }
  return Buffer.concat(chunks, size);
}

export function timeLimit(timeoutMs: number): { readonly signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new DOMException('The request took too long', 'TimeoutError')),
    timeoutMs,
  );
  return { signal: controller.signal, cancel: () => clearTimeout(timer) };
}

async function answerUpload(
  core: ReceiverCore,
  request: IncomingRequest,
  identity: Identity,
  timeoutMs: number,
): Promise<OutgoingResponse> {
  const framing = judgeFraming(request.headers, core.limits.maxUploadBytes);
  if (typeof framing === 'number') return refuse(framing);
  const giveBack = core.takePlace();
  if (giveBack === null) return refuse(503, { 'retry-after': '1' });
  const timeout = timeLimit(timeoutMs);
  try {
    const stored = await storeUpload(core, request, { ...framing, scope: identity.scope, signal: timeout.signal });
    if (stored.kind === 'refused') return { ...refuse(stored.status), isBodyRead: stored.isBodyRead };
    const body = new TextEncoder().encode(stored.receipt);
    return { status: 201, headers: { 'content-type': 'application/json' }, body, isBodyRead: true };
  } finally {
    timeout.cancel();
    giveBack();
  }
}

function refuse(status: number, headers: Readonly<Record<string, string>> = {}): OutgoingResponse {
  return { status, headers, body: null, isBodyRead: false };
}
