/** Builds the straight-line check functions of a codec module from shapes. */

import type { Choice, JsonType, MemberShape, ObjectShape, PlannedDefinition, Shape, UnionShape } from '../model.js';
import { isInheritedName, pascalCase, patternExpression, propertyAccess, stringLiteral } from '../text.js';
import { scalarTest } from './scalars.js';
import { holdsNumber, type ModuleScope } from './scope.js';
import type { FunctionView, StatementView } from './views.js';
import { typeTest, typeWord } from './words.js';

/** Where a value stands, as source text: how to read it, its step in a path, its container. */
export interface Spot {
  readonly read: string;
  readonly step: string;
  readonly container: string;
  readonly key: string;
}

const HERE: Spot = { read: 'value', step: 'null', container: 'container', key: 'key' };
const IS_OBJECT = 'isObject(value)';
/** Unions with fewer branches compare the tag with one after the other. */
const MIN_TABLE_SIZE = 9;

/** Adds the check of a definition, and those of the shapes inside it, to the module. */
export function buildCheck(planned: PlannedDefinition, scope: ModuleScope): void {
  new CheckBuilder(planned, scope).build();
}

/** Reads a member of `value`; names that every object inherits are read as own members only. */
export function readMember(object: string, name: string, scope: ModuleScope): string {
  if (!isInheritedName(name)) return object + propertyAccess(name);
  scope.useSupport('own');
  return `own(${object}, ${stringLiteral(name)})`;
}

class CheckBuilder {
  readonly #planned: PlannedDefinition;
  readonly #scope: ModuleScope;

  constructor(planned: PlannedDefinition, scope: ModuleScope) {
    this.#planned = planned;
    this.#scope = scope;
  }

  build(): void {
    const { checkName, ir, typeName } = this.#planned;
    const at = this.#scope.functions.length;
    const built = this.#function(this.#scope.freeName(checkName), ir.shape, []);
    this.#scope.functions.splice(at, 0, { ...built, isExported: true, doc: `Structure of \`${typeName}\`.` });
  }

