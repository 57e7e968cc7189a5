/** The pipeline: load -> link -> check -> lower -> plan -> emit -> format; writing is the caller's. */

import { check } from './check.js';
import { emitCatalogue } from './emit-catalogue.js';
import { emitCodecs } from './emit-codecs.js';
import { emitIndex } from './emit-index.js';
import { emitIr } from './emit-ir.js';
import { emitSupport } from './emit-support.js';
import { emitTypes } from './emit-types.js';
import { emitValidators } from './emit-validators.js';
import { formatFiles } from './format.js';
import { GenerateError } from './generate-error.js';
import { addHeaders } from './headers.js';
import { link } from './link.js';
import { load } from './load.js';
import type { LockedOptions } from './lock.js';
import { lower } from './lower.js';
import type { EmittedFile } from './model.js';
import { plan } from './plan.js';
import { toolVersion } from './tool.js';

export interface GenerateRequest extends LockedOptions {
  /** Told the name of each phase as it begins. */
  readonly onPhase?: (phase: string) => void;
}

/**
 * Everything that a schema folder generates, but for the lock, sorted by path. Same input, same bytes. Rejects with a
 * `GenerateError` that holds every problem of the schemas.
 */
export async function generate(schemas: string, request: GenerateRequest): Promise<EmittedFile[]> {
  const begin = (phase: string): void => request.onPhase?.(phase);
  begin('load');
  const loaded = load(schemas);
  begin('link');
  const linked = link(loaded.output);
  begin('check');
  const checked = check(linked.output, [...loaded.problems, ...linked.problems]);
  if (checked.output === null) throw new GenerateError(checked.problems);
  begin('lower');
  const lowered = lower(checked.output);
  begin('plan');
  const planned = plan(lowered, toolVersion());
  begin('emit');
  const files = [
    ...(await emitTypes(planned)),
    ...emitCodecs(planned),
    ...(await emitValidators(planned)),
    ...emitCatalogue(planned),
    ...emitIndex(planned),
    ...emitSupport(),
    ...(request.emitIr ? emitIr(planned) : []),
  ];
  begin('format');
  const formatted = await formatFiles(addHeaders(files, planned, request));
  return formatted.sort((left, right) => (left.path < right.path ? -1 : 1));
}
