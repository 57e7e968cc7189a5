/**
 * Code of the keywords where the validator library falls short: numbers that are `JsonNumber`s, exact decimals, unions
 * that a tag decides, own members only, evaluated members after a condition that did not hold.
 */

import { _, type Code, type CodeKeywordDefinition, type KeywordCxt, Name, nil, type SchemaCxt } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { KeywordErrorCxt } from 'ajv/dist/types/index.js';
import { _Code } from 'ajv/dist/compile/codegen/code.js';
import { and, not, or } from 'ajv/dist/compile/codegen/index.js';
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js';
import { alwaysValidSchema, evaluatedPropsToName } from 'ajv/dist/compile/util.js';
import { getValidate } from 'ajv/dist/vocabularies/core/ref.js';
import * as helpers from '../../templates/support/validator-helpers.js';
import { isJsonObject, own } from '../keywords.js';
import type { Json } from '../model.js';
import { jsonLiteral } from '../text.js';

import { isList } from '../text.js';
import { toExpression } from './conditions.js';
import { CASES, CASES_ON, TYPES } from './simplify.js';
import { type Dispatch, findDispatch, type Resolve } from './tags.js';

export type HelperName = keyof typeof helpers;

/** Members that are compared one by one; more of them are looked up in a set. */
const MAX_COMPARISONS = 8;

const ERRORS = new Name('errors');
const V_ERRORS = new Name('vErrors');

const HELPERS: ReadonlyMap<string, unknown> = new Map(Object.entries(helpers));

/** Names a helper in the code; the standalone form imports it under the same name. */
function helper(cxt: KeywordCxt, name: HelperName): Name {
  return cxt.gen.scopeValue('func', { key: name, ref: HELPERS.get(name), code: _`${new Name(name)}` });
}

function constantSet(cxt: KeywordCxt, values: readonly string[]): Name {
  const key = JSON.stringify(values);
  return cxt.gen.scopeValue('obj', { key, ref: new Set(values), code: _`new Set(${literal(values)})` });
}

/** A JSON value as source text. */
function literal(value: Json): Code {
  return new _Code(jsonLiteral(value));
}

/** Puts the project's keywords in the place of the library's, each at its own rank in the order of evaluation. */
export function replaceKeywords(ajv: Ajv2020, resolve: Resolve): void {
  const replace = (keyword: string, definition: Partial<CodeKeywordDefinition>): void => {
    const rule = ajv.RULES.all[keyword];
    if (typeof rule !== 'object') throw new Error(`expected a rule for ${keyword}, got none`);
    rule.definition = { ...rule.definition, ...definition } as typeof rule.definition;
  };
  replace('$ref', { code: referenceCode });
  replace('const', { error: constantError, code: constantCode });
  replace('enum', { error: enumError, code: enumCode });
  replace('uniqueItems', { error: plainError, code: uniqueItemsCode });
  replace('minLength', { error: limitError, code: lengthCode });
  replace('maxLength', { error: limitError, code: lengthCode });
  for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']) {
    replace(keyword, { error: limitError, code: numberCode });
  }
  replace('additionalProperties', { code: additionalPropertiesCode });
  replace('oneOf', { error: unionError, code: (cxt) => unionCode(cxt, resolve, true) });
  replace('anyOf', { error: unionError, code: (cxt) => unionCode(cxt, resolve, false) });
  replace('if', { code: conditionCode });
  replace('not', { error: notError, code: exclusionCode(definitionCode(ajv, 'not')) });
  replace('prefixItems', { code: prefixItemsCode });
  replace('contains', { error: plainError, code: containsCode });
  for (const keyword of ['dependentSchemas']) {
    const original = definitionCode(ajv, keyword);
    replace(keyword, {
      code: (cxt) => {
        hoistEvaluated(cxt);
        original(cxt);
      },
    });
  }
  ajv.addKeyword({ keyword: TYPES, schemaType: 'array', error: typesError, code: typesCode });
  ajv.addKeyword({ keyword: CASES_ON });
  ajv.addKeyword({ keyword: CASES, schemaType: 'array', before: 'if', code: casesCode });
}

type KeywordCode = (cxt: KeywordCxt) => void;

function definitionCode(ajv: Ajv2020, keyword: string): KeywordCode {
  const rule = ajv.RULES.all[keyword];
  const code = typeof rule === 'object' && 'code' in rule.definition ? rule.definition.code : undefined;
  if (code === undefined) throw new Error(`expected code for ${keyword}, got none`);
  return code;
}

const plainError = { message: 'fails', params: _`{}` };
const limitError = { message: 'fails', params: ({ schema }: KeywordErrorCxt) => _`{limit: ${schema as number}}` };
const constantError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) => (isScalar(schema) ? _`{expected: ${literal([schema as Json])}}` : _`{}`),
};
const enumError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) =>
    (schema as unknown[]).every(isScalar) ? _`{expected: ${literal(schema as Json)}}` : _`{}`,
};

