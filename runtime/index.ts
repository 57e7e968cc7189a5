/** Everything of the runtime. Types, codecs and validators of the protocol are in `ahp-toolkit/generated`. */
export * from './chain/index.js';
export * from './compaction/index.js';
export * from './content/index.js';
export * from './credentials/index.js';
export * from './elicitation/index.js';
export * from './harness/index.js';
export * from './lineage/index.js';
export * from './observation/index.js';
export * from './receiver/index.js';
export * from './registration/index.js';
export * from './transports/index.js';
export { type Clock, systemClock } from './wire/index.js';
