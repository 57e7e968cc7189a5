import type { ContentItem, KnownEvent } from '../../generated/index.js';
import { jsonEqual } from '../../generated/json/index.js';
import { pointerSegment } from '../wire/pointer.js';
import { LineageError } from './errors.js';

/**
 * Refuses reports of a change that changed nothing (Semantics §9): proposals, creations and removals are not meant,
 * and views that leave out what would show it prove nothing. Throws a LineageError of code `no-change`.
 */
export function requireChange(event: KnownEvent): void {
  if (event.type === 'task.change.after') {
    const { operation, change, prior } = event.task;
    if (operation !== 'update') return;
    if (membersOf(change).length === 0 || equalsPrior(change, prior)) throw noChange('/task/change');
  } else if (event.type === 'workspace.change.after') {
    const { change, prior } = event.workspace;
    if (equalsPrior(change, prior)) throw noChange('/workspace/change');
  } else if (event.type === 'file.changed') {
    event.changes.forEach(({ operation, before, after }, index) => {
      if (operation === 'update' && isSameContent(before, after)) throw noChange(`/changes${pointerSegment(index)}`);
    });
  }
}

/** Whether every member of `change` stands in `prior` with an equal value. */
function equalsPrior(change: object, prior: object | undefined): boolean {
  if (prior === undefined) return false;
  return membersOf(change).every(
    ([key, value]) => Object.hasOwn(prior, key) && jsonEqual(value, Reflect.get(prior, key)),
  );
}

/** A member that is undefined counts as absent, as it does when it is encoded. */
function membersOf(change: object): [string, unknown][] {
  return Object.entries(change).filter(([, value]) => value !== undefined);
}

/** Whether two descriptors name the same bytes: by one reference, or by one digest. */
function isSameContent(before: ContentItem | undefined, after: ContentItem | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return isSame(referenceOf(before), referenceOf(after)) || isSame(digestOf(before), digestOf(after));
}

function isSame(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && left === right;
}

function referenceOf(item: ContentItem): string | undefined {
  return item.selection === 'body' && 'body' in item ? item.body.ref : undefined;
}

function digestOf(item: ContentItem): string | undefined {
  return 'sha256' in item ? item.sha256 : undefined;
}

function noChange(place: string): LineageError {
  return new LineageError('no-change', 'Report: expected a change, got one that changed nothing', {
    pointer: `/params/event${place}`,
  });
}
