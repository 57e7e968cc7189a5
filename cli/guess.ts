/** Which definition a document is meant as, by what it contains; the codec and the validator then judge it. */

import { memberNames } from '../generated/json/index.js';

const WITNESSES: readonly { readonly name: string; readonly members: readonly string[] }[] = [
  { name: 'WireMessage', members: ['jsonrpc'] },
  { name: 'Event', members: ['type', 'source'] },
  { name: 'Registration', members: ['hooks'] },
  { name: 'Manifest', members: ['events', 'transports'] },
  { name: 'Backend', members: ['transport', 'subscriptions'] },
  { name: 'ContentUploadReceipt', members: ['ref', 'sha256'] },
  { name: 'ContentItem', members: ['selection'] },
  { name: 'ContentUpload', members: ['endpoint'] },
  { name: 'ElicitRequestParams', members: ['requestedSchema'] },
  { name: 'ElicitRequestParams', members: ['elicitationId'] },
  { name: 'ElicitResult', members: ['action'] },
  { name: 'Capabilities', members: ['effects'] },
];

/** The name to validate as when none is given: an event by its own type, everything unrecognized as `WireMessage`. */
export function guessName(value: unknown, eventTypeNames: ReadonlyMap<string, string>): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'WireMessage';
  const names = new Set(memberNames(value));
  const witness = WITNESSES.find(({ members }) => members.every((member) => names.has(member)));
  if (witness?.name === 'Event') return eventTypeNames.get(textMember(value, 'type')) ?? 'Event';
  if (witness !== undefined) return witness.name;
  if (names.has('mode') && names.has('events')) {
    return textMember(value, 'mode') === 'observe' ? 'ObserveSubscription' : 'InterceptSubscription';
  }
  return names.has('type') ? 'Effect' : 'WireMessage';
}

/** The public name of the shape of a wire message: by its method, else by error, else by its result (Semantics §1). */
export function shapeOfMessage(message: object): string {
  const names = new Set(memberNames(message));
  if (names.has('method')) {
    const methods = new Map([
      ['hooks/intercept', 'InterceptRequest'],
      ['hooks/observe', 'ObserveNotification'],
      ['hooks/capabilities', 'CapabilitiesRequest'],
    ]);
    return methods.get(textMember(message, 'method')) ?? 'WireMessage';
  }
  if (names.has('error')) return 'JsonRpcErrorResponse';
  const result: unknown = names.has('result') ? Reflect.get(message, 'result') : null;
  const isManifest = typeof result === 'object' && result !== null && memberNames(result).includes('manifest');
  return isManifest ? 'CapabilitiesResponse' : 'InterceptResponse';
}

function textMember(value: object, name: string): string {
  const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  return typeof member === 'string' ? member : '';
}
