/** Keywords that apply schemas to members, to elements and under conditions. */

import { _, type KeywordCxt, Name, type SchemaCxt } from 'ajv';
import { and, not, or } from 'ajv/dist/compile/codegen/index.js';
import { alwaysValidSchema } from 'ajv/dist/compile/util.js';
import type { Json } from '../model.js';
import { constantSet, helper, hoistEvaluated, MAX_COMPARISONS } from './code.js';
import { toExpression } from './conditions.js';

const ERRORS = new Name('errors');

export function additionalPropertiesCode(cxt: KeywordCxt): void {
  const { gen, data, parentSchema, it, errsCount } = cxt;
  const schema = cxt.schema as Json;
  it.props = true;
  if (alwaysValidSchema(it, schema as never) === true) return;
  const names = Object.keys((parentSchema.properties as object | undefined) ?? {});
  const patterns = Object.keys((parentSchema.patternProperties as object | undefined) ?? {});
  gen.forIn('key', data, (key) => {
    const named =
      names.length > MAX_COMPARISONS
        ? [_`${constantSet(cxt, names)}.has(${key})`]
        : names.map((name) => _`${key} === ${name}`);
    const matched = patterns.map((pattern) => _`${patternName(cxt, pattern)}.test(${key})`);
    const isKnown = [...named, ...matched];
    const check = (): void => {
      if (schema === false) {
        cxt.setParams({ additionalProperty: key });
        cxt.error();
        if (!it.allErrors) gen.break();
        return;
      }
      const valid = gen.name('valid');
      cxt.subschema({ keyword: 'additionalProperties', dataProp: key, dataPropType: 1 }, valid);
      if (!it.allErrors) gen.if(not(valid), () => gen.break());
    };
    if (isKnown.length === 0) check();
    else gen.if(not(or(...isKnown)), check);
  });
  cxt.ok(_`${errsCount as Name} === ${ERRORS}`);
}

function patternName(cxt: KeywordCxt, pattern: string): Name {
  const expression = new RegExp(pattern, 'u');
  return cxt.gen.scopeValue('pattern', {
    key: expression.toString(),
    ref: expression,
    code: _`new RegExp(${pattern}, "u")`,
  });
}

/** `if`. A condition that can be written as an expression costs no findings. */
export function conditionCode(cxt: KeywordCxt): void {
  const { gen, parentSchema, it } = cxt;
  hoistEvaluated(cxt);
  const valid = gen.let('valid', true);
  const test = it.opts.unevaluated ? null : toExpression(cxt.schema as Json, cxt.data, (name) => helper(cxt, name));
  const merge = (branch: SchemaCxt): void => {
    if (it.opts.unevaluated) cxt.mergeEvaluated(branch, Name);
  };
  const clause = (keyword: 'then' | 'else'): void => {
    const schema = parentSchema[keyword] as Json | undefined;
    if (schema === undefined || alwaysValidSchema(it, schema as never) === true) return;
    const branchValid = gen.name('_valid');
    const branch = cxt.subschema({ keyword }, branchValid);
    gen.assign(valid, branchValid);
    gen.if(branchValid, () => merge(branch));
  };
  if (test === null) {
    const schemaValid = gen.name('_valid');
    const condition = cxt.subschema(
      { keyword: 'if', compositeRule: true, createErrors: false, allErrors: false },
      schemaValid,
    );
    const holds = gen.const('holds', schemaValid);
    cxt.reset();
    gen.if(holds, () => {
      // Also a condition without a consequence evaluates members.
      merge(condition);
      clause('then');
    });
    gen.if(not(holds), () => clause('else'));
  } else {
    const holds = gen.const('holds', test);
    gen.if(holds, () => clause('then'));
    gen.if(not(holds), () => clause('else'));
  }
  cxt.ok(valid);
}

/** The library's own code passes over what stands after `prefixItems` when the list is shorter than they are. */
export function prefixItemsCode(cxt: KeywordCxt): void {
  const { gen, data, it } = cxt;
  const schemas = cxt.schema as readonly Json[];
  for (const [index, schema] of schemas.entries()) {
    if (alwaysValidSchema(it, schema as never) === true) continue;
    const valid = gen.let('valid', true);
    gen.if(_`${data}.length > ${index}`, () => {
      const elementValid = gen.name('_valid');
      cxt.subschema({ keyword: 'prefixItems', schemaProp: index, dataProp: index }, elementValid);
      gen.assign(valid, elementValid);
    });
    cxt.ok(valid);
  }
}

export function containsCode(cxt: KeywordCxt): void {
  const { gen, data, parentSchema } = cxt;
  const least = (parentSchema.minContains as number | undefined) ?? 1;
  const most = parentSchema.maxContains as number | undefined;
  const count = gen.let('count', 0);
  gen.forRange('i', 0, _`${data}.length`, (index) => {
    const fits = gen.name('_valid');
    cxt.subschema({ keyword: 'contains', dataProp: index, dataPropType: 0, compositeRule: true }, fits);
    gen.if(fits, () => {
      gen.assign(count, _`${count} + 1`);
      if (most === undefined) gen.if(_`${count} >= ${least}`, () => gen.break());
    });
  });
  const isEnough = _`${count} >= ${least}`;
  const valid = gen.const('valid', most === undefined ? isEnough : and(isEnough, _`${count} <= ${most}`));
  cxt.reset();
  cxt.result(valid, () => undefined);
}

export function exclusionCode(original: (cxt: KeywordCxt) => void): (cxt: KeywordCxt) => void {
  return (cxt) => {
    const test = toExpression(cxt.schema as Json, cxt.data, (name) => helper(cxt, name));
    if (test === null) original(cxt);
    else cxt.fail(test);
  };
}
