/** Small parts of code that the keywords share. */

import { _, type Code, type KeywordCxt, Name } from 'ajv';
import { _Code } from 'ajv/dist/compile/codegen/code.js';
import { evaluatedPropsToName } from 'ajv/dist/compile/util.js';
import * as helpers from '../../templates/support/validator-helpers.js';
import type { Json } from '../model.js';
import { jsonLiteral } from '../text.js';

export type HelperName = keyof typeof helpers;

/** Members that are compared one by one; more of them are looked up in a set. */
export const MAX_COMPARISONS = 8;

const HELPERS: ReadonlyMap<string, unknown> = new Map(Object.entries(helpers));

/** Names a helper in the code; the standalone form imports it under the same name. */
export function helper(cxt: KeywordCxt, name: HelperName): Name {
  return cxt.gen.scopeValue('func', { key: name, ref: HELPERS.get(name), code: _`${new Name(name)}` });
}

export function constantSet(cxt: KeywordCxt, values: readonly string[]): Name {
  const key = JSON.stringify(values);
  return cxt.gen.scopeValue('obj', { key, ref: new Set(values), code: _`new Set(${literal(values)})` });
}

/** A JSON value as source text. */
export function literal(value: Json): Code {
  return new _Code(jsonLiteral(value));
}

/**
 * Turns what is known to be evaluated so far into a variable. Without it the library puts the union of this and a
 * branch's own into a variable only where the branch holds, and loses both where it does not; in a loop, the variable
 * would also keep what it was for the element before.
 */
export function hoistEvaluated({ gen, it }: KeywordCxt): void {
  if (!it.opts.unevaluated) return;
  if (it.props !== true && !(it.props instanceof Name)) it.props = evaluatedPropsToName(gen, it.props);
  if (it.items !== true && !(it.items instanceof Name)) it.items = gen.var('items', it.items ?? 0);
}
