/** Emits the validators: precompiled checks, one module per family, and the thin typed functions over them. */

import type { AnyValidateFunction } from 'ajv/dist/types/index.js';
import { type CompiledSet, compileDefinitions } from './compile.js';
import { FORMATS } from './formats.js';
import type { EmittedFile, Json, Plan, PlannedDefinition, PlannedFamily } from './model.js';
import { loadTemplate } from './templates.js';
import { docComment, jsonLiteral } from './text.js';
import { readToolIdentity } from './tool.js';
import { renameIdentifiers, rewriteCheck } from './validators/rewrite.js';

interface ImportView {
  readonly from: string;
  readonly names: string;
}

interface ModuleView {
  readonly typesModule: string;
  readonly compiledModule: string;
  readonly checks: string;
  readonly publics: readonly {
    readonly doc: string;
    readonly validate: string;
    readonly type: string;
    readonly check: string;
  }[];
}

interface CompiledView {
  readonly ajvVersion: string;
  readonly imports: readonly ImportView[];
  readonly constants: readonly { readonly name: string; readonly value: string }[];
  readonly checks: readonly string[];
}

/** One typed module per family with public definitions, one compiled module per family with checks in use. */
export function emitValidators(plan: Plan): EmittedFile[] {
  const printModule = loadTemplate<ModuleView>('validators/module');
  const printCompiled = loadTemplate<CompiledView>('validators/compiled');
  const compiled = compileDefinitions(plan.definitions.map((planned) => planned.definition));
  const used = findUsed(plan, compiled);
  const files: EmittedFile[] = [];
  for (const family of plan.families) {
    const checks = family.definitions.filter((planned) => used.has(planned.definition.key));
    if (checks.length > 0) {
      files.push({ path: compiledFile(family), text: printCompiled(compiledView(plan, family, checks, compiled)) });
    }
    if (family.definitions.some((planned) => planned.functions !== null)) {
      files.push({ path: family.validatorsFile, text: printModule(moduleView(family)) });
    }
  }
  return files;
}

function compiledFile(family: PlannedFamily): string {
  return family.validatorsFile.replace(/([^/]+)$/, 'compiled/$1');
}

function moduleOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.ts$/, '.js');
}

function moduleView(family: PlannedFamily): ModuleView {
  const publics = family.definitions.flatMap((planned) => {
    const { functions, typeName: type, checkName: check } = planned;
    if (functions === null) return [];
    const doc = docComment([
      `Validates a JSON value as a \`${type}\` against the canonical schema, formats asserted (Semantics §1).`,
      'Gives the same value, marked as valid in its type, or issues; nothing that comes in makes it throw.',
    ]);
    return [{ doc, validate: functions.validate, type, check }];
  });
  return {
    typesModule: family.typesFile.replace(/\.ts$/, '.js'),
    compiledModule: `./compiled/${moduleOf(family.validatorsFile)}`,
    checks: publics.map((view) => view.check).join(', '),
    publics,
  };
}

/** Public definitions and everything that their compiled checks call. */
function findUsed(plan: Plan, compiled: CompiledSet): ReadonlySet<string> {
  const used = new Set<string>();
  const queue = plan.definitions.filter((one) => one.functions !== null).map((one) => one.definition.key);
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (used.has(key)) continue;
    used.add(key);
    for (const name of scopeNames(compiled.checkOf(key))) {
      const target = calledKey(name, compiled);
      if (target !== null) queue.push(target);
    }
  }
  return used;
}

interface ScopeName {
  readonly str: string;
  readonly prefix: string;
  readonly value?: { readonly ref: unknown; readonly key?: unknown; readonly code?: { toString(): string } };
}

function scopeNames(check: AnyValidateFunction<unknown>): ScopeName[] {
  const values = sourceOf(check).scopeValues;
  return Object.values(values).flatMap((names) => [...(names ?? [])] as ScopeName[]);
}

function sourceOf(check: AnyValidateFunction<unknown>): NonNullable<AnyValidateFunction<unknown>['source']> {
  if (check.source === undefined) throw new Error('expected a compiled check with its source, got one without');
  return check.source;
}

