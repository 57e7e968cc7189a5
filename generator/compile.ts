/**
 * The project's own compile step for validators: in memory for tests and tools, and as sources for the emitter. Both
 * forms come from the same code, so that they give the same verdicts.
 */

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AnyValidateFunction } from 'ajv/dist/types/index.js';
import { isDate, isDateTime, isEmail, isUri } from '../templates/support/formats.js';
import { isInteger, isNumber, isObject } from '../templates/support/validators/helpers.js';
import { type Check, runCheck, type Verdict } from '../templates/support/validators/issues.js';
import type { Definition, JsonObject } from './model.js';
import { replaceKeywords, resolveIn } from './validators/keywords.js';
import { rewriteCheck } from './validators/rewrite.js';
import { simplify, tracksEvaluated } from './validators/simplify.js';

/** Formats that are asserted, with the function that the emitted code imports for each. Others are refused. */
export const FORMATS = {
  date: { check: isDate, name: 'isDate' },
  'date-time': { check: isDateTime, name: 'isDateTime' },
  email: { check: isEmail, name: 'isEmail' },
  uri: { check: isUri, name: 'isUri' },
} as const;

const BUNDLE_ID = 'ahp:bundle';
/** Referenced schemas with at most this many keywords are compiled in place. */
const MAX_INLINE_KEYWORDS = 8;

export interface CompiledSet {
  /** Validates in memory by the name of a definition; never throws on data. Throws an `Error` on an unknown name. */
  validate(name: string, value: unknown): Verdict<unknown>;
  /** The compiled function of a definition, with its source. */
  checkOf(name: string): AnyValidateFunction<unknown>;
}

/** Compiles linked definitions that passed the check; each function is compiled when it is first asked for. */
export function compileDefinitions(definitions: Iterable<Definition>): CompiledSet {
  const byKey = new Map<string, Definition>();
  for (const definition of definitions) byKey.set(definition.key, definition);
  const schemas: [string, JsonObject][] = [...byKey.values()].map((one) => [one.name, simplify(one, byKey)]);
  const bundle: JsonObject = { $id: BUNDLE_ID, $defs: Object.fromEntries(schemas) };
  const ajv = createCompiler(schemas.some(([, schema]) => tracksEvaluated(schema)));
  replaceKeywords(ajv, resolveIn(bundle));
  ajv.addSchema(bundle as never);
  const names = new Set(schemas.map(([name]) => name));
  const checkOf = (name: string): AnyValidateFunction<unknown> => {
    const check = names.has(name) ? ajv.getSchema(`${BUNDLE_ID}#/$defs/${encodeURIComponent(name)}`) : undefined;
    if (check === undefined) throw new Error(`expected the name of a definition, got ${JSON.stringify(name)}`);
    return check;
  };
  return {
    checkOf,
    validate: (name, value) => runCheck(checkOf(name) as unknown as Check, value),
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
    strictSchema: true,
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
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate: format.check });
  return ajv;
}
