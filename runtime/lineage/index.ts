/** The task lineage checker (Semantics §9). */
export { LineageError, type LineageErrorCode, type LineageErrorDetails } from './errors.js';
export { TaskLineage, type TaskLineageOptions } from './task-lineage.js';
