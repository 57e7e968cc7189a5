import { inspect } from 'node:util';
import { expect } from 'vitest';
import { UploadError } from '../../../runtime/content/index.js';

/** The error of a promise that must reject with an `UploadError` of this code. */
export async function uploadErrorOf(promise: Promise<unknown>, code: string): Promise<UploadError> {
  const error: unknown = await promise.then(
    () => {
      throw new Error(`expected an UploadError with code ${code}, got a result`);
    },
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UploadError);
  if (!(error instanceof UploadError)) throw error;
  expect({ code: error.code, message: error.message }).toEqual({ code, message: error.message });
  return error;
}

/** Everything that a log could print of an error: message, stack, members, causes. */
export function printed(error: unknown): string {
  return inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
}
