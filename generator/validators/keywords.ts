/**
 * Puts the project's code in the place of the validator library's where that falls short: numbers that are
 * `JsonNumber`s, exact decimals, unions that a tag decides, own members only, evaluated members after a condition that
 * did not hold.
 */

import { _, type Code, type CodeKeywordDefinition, type KeywordCxt, Name, nil, type SchemaCxt } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js';
import { getValidate } from 'ajv/dist/vocabularies/core/ref.js';
import { isJsonObject, own } from '../keywords.js';
import type { Json } from '../model.js';
import {
  additionalPropertiesCode,
  conditionCode,
  containsCode,
  exclusionCode,
  prefixItemsCode,
} from './applicators.js';
import { constantCode, enumCode, lengthCode, numberCode, typesCode, uniqueItemsCode } from './assertions.js';
import { helper, hoistEvaluated } from './code.js';
import { constantError, enumError, limitError, notError, plainError, typesError, unionError } from './errors.js';
import { CASES, CASES_ON, TYPES } from './simplify.js';
import type { Resolve } from './tags.js';
import { casesCode, unionCode } from './unions.js';

const ERRORS = new Name('errors');
const V_ERRORS = new Name('vErrors');

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

/** Reads a bundle reference such as `#/$defs/Name`. */
export function resolveIn(bundle: Json): Resolve {
  return (reference) => {
    if (!isJsonObject(bundle) || !reference.startsWith('#/$defs/')) return undefined;
    const definitions = own(bundle, '$defs');
    return definitions !== undefined && isJsonObject(definitions) ? own(definitions, reference.slice(8)) : undefined;
  };
}
