export { RegistrationError, type RegistrationErrorCode, type RegistrationIssue } from './errors.js';
export { loadRegistration, type LoadedRegistration, type LoadRegistrationOptions } from './load-registration.js';
export { type EventFilter, type EventSelector, matchesEvent, passesFilters } from './matching.js';
export type { RegistrationWarning } from './recognized.js';
