// The one place where the transports name the strict JSON module.
export { isJsonNumber, parse } from '../../generated/json/index.js';
