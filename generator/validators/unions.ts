/** Unions that a tag decides, and conditions that a constant decides. */

import { _, type Code, type KeywordCxt, Name, type SchemaCxt } from 'ajv';
import { not, or } from 'ajv/dist/compile/codegen/index.js';
import type { Json } from '../model.js';
import { helper, hoistEvaluated, literal } from './code.js';
import { CASES, CASES_ON } from './simplify.js';
import { type Dispatch, findDispatch, type Resolve } from './tags.js';

/**
 * `oneOf` and `anyOf`. Where a member tells branches apart by string constants, only those that its value allows are
 * tried; the others cannot hold, so that the verdict is the same.
 */
export function unionCode(cxt: KeywordCxt, resolve: Resolve, exactlyOne: boolean): void {
  const branches = cxt.schema as readonly Json[];
  hoistEvaluated(cxt);
  const valid = cxt.gen.let('valid', false);
  choose(
    branches.map((_branch, index) => index),
    [],
  );
  cxt.ok(valid);

  function choose(indexes: readonly number[], decided: readonly string[]): void {
    const dispatch = indexes.length < 2 ? null : findDispatch(branches, indexes, decided, resolve);
    if (dispatch === null) {
      tryAll(indexes);
      return;
    }
    const { gen, data } = cxt;
    const member = dispatch.member;
    const tag = gen.const('tag', _`${helper(cxt, 'readMember')}(${data}, ${member})`);
    const groups = new Map<string, { texts: string[]; indexes: readonly number[] }>();
    for (const [text, picked] of dispatch.cases) {
      const key = picked.join();
      const group = groups.get(key) ?? { texts: [], indexes: picked };
      group.texts.push(text);
      groups.set(key, group);
    }
    gen.if(false);
    for (const { texts, indexes: picked } of groups.values()) {
      gen.elseIf(or(...texts.map((text) => _`${tag} === ${text}`)));
      choose(picked, [...decided, member]);
    }
    gen.elseIf(_`${tag} === undefined`);
    tryAll(dispatch.absent, dispatch);
    gen.else();
    tryAll(dispatch.other, dispatch);
    gen.endIf();
  }

  function tryAll(indexes: readonly number[], dispatch?: Dispatch): void {
    const { gen, it } = cxt;
    const [only] = indexes;
    if (only === undefined) {
      // The error names the tag and what it could have been.
      cxt.setParams(
        dispatch === undefined
          ? { several: _`false` }
          : { tag: dispatch.member, expected: literal([...dispatch.cases.keys()]) },
      );
      cxt.error(false);
      return;
    }
    if (indexes.length === 1) {
      const branchValid = gen.name('_valid');
      const branch = cxt.subschema({ keyword: cxt.keyword, schemaProp: only }, branchValid);
      gen.assign(valid, branchValid);
      mergeWhere(branchValid, branch);
      return;
    }
    const branchValid = gen.name('_valid');
    const count = gen.let('count', 0);
    gen.block(() => {
      for (const [position, index] of indexes.entries()) {
        const branch = cxt.subschema({ keyword: cxt.keyword, schemaProp: index, compositeRule: true }, branchValid);
        gen.if(branchValid, () => gen.assign(count, _`${count} + 1`));
        mergeWhere(branchValid, branch);
        const last = position === indexes.length - 1;
        if (last) continue;
        // Without evaluated members to gather, the first branch that holds ends an anyOf, and the second a oneOf.
        if (exactlyOne) gen.if(_`${count} < 2`);
        else if (!it.opts.unevaluated) gen.if(_`${count} === 0`);
      }
    });
    gen.assign(valid, exactlyOne ? _`${count} === 1` : _`${count} > 0`);
    gen.if(valid, () => cxt.reset());
    gen.if(not(valid), () => {
      cxt.setParams({ several: exactlyOne ? _`${count} > 1` : _`false` });
      cxt.error(true);
    });
  }

  function mergeWhere(holds: Name, branch: SchemaCxt): void {
    if (cxt.it.opts.unevaluated) cxt.gen.if(holds, () => cxt.mergeEvaluated(branch, Name));
  }
}

/** The one consequence whose constant stands under the path, if any. */
export function casesCode(cxt: KeywordCxt): void {
  const { gen, data, parentSchema } = cxt;
  const on = parentSchema[CASES_ON] as { path: readonly string[]; values: readonly string[] };
  let place: Code = data;
  for (const name of on.path) place = _`${helper(cxt, 'readMember')}(${place}, ${name})`;
  hoistEvaluated(cxt);
  const value = gen.const('case', place);
  const valid = gen.let('valid', true);
  gen.if(false);
  for (const [index, text] of on.values.entries()) {
    gen.elseIf(_`${value} === ${text}`);
    const branchValid = gen.name('_valid');
    const branch = cxt.subschema({ keyword: CASES, schemaProp: index }, branchValid);
    gen.assign(valid, branchValid);
    if (cxt.it.opts.unevaluated) gen.if(branchValid, () => cxt.mergeEvaluated(branch, Name));
  }
  gen.endIf();
  cxt.ok(valid);
}
