/** Whole runs over folders: generate into one, or check one. Everything else of the generator works in memory. */

import { checkFolder, type CheckReport } from './drift.js';
import { readLockInputs } from './inputs.js';
import { LOCK_FILE, type LockedOptions, makeLock, printLock } from './lock.js';
import type { EmittedFile } from './model.js';
import { assertWritable, writeFolder, type WriteSummary } from './write.js';

export interface FolderRequest {
  /** Folder of the schema set. */
  readonly schemas: string;
  /** Folder that is replaced as a whole; absent, empty or written by this generator. */
  readonly out: string;
  /** Told the name of each phase as it begins. */
  readonly onPhase?: (phase: string) => void;
}

export interface FolderReport extends WriteSummary {
  /** Number of files in the folder, the lock included. */
  readonly files: number;
  /** Number of schema documents that were read. */
  readonly schemas: number;
}

/**
 * Generates and swaps the folder in. Rejects with a `GenerateError` for problems of the schemas and with a `WriteError`
 * for those of the folder; then the folder is what it was before.
 */
export async function generateFolder(request: FolderRequest & { readonly emitIr?: boolean }): Promise<FolderReport> {
  assertWritable(request.out);
  const { files, schemas } = await generateFiles(request, { emitIr: request.emitIr === true });
  request.onPhase?.('write');
  return { ...writeFolder(request.out, files), files: files.length, schemas };
}

/** Compares the folder with what its inputs generate, with the options of its lock; writes nothing. `beforeGenerating` runs when digests did not settle it. */
export async function checkGeneratedFolder(
  request: FolderRequest & { readonly beforeGenerating?: () => void },
): Promise<CheckReport> {
  return checkFolder(request.schemas, request.out, async (options) => {
    request.beforeGenerating?.();
    return (await generateFiles(request, options)).files;
  });
}

async function generateFiles(
  request: FolderRequest,
  options: LockedOptions,
): Promise<{ files: EmittedFile[]; schemas: number }> {
  // Read before the schemas are, so that a change in between shows as drift and not as a lock that lies.
  const inputs = readLockInputs(request.schemas, options);
  const { generate } = await import('./generate.js');
  const files = await generate(request.schemas, { ...options, ...(request.onPhase && { onPhase: request.onPhase }) });
  const lock = { path: LOCK_FILE, text: printLock(makeLock(inputs, files)) };
  return { files: [...files, lock], schemas: inputs.schemas.size };
}
