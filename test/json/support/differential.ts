/* Compares the module with the independent judge on one input; gives what differs, or null. */
import { isDeepStrictEqual } from 'node:util';
import { encode, isJsonNumber, jsonEqual, parse } from '../../../templates/support/json/index.js';
import { encodeExact } from '../../../templates/support/json/encode-exact.js';
import { parseExact } from '../../../templates/support/json/parse-exact.js';
import { doubleHolds, judgeBytes, judgeText, type Tree, type Verdict, writeTree } from './association-parser.js';

/** Says what differs between the module and the judge on this input, or null. */
export function findDifference(input: string | Uint8Array): string | null {
  const verdict: Verdict = typeof input === 'string' ? judgeText(input) : judgeBytes(input);
  const result = parse(input);
  if ('code' in verdict) {
    if (result.ok) return `accepted, the judge says ${verdict.code}`;
    const codes = result.issues.map((issue) => issue.code).join();
    return codes === verdict.code ? null : `refused as ${codes}, the judge says ${verdict.code}`;
  }
  if (!result.ok) return `refused as ${result.issues[0]?.code}: ${result.issues[0]?.message}`;
  const place = findOtherValue(verdict.tree, result.value, true);
  if (place !== null) return `another value at ${place === '' ? 'the root' : place}`;
  const expected = writeTree(verdict.tree);
  if (encode(result.value) !== expected) return `encoded as ${encode(result.value)}`;
  if (encodeExact(result.value, 256) !== expected) return `encoded exactly as ${encodeExact(result.value, 256)}`;
  const slow = parseExact(typeof input === 'string' ? input : Buffer.from(input).toString('utf8'), 256);
  if (!slow.ok || !isDeepStrictEqual(slow.value, result.value)) return 'read otherwise by the exact parser';
  const again = parse(expected);
  if (!again.ok || !jsonEqual(again.value, result.value)) return 'not equal to what its own encoding gives';
  if (isJsonNumber(result.value)) return null;
  const spread = spreadObjects(result.value);
  if (encode(spread) !== expected) return `encoded after spread as ${encode(spread)}`;
  return jsonEqual(again.value, spread) ? null : 'not equal after spread';
}

/** Gives the place where the value is not what the tree says, or null. */
function findOtherValue(tree: Tree, value: unknown, isRoot: boolean): string | null {
  switch (tree.kind) {
    case 'word':
    case 'string':
      return Object.is(value, tree.value) ? null : '';
    case 'number': {
      const double = Number(tree.lexeme);
      const isCanonical = String(double) === tree.lexeme || tree.lexeme === '-0';
      if (isRoot ? isCanonical : doubleHolds(tree.lexeme)) return Object.is(value, double) ? null : '';
      return isJsonNumber(value) && value.text === tree.lexeme && Object.isFrozen(value) ? null : '';
    }
    case 'list': {
      if (!Array.isArray(value) || value.length !== tree.items.length) return '';
      for (const [index, item] of tree.items.entries()) {
        const place = findOtherValue(item, value[index], false);
        if (place !== null) return `/${index}${place}`;
      }
      return null;
    }
    default: {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
      if (Object.getPrototypeOf(value) !== Object.prototype) return '';
      if (Object.keys(value).length !== tree.members.length) return '';
      for (const [name, member] of tree.members) {
        if (!Object.hasOwn(value, name)) return `/${name}`;
        const place = findOtherValue(member, (value as Record<string, unknown>)[name], false);
        if (place !== null) return `/${name}${place}`;
      }
      return null;
    }
  }
}

/** Gives the value with every object spread into a new one; lists stay and take the new elements. */
export function spreadObjects(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isJsonNumber(value)) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = value;
    for (const [index, element] of list.entries()) list[index] = spreadObjects(element);
    return list;
  }
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  // Every name is an own member already, so that `__proto__` is one too.
  for (const name of Object.keys(copy)) copy[name] = spreadObjects(copy[name]);
  return copy;
}
