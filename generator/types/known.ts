/** Splits a type into what its codec knows and what it only keeps. */

import { armsOf, NEVER, type Names, type TypeShape, unite } from './shape.js';

export interface SplitType {
  readonly known: TypeShape;
  /** Never when every value is known. */
  readonly unknown: TypeShape;
}

export const knownName = (typeName: string): string => `Known${typeName}`;
export const unknownName = (typeName: string): string => `Unknown${typeName}`;

/**
 * The known arms and the others: unknown variants, and branches that a union leaves open by their tag. An arm that is
 * a named type with an unknown variant of its own (`hasUnknown`) counts for both.
 */
export function splitKnown(shape: TypeShape, hasUnknown: (name: string) => boolean, names: Names): SplitType {
  if (shape.kind === 'named') {
    if (hasUnknown(shape.name)) return splitNamed(shape.name);
    return isOpenBranch(shape, names) ? { known: NEVER, unknown: shape } : { known: shape, unknown: NEVER };
  }
  if (shape.kind === 'union') {
    const parts = shape.arms.map((arm) => splitKnown(arm, hasUnknown, names));
    return { known: unite(parts.map(({ known }) => known)), unknown: unite(parts.map(({ unknown }) => unknown)) };
  }
  const isUnknown = shape.kind === 'unknown-variant' || isOpenBranch(shape, names);
  return isUnknown ? { known: NEVER, unknown: shape } : { known: shape, unknown: NEVER };
}

function splitNamed(name: string): SplitType {
  return { known: { kind: 'named', name: knownName(name) }, unknown: { kind: 'named', name: unknownName(name) } };
}

function isOpenBranch(shape: TypeShape, names: Names): boolean {
  return armsOf(shape, names).every((arm) => {
    const target = arm.kind === 'named' ? names.resolve(arm.name) : arm;
    return target.kind === 'object' && [...target.members.values()].some(({ shape }) => shape.kind === 'prefixed');
  });
}
