/** Elicitation: exchanges, effects on them, modes and what is pending (Semantics §2). */
export { applyElicitationEffects } from './effects.js';
export { ElicitationError, type ElicitationErrorCode, type ElicitationErrorDetails } from './errors.js';
export { validateElicitationExchange } from './exchange.js';
export { type ElicitationOrigin, validateElicitationMode } from './mode.js';
export { PendingElicitations } from './pending.js';
export type {
  CheckedElicitation,
  ElicitationEffects,
  ElicitationExchange,
  ElicitationOutcome,
  ElicitationProvenance,
  ElicitationSelection,
  ResolveBody,
  StagedElicitation,
  UnselectedElicitation,
} from './types.js';
