import type { ElicitationCapabilities } from '../../generated/index.js';
import { isObject } from '../../generated/support/codec.js';
import { freezeDeep } from '../wire/freeze.js';
import { ElicitationError } from './errors.js';

/** Where capabilities come from: this protocol, or an explicit translation of MCP's. */
export type ElicitationOrigin = 'ahp' | 'mcp';

/**
 * Whether an elicitation mode is supported (Semantics §2): `form` and `url` are opt-ins of their own, and absent
 * capabilities support neither. Only of origin `mcp` does an object without any member mean form.
 * Gives the capabilities as exactly `form: {}` and/or `url: {}`, frozen. Throws an ElicitationError:
 * `mode-unsupported`, also for an unknown mode or origin, or `capabilities-malformed`.
 */
export function validateElicitationMode(
  mode: 'form' | 'url',
  capabilities: ElicitationCapabilities | undefined,
  origin: ElicitationOrigin = 'ahp',
): ElicitationCapabilities {
  requireOneOf(mode, ['form', 'url'], '/mode');
  requireOneOf(origin, ['ahp', 'mcp'], '/origin');
  const declared = readCapabilities(capabilities, origin);
  if (Object.hasOwn(declared, mode)) return freezeDeep(declared);
  throw new ElicitationError('mode-unsupported', '/mode', `Mode: expected one that is supported, got ${mode}`);
}

function readCapabilities(capabilities: unknown, origin: ElicitationOrigin): ElicitationCapabilities {
  if (capabilities === undefined) return {};
  if (!isObject(capabilities)) throw malformed('/capabilities');
  const form = readMode(capabilities, 'form');
  const url = readMode(capabilities, 'url');
  const isLegacy = origin === 'mcp' && Object.values(capabilities).every((member) => member === undefined);
  return isLegacy ? { form: {} } : { ...form, ...url };
}

/** A member that is undefined counts as absent, as it does when it is encoded. */
function readMode(capabilities: object, mode: 'form' | 'url'): ElicitationCapabilities {
  const declared: unknown = Object.hasOwn(capabilities, mode) ? Reflect.get(capabilities, mode) : undefined;
  if (declared === undefined) return {};
  if (!isObject(declared)) throw malformed(`/capabilities/${mode}`);
  return { [mode]: {} };
}

function requireOneOf(value: unknown, known: readonly string[], place: string): void {
  if (typeof value === 'string' && known.includes(value)) return;
  const message = `Elicitation: expected ${known.join(' or ')}, got another value`;
  throw new ElicitationError('mode-unsupported', place, message);
}

function malformed(place: string): ElicitationError {
  return new ElicitationError('capabilities-malformed', place, 'Capabilities: expected an object, got another value');
}
