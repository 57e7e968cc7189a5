/** Tests of values that need no function of their own: types, constants, enums, and references to these. */

import type { Json, JsonType, Shape } from '../model.js';
import { jsonLiteral, stringLiteral } from '../text.js';
import type { Spot } from './checks.js';
import { typeWord } from './words.js';
import type { ModuleScope } from './scope.js';

/**
 * `test` is true for values that are wrong or need a slow look, and null when every value needs one; `blame` is the
 * call that looks and reports, and null when nothing can be wrong.
 */
export interface ScalarTest {
  readonly test: string | null;
  readonly blame: string | null;
}

/** The test of a shape at a spot; null for shapes that need a function. */
export function scalarTest(shape: Shape, spot: Spot, scope: ModuleScope): ScalarTest | null {
  switch (shape.kind) {
    case 'any':
      return { test: null, blame: null };
    case 'never':
      return { test: null, blame: `report.mismatch(${spot.read}, ${spot.step}, "no value")` };
    case 'reference': {
      const target = scope.shapeOf(shape.key);
      return target.kind === 'never' ? null : scalarTest(target, spot, scope);
    }
    case 'types':
      return typesTest(shape.types, spot, scope);
    case 'constant':
      return constantTest(shape.value, spot, scope);
    case 'enum':
      return enumTest(shape.values, spot, scope);
    default:
      return null;
  }
}

function typesTest(types: readonly JsonType[], spot: Spot, scope: ModuleScope): ScalarTest {
  const isNumber = types.includes('number');
  const isInteger = !isNumber && types.includes('integer');
  const others = types.filter((type) => type !== 'number' && type !== 'integer');
  if (others.includes('object')) scope.useSupport('isObject');
  const tests = others.map((type) => unlike(type, spot.read));
  if (isNumber) tests.push(`typeof ${spot.read} !== 'number'`);
  if (isInteger) tests.push(`!Number.isInteger(${spot.read})`);
  const numeric = `report.${isNumber ? 'number' : 'integer'}(${spot.read}, ${spot.step}, ${spot.container}, ${spot.key})`;
  const expected = [
    ...others.map(typeWord),
    ...(isNumber ? ['a number'] : []),
    ...(isInteger ? ['an integer'] : []),
  ].join(' or ');
  const mismatch = `report.mismatch(${spot.read}, ${spot.step}, ${stringLiteral(expected)})`;
  const test = tests.join(' && ');
  if (!isNumber && !isInteger) return { test, blame: mismatch };
  if (others.length === 0) return { test, blame: numeric };
  scope.useSupport('isNumeric');
  return { test, blame: `(isNumeric(${spot.read}) ? ${numeric} : ${mismatch})` };
}

function unlike(type: JsonType, read: string): string {
  switch (type) {
    case 'array':
      return `!Array.isArray(${read})`;
    case 'null':
      return `${read} !== null`;
    case 'object':
      return `!isObject(${read})`;
    default:
      return `typeof ${read} !== '${type}'`;
  }
}

function constantTest(value: Json, spot: Spot, scope: ModuleScope): ScalarTest {
  const literal = jsonLiteral(value);
  if (isScalar(value)) {
    return { test: `${spot.read} !== ${literal}`, blame: `report.constant(${spot.read}, ${spot.step}, ${literal})` };
  }
  return { test: null, blame: `report.constant(${spot.read}, ${spot.step}, ${scope.constant('constant', literal)})` };
}

function enumTest(values: readonly Json[], spot: Spot, scope: ModuleScope): ScalarTest {
  const literals = values.map(jsonLiteral);
  const list = scope.constant('values', `[${literals.join(', ')}]`);
  const blame = `report.oneOf(${spot.read}, ${spot.step}, ${list})`;
  if (!values.every(isScalar)) return { test: null, blame };
  if (values.length <= 4) return { test: literals.map((literal) => `${spot.read} !== ${literal}`).join(' && '), blame };
  const set = scope.constant('known', `/* @__PURE__ */ new Set<unknown>(${list})`);
  return { test: `!${set}.has(${spot.read})`, blame };
}

function isScalar(value: Json): boolean {
  return value === null || typeof value !== 'object';
}
