/** Decides names and files of everything that is emitted; the emitters only print. */

import type { LoweredSet, Plan, PlannedDefinition, PlannedFamily, Shape, UnionShape } from './model.js';

export function plan(set: LoweredSet, toolVersion: string): Plan {
  const irByKey = new Map(set.ir.definitions.map((definition) => [definition.key, definition]));
  const families = set.documents.map((document): PlannedFamily => {
    const definitions = set.definitions
      .filter((definition) => definition.place.document === document.path)
      .flatMap((definition): PlannedDefinition[] => {
        const { name, isPublic } = definition;
        const ir = irByKey.get(definition.key);
        if (ir === undefined) return [];
        return [
          {
            definition,
            ir,
            family: document.family,
            typeName: name,
            checkName: `check${name}`,
            isKnownName: ir.hasUnknownVariant ? `isKnown${name}` : null,
            functions: isPublic
              ? {
                  parse: `parse${name}`,
                  fromJson: `fromJson${name}`,
                  encode: `encode${name}`,
                  validate: `validate${name}`,
                }
              : null,
          },
        ];
      });
    return {
      name: document.family,
      document,
      definitions,
      typesFile: `types/${document.family}.ts`,
      codecsFile: `codecs/${document.family}.ts`,
      validatorsFile: `validators/${document.family}.ts`,
    };
  });
  const definitions = families.flatMap((family) => family.definitions);
  return {
    toolVersion,
    set,
    families,
    definitions,
    byKey: new Map(definitions.map((planned) => [planned.definition.key, planned])),
    unions: collectUnions(set),
  };
}

function collectUnions(set: LoweredSet): Map<string, UnionShape> {
  const unions = new Map<string, UnionShape>();
  const visit = (shape: Shape): void => {
    if (shape.kind === 'union') unions.set(holderOf(shape), shape);
    for (const part of subShapes(shape)) visit(part);
  };
  for (const definition of set.ir.definitions) visit(definition.shape);
  return unions;
}

/** `document#pointer` of the schema that holds the `oneOf` or `anyOf`. */
function holderOf(union: UnionShape): string {
  return `${union.place.document}#${union.place.pointer.replace(/\/[^/]*$/, '')}`;
}

/** The shapes directly below a shape. */
export function subShapes(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'object':
      return [
        ...shape.members.map((member) => member.shape),
        ...shape.patterns.map((pattern) => pattern.shape),
        ...(shape.extras === null ? [] : [shape.extras]),
      ];
    case 'list':
      return shape.rest === null ? shape.prefix : [...shape.prefix, shape.rest];
    case 'every':
      return shape.parts;
    case 'union':
      return shape.branches;
    default:
      return [];
  }
}
