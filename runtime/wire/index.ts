/** Small helpers that the boundary modules stand on. Nothing here knows a boundary's rules. */
export { allowManyListeners, type LinkedAbort, linkAbort, raceAbort } from './abort.js';
export { armDeadline, type Clock, systemClock } from './clock.js';
export { idMatches } from './correlation.js';
export { type InterceptContent, interceptRequest, observeNotification } from './envelopes.js';
export { copyContainer, freezeDeep, isKnownFrozen, snapshot } from './freeze.js';
export { stripNative } from './native.js';
export { getAt, type Place, placesOf, pointerNames, pointerSegment, removeAt, setAt } from './pointer.js';
export { PROTOCOL_ERRORS, type ProtocolErrorName } from './protocol-errors.js';
export { isCanonicalEvent } from './validity.js';
export { immediateScheduler, type Scheduler } from './scheduler.js';