const typesError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) => _`{type: ${literal(schema as Json)}}`,
};
const unionError = {
  message: 'fails',
  params: ({ params }: KeywordErrorCxt) =>
    params.expected === undefined
      ? _`{several: ${params.several}}`
      : _`{tag: ${params.tag}, expected: ${params.expected}}`,
};

const notError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) => {
    const names = excludedMembers(schema as Json);
    return names === null ? _`{}` : _`{excluded: ${literal(names)}}`;
  },
};

/** Names of members of which none may be there; null when the schema excludes something else. */
function excludedMembers(schema: Json): string[] | null {
  if (!isJsonObject(schema)) return null;
  const branches = own(schema, 'anyOf');
  if (isList(branches) && Object.keys(schema).length === 1) {
    const names = branches.map(excludedMembers);
    return names.every((one) => one?.length === 1) ? names.flatMap((one) => one ?? []) : null;
  }
  const required = own(schema, 'required');
  const isPlain = Object.keys(schema).every((name) => name === 'required' || name === 'type');
  return isPlain && isList(required) && required.length === 1 ? required.map(String) : null;
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value !== 'object';
}

// ---- references ------------------------------------------------------------------------------------------------------

/** Calls the target with the value alone; only its findings are told the place, so that what fits makes no paths. */
function referenceCode(cxt: KeywordCxt): void {
  const { gen, schema: reference, it, data } = cxt;
  const { root } = it.schemaEnv;
  const target = resolveRef.call(it.self, root, it.baseId, reference as string);
  if (target === undefined) throw new Error(`expected a linked $ref, got ${JSON.stringify(reference)}`);
  if (!(target instanceof SchemaEnv)) {
    const valid = gen.name('valid');
    const inlined = cxt.subschema(
      {
        schema: target,
        schemaPath: nil,
        topSchemaRef: gen.scopeValue('schema', { ref: target, code: _`undefined` }),
        errSchemaPath: '',
      },
      valid,
    );
    cxt.mergeEvaluated(inlined);
    cxt.ok(valid);
    return;
  }
  const call = getValidate(cxt, target);
  cxt.result(
    _`${call}(${data})`,
    () => addEvaluated(cxt, call, target),
    () => {
      const found = _`${call}.errors`;
      const isHere = it.errorPath.emptyStr();
      const errors = isHere ? found : _`${helper(cxt, 'prefixFindings')}(${found}, ${it.errorPath})`;
      gen.assign(V_ERRORS, _`${V_ERRORS} === null ? ${errors} : ${V_ERRORS}.concat(${errors})`);
      gen.assign(ERRORS, _`${V_ERRORS}.length`);
    },
  );
}

interface Evaluated {
  readonly props?: true | Record<string, true>;
  readonly items?: true | number;
  readonly dynamicProps: boolean;
  readonly dynamicItems: boolean;
}

function addEvaluated(cxt: KeywordCxt, call: Code, target: SchemaEnv): void {
  if (!cxt.it.opts.unevaluated) return;
  const evaluated = target.validate?.evaluated as Evaluated | undefined;
  const fromCall = (kind: 'props' | 'items'): Name => cxt.gen.var(kind, _`${call}.evaluated.${new Name(kind)}`);
  const props = evaluated !== undefined && !evaluated.dynamicProps ? evaluated.props : fromCall('props');
  const items = evaluated !== undefined && !evaluated.dynamicItems ? evaluated.items : fromCall('items');
  const merged = { ...cxt.it, props, items } as unknown as SchemaCxt;
  cxt.mergeEvaluated(merged, props instanceof Name || items instanceof Name ? Name : undefined);
}

/**
 * Turns what is known to be evaluated so far into a variable. Without it the library puts the union of this and a
 * branch's own into a variable only where the branch holds, and loses both where it does not; in a loop, the variable
 * would also keep what it was for the element before.
 */
function hoistEvaluated({ gen, it }: KeywordCxt): void {
  if (!it.opts.unevaluated) return;
  if (it.props !== true && !(it.props instanceof Name)) it.props = evaluatedPropsToName(gen, it.props);
  if (it.items !== true && !(it.items instanceof Name)) it.items = gen.var('items', it.items ?? 0);
}

// ---- types -----------------------------------------------------------------------------------------------------------

function typesCode(cxt: KeywordCxt): void {
  cxt.fail(not(or(...(cxt.schema as readonly string[]).map((type) => hasType(cxt, type)))));
}