function calledKey(name: ScopeName, compiled: CompiledSet): string | null {
  if (name.prefix !== 'validate' && name.prefix !== 'wrapper') return null;
  return compiled.keyOf(name.value?.ref as AnyValidateFunction<unknown>);
}

/** Gathers what the checks of one module need from elsewhere and what they share. */
class CompiledModule {
  readonly #imports = new Map<string, Set<string>>();
  readonly #constants = new Map<string, { name: string; value: string }>();

  get imports(): ImportView[] {
    return [...this.#imports].sort(byFirst).map(([from, names]) => ({ from, names: [...names].sort().join(', ') }));
  }

  get constants(): { name: string; value: string }[] {
    return [...this.#constants.values()];
  }

  use(from: string, name: string): string {
    this.#imports.set(from, (this.#imports.get(from) ?? new Set()).add(name));
    return name;
  }

  /** A constant of the module; the same source is one constant. `isPure` lets bundlers drop a call that nobody uses. */
  constant(stem: string, source: string, isPure: boolean): string {
    const known = this.#constants.get(source);
    if (known !== undefined) return known.name;
    const name = `${stem}${this.#constants.size}`;
    this.#constants.set(source, { name, value: isPure ? `/* @__PURE__ */ ${source}` : source });
    return name;
  }
}

function byFirst(left: readonly [string, unknown], right: readonly [string, unknown]): number {
  return left[0] < right[0] ? -1 : 1;
}

function compiledView(
  plan: Plan,
  family: PlannedFamily,
  checks: readonly PlannedDefinition[],
  compiled: CompiledSet,
): CompiledView {
  const module = new CompiledModule();
  const texts = checks.map((planned) => printCheck(plan, family, planned, compiled, module));
  return {
    ajvVersion: readToolIdentity().libraries.ajv ?? '',
    imports: module.imports,
    constants: module.constants,
    checks: texts,
  };
}

const HELPERS = '../../support/validator-helpers.js';
const OWN_MEMBER = 'Object.prototype.hasOwnProperty';

function printCheck(
  plan: Plan,
  family: PlannedFamily,
  planned: PlannedDefinition,
  compiled: CompiledSet,
  module: CompiledModule,
): string {
  const check = compiled.checkOf(planned.definition.key);
  const { validateName, validateCode, evaluated } = sourceOf(check);
  const source = rewriteCheck(validateCode);
  const names = new Map([[validateName.str, planned.checkName]]);
  for (const name of ['isInteger', 'isNumber', 'isObject']) if (uses(source, name)) module.use(HELPERS, name);
  for (const name of scopeNames(check)) {
    if (!uses(source, name.str)) continue;
    const key = calledKey(name, compiled);
    const target = key === null ? undefined : plan.byKey.get(key);
    if (target !== undefined) {
      if (target.family !== family.name) module.use(`./${target.family}.js`, target.checkName);
      names.set(name.prefix === 'wrapper' ? `${name.str}.validate` : name.str, target.checkName);
    } else {
      names.set(name.str, printScopeValue(name, module));
    }
  }
  const text = renameIdentifiers(source, names);
  if (/\brequire\(/.test(text)) throw new Error(`expected a check without require, got one for ${planned.typeName}`);
  const tracked = compiled.tracksEvaluated ? `\n${planned.checkName}.evaluated = ${String(evaluated)};` : '';
  return `export ${text}${tracked}`;
}

function uses(source: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(source);
}

function printScopeValue(name: ScopeName, module: CompiledModule): string {
  const source = String(name.value?.code ?? '');
  switch (name.prefix) {
    case 'formats': {
      const format = Object.entries(FORMATS).find(([key]) => key === name.value?.key);
      if (format === undefined) break;
      return module.use('../../support/formats.js', format[1].name);
    }
    case 'pattern':
      return module.constant('pattern', source, true);
    case 'schema':
      // Constants and enums of lists and objects are compared with the schema itself.
      return module.constant('schema', jsonLiteral(name.value?.ref as Json), true);
    case 'obj':
      return module.constant('names', source, true);
    case 'func':
      return source === OWN_MEMBER ? module.constant('hasOwn', source, false) : module.use(HELPERS, source);
  }
  throw new Error(`expected a value that can be emitted, got ${name.str}`);
}
