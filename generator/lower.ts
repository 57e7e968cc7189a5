/** Lowers a checked set to the intermediate representation: shapes in which every union knows how to choose. */

import type { Shapes } from './analyse.js';
import { choose, hasUnknownVariant } from './choose.js';
import type { CheckedSet, IrDefinition, LoweredSet, MemberShape, Shape } from './model.js';
import { type RawMember, type RawShape, shapeDefinitions } from './shapes.js';

export function lower(set: CheckedSet): LoweredSet {
  const raw = shapeDefinitions(set);
  const shapes = new Map([...raw].map(([key, shape]) => [key, finish(shape, raw)]));
  const definitions = set.definitions.map(({ key, name, isPublic }): IrDefinition => ({
    key,
    name,
    isPublic,
    shape: shapes.get(key) ?? { kind: 'any' },
    hasUnknownVariant: mayBeUnknown({ kind: 'reference', key }, shapes, new Set()),
  }));
  return { ...set, ir: { irVersion: 1, definitions } };
}

/** True when the value itself, and not a part of it, may be kept as an unknown variant. */
export function mayBeUnknown(shape: Shape, shapes: ReadonlyMap<string, Shape>, seen: ReadonlySet<string>): boolean {
  switch (shape.kind) {
    case 'reference': {
      const target = shapes.get(shape.key);
      if (target === undefined || seen.has(shape.key)) return false;
      return mayBeUnknown(target, shapes, new Set([...seen, shape.key]));
    }
    case 'every':
      return shape.parts.some((part) => mayBeUnknown(part, shapes, seen));
    case 'union':
      return shape.hasUnknownVariant || shape.branches.some((branch) => mayBeUnknown(branch, shapes, seen));
    default:
      return false;
  }
}

function finish(shape: RawShape, raw: Shapes): Shape {
  switch (shape.kind) {
    case 'object': {
      const patterns = shape.patterns.map(({ pattern, shape }) => ({ pattern, shape: finish(shape, raw) }));
      const extras = shape.extras === null ? null : finish(shape.extras, raw);
      return { ...shape, members: shape.members.map((member) => finishMember(member, raw)), patterns, extras };
    }
    case 'list': {
      const prefix = shape.prefix.map((item) => finish(item, raw));
      return { ...shape, prefix, rest: shape.rest === null ? null : finish(shape.rest, raw) };
    }
    case 'every':
      return every(shape.parts.map((part) => finish(part, raw)));
    case 'raw-union': {
      const choice = choose(shape, raw);
      if (choice === null) return { kind: 'any' };
      const branches = shape.branches.map((branch) => finish(branch, raw));
      return { kind: 'union', place: shape.place, branches, choice, hasUnknownVariant: hasUnknownVariant(choice) };
    }
    default:
      return shape;
  }
}

function finishMember(member: RawMember, raw: Shapes): MemberShape {
  return { ...member, shape: finish(member.shape, raw) };
}

/** Without parts that say nothing or say it twice. */
function every(parts: readonly Shape[]): Shape {
  const kept: Shape[] = [];
  const told = new Set<string>();
  for (const part of parts.flatMap((part) => (part.kind === 'every' ? part.parts : [part]))) {
    const text = JSON.stringify(part);
    if (part.kind !== 'any' && !told.has(text)) kept.push(part);
    told.add(text);
  }
  const [only] = kept;
  if (only === undefined) return { kind: 'any' };
  return kept.length === 1 ? only : { kind: 'every', parts: kept };
}
