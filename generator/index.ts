/** The generator as a library: whole runs over folders, or the emitted files in memory. */

export type { CheckReport, Drift, DriftKind } from './drift.js';
export { checkGeneratedFolder, type FolderReport, type FolderRequest, generateFolder } from './folder.js';
export { GenerateError } from './generate-error.js';
export { LOCK_FILE, type Lock, type LockedOptions, readLock } from './lock.js';
export type { EmittedFile, Place, Problem, ProblemCode } from './model.js';
export { WriteError, type WriteErrorCode, type WriteSummary } from './write.js';

import type { GenerateRequest } from './generate.js';
import type { EmittedFile } from './model.js';

/**
 * The files that a schema folder generates, without the lock and without writing any, sorted by path. Rejects with a
 * `GenerateError`. Loads the generator's libraries, which are optional peers, only when it is called.
 */
export async function generateFiles(schemas: string, request: GenerateRequest): Promise<EmittedFile[]> {
  const { generate } = await import('./generate.js');
  return generate(schemas, request);
}
