/** Builds the tests that tell known variants of a union from the unknown one. */

import type { Choice, JsonType, PlannedDefinition, Shape, UnionShape } from '../model.js';
import { stringLiteral } from '../text.js';
import { readMember } from './checks.js';
import type { ModuleScope } from './scope.js';
import type { StatementView } from './views.js';
import { typeTest } from './words.js';

/** Adds `knowsX` of a definition that has an unknown variant, and gives its name. */
export function buildKnown(planned: PlannedDefinition, scope: ModuleScope): string {
  return functionFor(planned.ir.shape, knowsName(planned), true, planned, scope);
}

function knowsName(planned: PlannedDefinition): string {
  return `knows${planned.typeName}`;
}

function functionFor(
  shape: Shape,
  wanted: string,
  isExported: boolean,
  planned: PlannedDefinition,
  scope: ModuleScope,
): string {
  const name = scope.freeName(wanted);
  const body =
    shape.kind === 'union'
      ? knownChoice(shape.choice, shape, name, planned, scope)
      : allParts(shape, name, planned, scope);
  scope.functions.push({
    name,
    doc: isExported ? `True unless the value is the unknown variant of \`${planned.typeName}\`.` : null,
    isExported,
    isTest: true,
    parameters: 'value: unknown',
    counts: false,
    body,
  });
  return name;
}

function allParts(shape: Shape, name: string, planned: PlannedDefinition, scope: ModuleScope): StatementView[] {
  const parts = shape.kind === 'every' ? shape.parts : [shape];
  const tests = parts.flatMap((part, index) => knownTest(part, `${name}$${index + 1}`, planned, scope) ?? []);
  return [{ isReturn: true, result: tests.length === 0 ? 'true' : tests.join(' && ') }];
}

/** An expression over `value`, or null when the shape has no unknown variant. */
function knownTest(shape: Shape, wanted: string, planned: PlannedDefinition, scope: ModuleScope): string | null {
  if (shape.kind === 'reference') {
    const target = scope.definition(shape.key);
    return target.ir.hasUnknownVariant ? `${scope.use(target, knowsName(target))}(value)` : null;
  }
  if (!canBeUnknown(shape, scope)) return null;
  return `${functionFor(shape, wanted, false, planned, scope)}(value)`;
}

function canBeUnknown(shape: Shape, scope: ModuleScope): boolean {
  switch (shape.kind) {
    case 'reference':
      return scope.definition(shape.key).ir.hasUnknownVariant;
    case 'every':
      return shape.parts.some((part) => canBeUnknown(part, scope));
    case 'union':
      return shape.hasUnknownVariant || shape.branches.some((branch) => canBeUnknown(branch, scope));
    default:
      return false;
  }
}

function knownChoice(
  choice: Choice,
  union: UnionShape,
  name: string,
  planned: PlannedDefinition,
  scope: ModuleScope,
  isObject = false,
): StatementView[] {
  const nested = (inner: Choice, isObject: boolean): StatementView[] =>
    knownChoice(inner, union, name, planned, scope, isObject);
  const guards: StatementView[] = isObject ? [] : [{ isGuard: true, test: '!isObject(value)', result: 'false' }];
  switch (choice.kind) {
    case 'branch': {
      const branch = union.branches[choice.index] ?? { kind: 'any' };
      return [{ isReturn: true, result: knownTest(branch, `${name}$${choice.index + 1}`, planned, scope) ?? 'true' }];
    }
    case 'tag': {
      scope.useSupport('isObject');
      const cases = choice.cases.map(({ values, choice }) => ({
        values: values.map(stringLiteral),
        body: nested(choice, true),
      }));
      if (choice.absent !== null) cases.push({ values: ['undefined'], body: nested(choice.absent, true) });
      return [
        ...guards,
        {
          isSwitch: true,
          value: readMember('value', choice.member, scope),
          cases: joinCases(cases),
          otherwise: 'false',
        },
      ];
    }
    case 'presence': {
      scope.useSupport('isObject');
      const blocks = choice.cases.map(({ path, choice }): StatementView => {
        let read = 'value';
        const tests = path.map((part, index) => {
          read = readMember(read, part, scope);
          return index === path.length - 1 ? `${read} !== undefined` : `isObject(${read})`;
        });
        return { isBlock: true, test: tests.join(' && '), body: nested(choice, true) };
      });
      return [...guards, ...blocks, { isReturn: true, result: 'false' }];
    }
    case 'type': {
      const blocks = choice.cases.map(({ types, choice }): StatementView => {
        for (const type of types) useTypeTest(type, scope);
        return {
          isBlock: true,
          test: types.map((type) => typeTest(type, 'value')).join(' || '),
          body: nested(choice, types.length === 1 && types[0] === 'object'),
        };
      });
      return [...blocks, { isReturn: true, result: 'false' }];
    }
    case 'trial': {
      const tests = choice.indexes.map((index) =>
        knownTest(union.branches[index] ?? { kind: 'any' }, `${name}$${index + 1}`, planned, scope),
      );
      return [{ isReturn: true, result: tests.includes(null) ? 'true' : tests.join(' || ') }];
    }
  }
}

function useTypeTest(type: JsonType, scope: ModuleScope): void {
  if (type === 'object') scope.useSupport('isObject');
  if (type === 'number' || type === 'integer') scope.useSupport('isNumeric');
}

/** Cases with the same body become one with several values. */
function joinCases<Case extends { values: readonly string[]; body: readonly StatementView[] }>(
  cases: readonly Case[],
): Case[] {
  const joined = new Map<string, Case>();
  for (const item of cases) {
    const key = JSON.stringify(item.body);
    const other = joined.get(key);
    joined.set(key, other === undefined ? item : { ...other, values: [...other.values, ...item.values] });
  }
  return [...joined.values()];
}
