/**
 * The project's own compile step for validators: in memory for tests and tools, and as sources for the emitter. Both
 * forms come from the same code, so that they give the same verdicts.
 */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { SchemaEnv } from 'ajv/dist/compile/index.js';
import type { AnyValidateFunction } from 'ajv/dist/types/index.js';
import { isInteger, isNumber, isObject } from '../templates/support/validator-helpers.js';
import type { ValidationResult } from '../templates/support/results.js';
import { type Check, runCheck } from '../templates/support/validator-issues.js';
import { FORMATS } from './formats.js';
import type { Definition, JsonObject } from './model.js';
import { replaceKeywords, resolveIn } from './validators/keywords.js';
import { rewriteCheck } from './validators/rewrite.js';
import { simplify, tracksEvaluated } from './validators/simplify.js';

const BUNDLE_ID = 'ahp:bundle';
/** Referenced schemas with at most this many keywords are compiled in place. */
const MAX_INLINE_KEYWORDS = 8;

export interface CompiledSet {
  /** Validates in memory by the key of a definition; never throws on data. Throws an `Error` on an unknown key. */
  validate(key: string, value: unknown): ValidationResult<unknown>;
  /** The compiled function of a definition, with its source. */
  checkOf(key: string): AnyValidateFunction<unknown>;
  /** The key of the definition that a compiled function, or one that is still to be compiled, belongs to. */
  keyOf(target: AnyValidateFunction<unknown> | SchemaEnv): string;
  /** True when checks leave for their callers which members they evaluated. */
  readonly tracksEvaluated: boolean;
}

/** Compiles linked definitions that passed the check; each function is compiled when it is first asked for. */
export function compileDefinitions(definitions: Iterable<Definition>): CompiledSet {
  const byKey = new Map<string, Definition>();
  for (const definition of definitions) byKey.set(definition.key, definition);
  const references = new Map([...byKey.keys()].map((key, index) => [key, `#/$defs/d${index}`]));
  const schemas = [...byKey.values()].map((one, index): [string, JsonObject] => [
    `d${index}`,
    simplify(one, byKey, references),
  ]);
  const bundle: JsonObject = { $id: BUNDLE_ID, $defs: Object.fromEntries(schemas) };
  const isTracking = schemas.some(([, schema]) => tracksEvaluated(schema));
  const ajv = createCompiler(isTracking);
  replaceKeywords(ajv, resolveIn(bundle));
  ajv.addSchema(bundle as never);
  const root = ajv.schemas[BUNDLE_ID];
  if (root === undefined) throw new Error('expected the bundle among the schemas, got none');
  const keys = new Map<unknown, string>();
  for (const [index, key] of [...byKey.keys()].entries()) {
    const schema = schemas[index]?.[1] ?? {};
    keys.set(schema, key);
    // Without an entry of its own a definition would be compiled once by name and once more where it is referred to.
    ajv.refs[BUNDLE_ID + (references.get(key) ?? '')] = new SchemaEnv({
      schema,
      schemaId: '$id',
      root,
      baseId: BUNDLE_ID,
    });
  }
  const checkOf = (key: string): AnyValidateFunction<unknown> => {
    const reference = references.get(key);
    const check = reference === undefined ? undefined : ajv.getSchema(BUNDLE_ID + reference);
    if (check === undefined) throw new Error(`expected the key of a definition, got ${JSON.stringify(key)}`);
    return check;
  };
  return {
    checkOf,
    tracksEvaluated: isTracking,
    validate: (key, value) => runCheck(checkOf(key) as unknown as Check, value),
    keyOf: (target) => {
      const key = keys.get(target.schema);
      if (key === undefined) throw new Error('expected the function of a definition, got another one');
      return key;
    },
  };
}

/** Ajv with the helpers that rewritten sources call. */
class Compiler extends Ajv2020 {
  readonly helpers = { isInteger, isNumber, isObject };
}

function createCompiler(tracksEvaluatedMembers: boolean): Compiler {
  const ajv = new Compiler({
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    // Unknown formats are refused; what the check passed is not refused here for being needless.
    strictSchema: 'log',
    allowMatchingProperties: true,
    strictNumbers: true,
    // These three refuse sound schemas: members that a branch requires, keywords without a type beside, short tuples.
    strictRequired: false,
    strictTypes: false,
    strictTuples: false,
    ownProperties: true,
    messages: false,
    inlineRefs: MAX_INLINE_KEYWORDS,
    logger: false,
    code: {
      source: true,
      esm: true,
      lines: true,
      process: (source) => `const {isInteger, isNumber, isObject} = self.helpers;\n${rewriteCheck(source)}`,
    },
  });
  // Checks that gather evaluated members are slower, and the option is set by the class whatever it is given.
  ajv.opts.unevaluated = tracksEvaluatedMembers;
  ajv.opts.dynamicRef = false;
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format.check);
  return ajv;
}