function hasType(cxt: KeywordCxt, type: string): Code {
  const { data } = cxt;
  switch (type) {
    case 'null':
      return _`${data} === null`;
    case 'array':
      return _`Array.isArray(${data})`;
    case 'object':
      return _`${helper(cxt, 'isObject')}(${data})`;
    case 'number':
      return _`${helper(cxt, 'isNumber')}(${data})`;
    case 'integer':
      return _`${helper(cxt, 'isInteger')}(${data})`;
    default:
      return _`typeof ${data} === ${type}`;
  }
}

// ---- constants and numbers -------------------------------------------------------------------------------------------

function constantCode(cxt: KeywordCxt): void {
  cxt.fail(not(equals(cxt, cxt.schema as Json)));
}

function enumCode(cxt: KeywordCxt): void {
  const values = cxt.schema as readonly Json[];
  const texts = values.filter((value): value is string => typeof value === 'string');
  const others = values.filter((value) => typeof value !== 'string').map((value) => equals(cxt, value));
  const text =
    texts.length > MAX_COMPARISONS
      ? [_`${constantSet(cxt, texts)}.has(${cxt.data})`]
      : texts.map((value) => equals(cxt, value));
  // An empty enum is a schema that nothing satisfies.
  if (values.length === 0) cxt.fail(_`true`);
  else cxt.fail(not(or(...text, ...others)));
}

function equals(cxt: KeywordCxt, value: Json): Code {
  const { data } = cxt;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return _`${data} === ${value}`;
  return _`${helper(cxt, 'isEqual')}(${data}, ${literal(value)})`;
}

function uniqueItemsCode(cxt: KeywordCxt): void {
  if (cxt.schema === true) cxt.fail(_`${helper(cxt, 'hasRepeats')}(${cxt.data})`);
}

/** Code points are counted only where the number of UTF-16 units leaves it open. */
function lengthCode(cxt: KeywordCxt): void {
  const { data, keyword } = cxt;
  const limit = cxt.schema as number;
  const count = _`${helper(cxt, 'countCodePoints')}(${data})`;
  if (keyword === 'maxLength') cxt.fail(_`${data}.length > ${limit} && ${count} > ${limit}`);
  else if (limit <= 1) cxt.fail(_`${data}.length < ${limit}`);
  else cxt.fail(_`${data}.length < ${limit} || (${data}.length < ${2 * limit} && ${count} < ${limit})`);
}

const NUMBER_TESTS: Readonly<Record<string, HelperName>> = {
  minimum: 'isBelow',
  maximum: 'isAbove',
  exclusiveMinimum: 'isAtMost',
  exclusiveMaximum: 'isAtLeast',
};

function numberCode(cxt: KeywordCxt): void {
  const limit = cxt.schema as number;
  const name = NUMBER_TESTS[cxt.keyword];
  if (name !== undefined) cxt.fail(_`${helper(cxt, name)}(${cxt.data}, ${limit})`);
  else cxt.fail(_`!${helper(cxt, 'isMultipleOf')}(${cxt.data}, ${limit})`);
}

// ---- members ---------------------------------------------------------------------------------------------------------

function additionalPropertiesCode(cxt: KeywordCxt): void {
  const { gen, data, parentSchema, it, errsCount } = cxt;
  const schema = cxt.schema as Json;
  it.props = true;
  if (alwaysValidSchema(it, schema as never) === true) return;
  const names = Object.keys((parentSchema['properties'] as object | undefined) ?? {});
  const patterns = Object.keys((parentSchema['patternProperties'] as object | undefined) ?? {});
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

// ---- unions ----------------------------------------------------------------------------------------------------------

/**
 * `oneOf` and `anyOf`. Where a member tells branches apart by string constants, only those that its value allows are
 * tried; the others cannot hold, so that the verdict is the same.
 */
function unionCode(cxt: KeywordCxt, resolve: Resolve, exactlyOne: boolean): void {
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

/** `if`. A condition that can be written as an expression costs no findings. */
function conditionCode(cxt: KeywordCxt): void {
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
function prefixItemsCode(cxt: KeywordCxt): void {
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

function containsCode(cxt: KeywordCxt): void {
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

function exclusionCode(original: KeywordCode): KeywordCode {
  return (cxt) => {
    const test = toExpression(cxt.schema as Json, cxt.data, (name) => helper(cxt, name));
    if (test === null) original(cxt);
    else cxt.fail(test);
  };
}

/** The one consequence whose constant stands under the path, if any. */
function casesCode(cxt: KeywordCxt): void {
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

/** Reads a bundle reference such as `#/$defs/Name`. */
export function resolveIn(bundle: Json): Resolve {
  return (reference) => {
    if (!isJsonObject(bundle) || !reference.startsWith('#/$defs/')) return undefined;
    const definitions = own(bundle, '$defs');
    return definitions !== undefined && isJsonObject(definitions) ? own(definitions, reference.slice(8)) : undefined;
  };
}