  /** A function of the module for a shape inside the definition; gives its name. */
  #helper(shape: Shape, path: readonly string[]): string {
    const suffix = path
      .map(pascalCase)
      .filter((name) => name !== '')
      .join('_');
    const name = this.#scope.freeName(`${this.#planned.checkName}$${suffix}`);
    this.#scope.functions.push(this.#function(name, shape, path));
    return name;
  }

  #function(name: string, shape: Shape, path: readonly string[]): FunctionView {
    this.#scope.useSupport('type Report');
    const body = this.#body(shape, path);
    const text = JSON.stringify(body);
    const uses = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(text);
    const parameters = [
      `${uses('value') ? '' : '_'}value: unknown`,
      `${uses('report') ? '' : '_'}report: Report`,
      ...(holdsNumber(shape, this.#scope) ? ['container: object | null', 'key: string | number | null'] : []),
    ].join(', ');
    return {
      name,
      doc: null,
      isExported: false,
      parameters,
      counts: !('isReturn' in (body.at(-1) ?? {})) && !endsInSwitch(body),
      body,
    };
  }

  #body(shape: Shape, path: readonly string[]): StatementView[] {
    if (shape.kind === 'union') return this.#choice(shape.choice, shape, path, false);
    if (shape.kind === 'object' || shape.kind === 'list' || shape.kind === 'every') return this.#parts(shape, path);
    return [{ isReturn: true, result: this.#inPlace(shape, path) }];
  }

  /** An expression for the entries that checking `value` itself makes. */
  #inPlace(shape: Shape, path: readonly string[]): string {
    const scalar = scalarTest(shape, HERE, this.#scope);
    if (scalar !== null) {
      if (scalar.blame === null) return '0';
      return scalar.test === null ? scalar.blame : `${scalar.test} ? ${scalar.blame} : 0`;
    }
    return this.#call(shape, HERE, path);
  }

  #call(shape: Shape, spot: Spot, path: readonly string[]): string {
    const check = this.#checkName(shape, path);
    const where = holdsNumber(shape, this.#scope) ? `, ${spot.container}, ${spot.key}` : '';
    return `${check}(${spot.read}, report${where})`;
  }

  #checkName(shape: Shape, path: readonly string[]): string {
    if (shape.kind !== 'reference') return this.#helper(shape, path);
    const target = this.#scope.definition(shape.key);
    return this.#scope.use(target, target.checkName);
  }

  /** Statements for everything that holds of one value. */
  #parts(shape: Shape, path: readonly string[]): StatementView[] {
    const parts = shape.kind === 'every' ? shape.parts : [shape];
    const statements: StatementView[] = [];
    const mustBeObject =
      parts.some((part) => part.kind === 'object' && part.typed) || parts.some((part) => isOnlyType(part, 'object'));
    const mustBeList =
      parts.some((part) => part.kind === 'list' && part.typed) || parts.some((part) => isOnlyType(part, 'array'));
    if (mustBeObject) statements.push(this.#guard(`!${IS_OBJECT}`, 'an object'));
    if (mustBeList) statements.push(this.#guard('!Array.isArray(value)', 'a list'));
    for (const [index, part] of parts.entries()) {
      if (isOnlyType(part, 'object') || isOnlyType(part, 'array')) continue;
      const partPath =
        parts.length > 1 && part.kind !== 'object' && part.kind !== 'list' ? [...path, `part ${index + 1}`] : path;
      if (part.kind === 'object') statements.push(...this.#when(mustBeObject, IS_OBJECT, this.#objectBody(part, path)));
      else if (part.kind === 'list') {
        statements.push(
          ...this.#when(mustBeList, 'Array.isArray(value)', this.#listBody(part.prefix, part.rest, path)),
        );
      } else statements.push(...this.#countInPlace(part, partPath));
    }
    return statements;
  }

  #guard(test: string, expected: string): StatementView {
    if (test.includes('isObject')) this.#scope.useSupport('isObject');
    return { isGuard: true, test, result: `report.mismatch(value, null, ${stringLiteral(expected)})` };
  }

  #when(isSettled: boolean, test: string, body: readonly StatementView[]): StatementView[] {
    if (isSettled || body.length === 0) return [...body];
    if (test === IS_OBJECT) this.#scope.useSupport('isObject');
    return [{ isBlock: true, test, body }];
  }

  #countInPlace(part: Shape, path: readonly string[]): StatementView[] {
    const scalar = scalarTest(part, HERE, this.#scope);
    if (scalar?.blame === null) return [];
    if (scalar !== null) return [{ isCount: true, test: scalar.test, result: scalar.blame }];
    return [{ isCount: true, test: null, result: this.#call(part, HERE, path) }];
  }

  #objectBody(shape: ObjectShape, path: readonly string[]): StatementView[] {
    const statements = shape.members.flatMap((member) => this.#member(member, [...path, member.name]));
    if (shape.extras === null && shape.patterns.length === 0) return statements;
    return [...statements, ...this.#furtherMembers(shape, path)];
  }

  #member(member: MemberShape, path: readonly string[]): StatementView[] {
    const read = readMember('value', member.name, this.#scope);
    const step = stringLiteral(member.name);
    const spot: Spot = { read, step, container: 'value', key: step };
    const scalar = scalarTest(member.shape, spot, this.#scope);
    const missing = `report.missing(${step})`;
    if (scalar === null) {
      const guard = member.required ? `${read} === undefined` : `${read} !== undefined`;
      return [
        {
          isNested: true,
          guard,
          otherwise: member.required ? missing : null,
          call: this.#call(member.shape, spot, path),
          step,
        },
      ];
    }
    if (scalar.blame === null)
      return member.required ? [{ isCount: true, test: `${read} === undefined`, result: missing }] : [];
    if (member.required) return [{ isCount: true, test: scalar.test, result: scalar.blame }];
    const test = scalar.test === null ? `${read} !== undefined` : `${read} !== undefined && (${scalar.test})`;
    return [{ isCount: true, test, result: scalar.blame }];
  }

  /** Members that have no schema under their own name: by pattern, and the rest. */
  #furtherMembers(shape: ObjectShape, path: readonly string[]): StatementView[] {
    const spot: Spot = { read: 'value[name]', step: 'name', container: 'value', key: 'name' };
    const body: StatementView[] = [];
    const testOf = (pattern: string): string =>
      `${this.#scope.constant('pattern', patternExpression(pattern))}.test(name)`;
    for (const [index, { pattern, shape: member }] of shape.patterns.entries()) {
      const inner = this.#element(member, spot, [...path, `pattern ${index + 1}`]);
      if (inner.length > 0) body.push({ isBlock: true, test: testOf(pattern), body: inner });
    }
    if (shape.extras !== null) {
      const declared = shape.members.map(({ name }) => stringLiteral(name));
      const inner = this.#element(shape.extras, spot, [...path, 'others']);
      const named = inner.length === 0 || declared.length === 0 ? [] : [this.#isOneOf('name', declared)];
      const others = inner.length === 0 ? [] : [...named, ...shape.patterns.map(({ pattern }) => testOf(pattern))];
      if (others.length === 0) body.push(...inner);
      else if (inner.length > 0) body.push({ isBlock: true, test: `!(${others.join(' || ')})`, body: inner });
    }
    return body.length === 0 ? [] : [{ isMemberLoop: true, body }];
  }

  #isOneOf(read: string, literals: readonly string[]): string {
    if (literals.length <= 4) return literals.map((literal) => `${read} === ${literal}`).join(' || ');
    return `${this.#scope.constant('names', `/* @__PURE__ */ new Set([${literals.join(', ')}])`)}.has(${read})`;
  }

  #listBody(prefix: readonly Shape[], rest: Shape | null, path: readonly string[]): StatementView[] {
    const statements: StatementView[] = [];
    for (const [index, item] of prefix.entries()) {
      const spot: Spot = { read: `value[${index}]`, step: String(index), container: 'value', key: String(index) };
      const inner = this.#element(item, spot, [...path, `item ${index + 1}`]);
      if (inner.length > 0) statements.push({ isBlock: true, test: `value.length > ${index}`, body: inner });
    }
    if (rest === null) return statements;
    const spot: Spot = { read: 'value[index]', step: 'index', container: 'value', key: 'index' };
    const body = this.#element(rest, spot, [...path, 'item']);
    return body.length === 0 ? statements : [...statements, { isLoop: true, from: prefix.length, body }];
  }

  /** A value that is there: an element, or a member found by walking. */
  #element(shape: Shape, spot: Spot, path: readonly string[]): StatementView[] {
    const scalar = scalarTest(shape, spot, this.#scope);
    if (scalar?.blame === null) return [];
    if (scalar !== null) {
      // A member that is undefined counts as absent; a list holds none, which is checked before.
      const present = spot.step === 'name' ? `${spot.read} !== undefined` : null;
      const test = present === null ? scalar.test : scalar.test === null ? present : `${present} && (${scalar.test})`;
      return [{ isCount: true, test, result: scalar.blame }];
    }
    const guard = spot.step === 'name' ? `${spot.read} !== undefined` : null;
    return [{ isNested: true, guard, otherwise: null, call: this.#call(shape, spot, path), step: spot.step }];
  }

  // ---- unions ------------------------------------------------------------------------------------------------------

  /** Statements that all return; `isObject` tells that the value is known to be one. */
  #choice(choice: Choice, union: UnionShape, path: readonly string[], isObject: boolean): StatementView[] {
    switch (choice.kind) {
      case 'branch':
        return [
          {
            isReturn: true,
            result: this.#inPlace(this.#branch(union, choice.index), [...path, `branch ${choice.index + 1}`]),
          },
        ];
      case 'tag':
        return this.#tagChoice(choice, union, path, isObject);
      case 'presence':
        return this.#presenceChoice(choice, union, path, isObject);
      case 'type':
        return this.#typeChoice(choice, union, path);
      case 'trial': {
        const checks = choice.indexes.map((index) =>
          this.#checkName(this.#branch(union, index), [...path, `branch ${index + 1}`]),
        );
        const where = holdsNumber(union, this.#scope) ? 'container, key' : 'null, null';
        return [{ isReturn: true, result: `report.firstOf(value, ${where}, [${checks.join(', ')}])` }];
      }
    }
  }

  #branch(union: UnionShape, index: number): Shape {
    return union.branches[index] ?? { kind: 'any' };
  }

  #tagChoice(
    choice: Extract<Choice, { kind: 'tag' }>,
    union: UnionShape,
    path: readonly string[],
    isObject: boolean,
  ): StatementView[] {
    const read = readMember('value', choice.member, this.#scope);
    const otherwise = `report.unknownTag(${read}, ${stringLiteral(choice.member)})`;
    const guards = isObject ? [] : [this.#guard(`!${IS_OBJECT}`, 'an object')];
    const table = this.#branchTable(choice, union, path);
    if (table !== null) {
      return [
        ...guards,
        { isLookup: true, table, value: read },
        { isReturn: true, result: `branch === undefined ? ${otherwise} : branch(value, report)` },
      ];
    }
    const cases = choice.cases.map(({ values, choice }) => ({
      values: values.map(stringLiteral),
      body: this.#choice(choice, union, path, true),
    }));
    if (choice.absent !== null)
      cases.push({ values: ['undefined'], body: this.#choice(choice.absent, union, path, true) });
    return [...guards, { isSwitch: true, value: read, cases, otherwise }];
  }

  /**
   * Name of a table of checks by tag, for unions with many branches, where comparing one tag after the other would
   * cost more than the check; null when a branch needs more than its check.
   */
  #branchTable(choice: Extract<Choice, { kind: 'tag' }>, union: UnionShape, path: readonly string[]): string | null {
    if (choice.cases.length < MIN_TABLE_SIZE || choice.absent !== null || holdsNumber(union, this.#scope)) return null;
    const rows: string[] = [];
    for (const { values, choice: inner } of choice.cases) {
      const branch = inner.kind === 'branch' ? this.#branch(union, inner.index) : null;
      if (branch?.kind !== 'reference' || scalarTest(branch, HERE, this.#scope) !== null) return null;
      rows.push(...values.map((value) => `[${stringLiteral(value)}, ${this.#checkName(branch, path)}]`));
    }
    this.#scope.useSupport('type BranchCheck');
    return this.#scope.constant('branches', `/* @__PURE__ */ new Map<unknown, BranchCheck>([${rows.join(', ')}])`);
  }

  #presenceChoice(
    choice: Extract<Choice, { kind: 'presence' }>,
    union: UnionShape,
    path: readonly string[],
    isObject: boolean,
  ): StatementView[] {
    const statements = choice.cases.map(({ path: mark, excluded, choice }): StatementView => {
      const tests = [
        ...this.#presenceTests(mark),
        ...excluded.map((name) => `${readMember('value', name, this.#scope)} === undefined`),
      ];
      return { isBlock: true, test: tests.join(' && '), body: this.#choice(choice, union, path, true) };
    });
    const end: StatementView = { isReturn: true, result: 'report.noBranch()' };
    return [...(isObject ? [] : [this.#guard(`!${IS_OBJECT}`, 'an object')]), ...statements, end];
  }

  #presenceTests(mark: readonly string[]): string[] {
    const tests: string[] = [];
    let read = 'value';
    for (const [index, name] of mark.entries()) {
      read = readMember(read, name, this.#scope);
      if (index === mark.length - 1) tests.push(`${read} !== undefined`);
      else tests.push(`isObject(${read})`);
    }
    return tests;
  }

  #typeChoice(choice: Extract<Choice, { kind: 'type' }>, union: UnionShape, path: readonly string[]): StatementView[] {
    const statements = choice.cases.map(({ types, choice }): StatementView => {
      const test = types.map((type) => this.#typeTest(type)).join(' || ');
      return {
        isBlock: true,
        test,
        body: this.#choice(choice, union, path, types.length === 1 && types[0] === 'object'),
      };
    });
    const expected = choice.cases
      .flatMap(({ types }) => types.map(typeWord))
      .sort()
      .join(' or ');
    return [...statements, { isReturn: true, result: `report.mismatch(value, null, ${stringLiteral(expected)})` }];
  }

  #typeTest(type: JsonType): string {
    if (type === 'object') this.#scope.useSupport('isObject');
    if (type === 'number' || type === 'integer') this.#scope.useSupport('isNumeric');
    return typeTest(type, 'value');
  }
}

/** True when a `switch` with a `default` ends the body, so that nothing runs after it. */
function endsInSwitch(body: readonly StatementView[]): boolean {
  const last = body.at(-1);
  return last !== undefined && 'isSwitch' in last;
}

function isOnlyType(shape: Shape, type: JsonType): boolean {
  return shape.kind === 'types' && shape.types.length === 1 && shape.types[0] === type;
}
