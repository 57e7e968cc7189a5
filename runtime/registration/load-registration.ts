import {
  type Backend,
  fromJsonRegistration,
  isKnownBackendTransport,
  isKnownSubscription,
  parseRegistration,
  type Registration,
  type Validated,
  validateRegistration,
} from '../../generated/index.js';
import { isLoopbackHost, parseEndpoint } from '../net/endpoint.js';
import { RegistrationError, type RegistrationErrorCode, type RegistrationIssue } from './errors.js';
import { findUnknownMembers, type RegistrationWarning } from './recognized.js';

/** Where the document came from; what the loader cannot know by itself. */
export interface LoadRegistrationOptions {
  /** True when the document came from a managed source, so that `scope: "managed"` may stand in it. Default false. */
  readonly managed?: boolean;
}

/** A registration that may be used, and what was ignored in it. */
export interface LoadedRegistration {
  readonly registration: Validated<Registration>;
  readonly warnings: readonly RegistrationWarning[];
}

const TEXT_ISSUES: ReadonlySet<string> = new Set([
  'invalid-json',
  'invalid-utf8',
  'duplicate-member',
  'too-deep',
  'too-large',
]);

/**
 * Reads a registration document: JSON text, UTF-8 bytes, or a decoded JSON value (Semantics §6). Recognized members are
 * validated, unknown ones are ignored with a warning each. Throws `RegistrationError` with code `not-json`,
 * `not-canonical`, `duplicate-backend`, `endpoint` or `scope`. A registration can run commands: load only documents
 * that you trust.
 */
export function loadRegistration(source: unknown, options: LoadRegistrationOptions = {}): LoadedRegistration {
  const registration = readCanonical(source);
  refuse('duplicate-backend', findDuplicateBackends(registration.hooks));
  refuse('endpoint', findUnusableEndpoints(registration.hooks));
  if (options.managed !== true) refuse('scope', findManagedSubscriptions(registration.hooks));
  return { registration, warnings: findUnknownMembers(registration) };
}

function readCanonical(source: unknown): Validated<Registration> {
  const isText = typeof source === 'string' || source instanceof Uint8Array;
  const decoded = isText ? parseRegistration(source) : fromJsonRegistration(source);
  if (!decoded.ok) {
    const isBroken = decoded.issues.some((issue) => TEXT_ISSUES.has(issue.code));
    throw new RegistrationError(isBroken ? 'not-json' : 'not-canonical', decoded.issues.map(copyIssue));
  }
  const validated = validateRegistration(decoded.value);
  if (!validated.ok) throw new RegistrationError('not-canonical', validated.issues.map(copyIssue));
  return validated.value;
}

function copyIssue({ pointer, code, message }: RegistrationIssue): RegistrationIssue {
  return { pointer, code, message };
}

function refuse(code: RegistrationErrorCode, issues: readonly RegistrationIssue[]): void {
  if (issues.length > 0) throw new RegistrationError(code, issues);
}

function findDuplicateBackends(backends: readonly Backend[]): RegistrationIssue[] {
  const firstAt = new Map<string, number>();
  const issues: RegistrationIssue[] = [];
  for (const [index, backend] of backends.entries()) {
    const first = firstAt.get(backend.id);
    if (first === undefined) {
      firstAt.set(backend.id, index);
      continue;
    }
    issues.push({
      pointer: `/hooks/${index}/id`,
      code: 'duplicate-backend',
      message: `expected an id that no other backend has, got the one of /hooks/${first}`,
    });
  }
  return issues;
}

function findUnusableEndpoints(backends: readonly Backend[]): RegistrationIssue[] {
  const issues: RegistrationIssue[] = [];
  const check = (url: string, pointer: string): void => {
    const problem = describeEndpointProblem(url);
    if (problem !== null) issues.push({ pointer, code: 'endpoint', message: problem });
  };
  for (const [index, backend] of backends.entries()) {
    const { transport } = backend;
    if (isKnownBackendTransport(transport) && transport.type === 'http') {
      check(transport.url, `/hooks/${index}/transport/url`);
    }
    for (const [position, subscription] of backend.subscriptions.entries()) {
      const upload = isKnownSubscription(subscription) ? subscription.upload : undefined;
      if (upload !== undefined) check(upload.endpoint, `/hooks/${index}/subscriptions/${position}/upload/endpoint`);
    }
  }
  return issues;
}

function describeEndpointProblem(url: string): string | null {
  try {
    const endpoint = parseEndpoint(url);
    if (endpoint.secure || isLoopbackHost(endpoint.host)) return null;
    return 'expected https, or plain http on loopback, got plain http elsewhere';
  } catch (error) {
    // The messages of the endpoint parser quote nothing of the URL.
    return error instanceof Error ? error.message : 'expected a usable endpoint';
  }
}

function findManagedSubscriptions(backends: readonly Backend[]): RegistrationIssue[] {
  return backends.flatMap((backend, index) =>
    backend.subscriptions.flatMap((subscription, position) =>
      isKnownSubscription(subscription) && subscription.scope === 'managed'
        ? [
            {
              pointer: `/hooks/${index}/subscriptions/${position}/scope`,
              code: 'scope',
              message: 'expected no managed scope in a document that did not come from a managed source',
            },
          ]
        : [],
    ),
  );
}
