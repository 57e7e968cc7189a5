/** Emits the codec modules: straight-line checks from the intermediate representation, and the public functions. */

import { buildCheck } from './codecs/checks.js';
import { buildKnown } from './codecs/knowns.js';
import { ModuleScope } from './codecs/scope.js';
import type { KnownView, ModuleView, PublicView, StatementView } from './codecs/views.js';
import type { EmittedFile, Plan, PlannedDefinition, PlannedFamily } from './model.js';
import { loadTemplate } from './templates.js';
import { docComment } from './text.js';
import { knownName } from './types/known.js';

/** One module per family with definitions, and the table of all public functions. */
export function emitCodecs(plan: Plan): EmittedFile[] {
  const print = loadTemplate<ModuleView>('codecs/module', ['codecs/statement']);
  const families = plan.families.filter(({ definitions }) => definitions.length > 0);
  const modules = families.map((family) => ({ path: family.codecsFile, text: print(moduleView(plan, family)) }));
  return [...modules, emitTable(plan)];
}

function moduleView(plan: Plan, family: PlannedFamily): ModuleView {
  const scope = new ModuleScope(plan, family);
  for (const planned of family.definitions) buildCheck(planned, scope);
  const knowns = family.definitions.flatMap((planned) => knownView(planned, scope));
  const publics = family.definitions.flatMap((planned) => publicView(planned));
  if (publics.length > 0) {
    scope.useSupport('convert', 'decode', 'type FromJsonLimits');
    scope.useJson('encode', 'type EncodeLimits', 'type ParseLimits');
  }
  return {
    imports: scope.imports,
    typeImports: publics.length === 0 ? [] : [{ from: '../support/results.js', names: 'ParseResult' }],
    hasTypes: publics.length + knowns.length > 0,
    typesModule: family.typesFile.replace(/\.ts$/, '.js'),
    constants: scope.constants,
    functions: scope.functions.map((view) => ({
      ...view,
      isTest: view.isTest ?? false,
      body: view.body.map(complete),
    })),
    publics,
    knowns,
  };
}

/** Templates are strict about names that are absent, so that every statement says which kinds it is not. */
function complete(statement: StatementView): StatementView {
  const kinds = {
    isReturn: false,
    isLookup: false,
    isGuard: false,
    isCount: false,
    isNested: false,
    isBlock: false,
    isLoop: false,
    isMemberLoop: false,
    isSwitch: false,
  };
  const inner = 'body' in statement ? { body: statement.body.map(complete) } : {};
  const cases =
    'cases' in statement
      ? { cases: statement.cases.map(({ values, body }) => ({ values, body: body.map(complete) })) }
      : {};
  return { ...kinds, ...statement, ...inner, ...cases };
}

function publicView(planned: PlannedDefinition): PublicView[] {
  const { functions, typeName, checkName } = planned;
  if (functions === null) return [];
  return [
    {
      type: typeName,
      check: checkName,
      parse: functions.parse,
      fromJson: functions.fromJson,
      encode: functions.encode,
      parseDoc: docComment([
        `Decodes one \`${typeName}\` from strict JSON text or UTF-8 bytes and checks its structure.`,
        'Gives the value with warnings, or issues; nothing that comes in makes it throw. Not a validation.',
      ]),
      fromJsonDoc: docComment([
        `Takes a decoded JSON value as a \`${typeName}\` after checking its structure.`,
        'Gives the value with warnings, or issues; the input is never changed.',
      ]),
      encodeDoc: docComment([
        `Writes a \`${typeName}\` as JSON text: unknown members, order and number spellings as they came.`,
        'Throws an `EncodeError` on what is no JSON.',
      ]),
    },
  ];
}

function knownView(planned: PlannedDefinition, scope: ModuleScope): KnownView[] {
  const { isKnownName, typeName } = planned;
  if (isKnownName === null) return [];
  const doc = docComment([
    `True for the variants of \`${typeName}\` that this revision knows, after which its tags narrow.`,
  ]);
  return [{ name: isKnownName, type: typeName, knownType: knownName(typeName), test: buildKnown(planned, scope), doc }];
}

function emitTable(plan: Plan): EmittedFile {
  const imports: string[] = [];
  const rows: string[] = [];
  for (const family of plan.families) {
    const publics = family.definitions.filter(({ functions }) => functions !== null);
    if (publics.length === 0) continue;
    const names = publics.flatMap(({ functions, isKnownName }) =>
      functions === null
        ? []
        : [functions.parse, functions.fromJson, functions.encode, ...(isKnownName === null ? [] : [isKnownName])],
    );
    imports.push(`import { ${names.join(', ')} } from './${family.name}.js';`);
    imports.push(
      `import { ${publics.map(({ functions }) => functions?.validate ?? '').join(', ')} } from '../${family.validatorsFile.replace(/\.ts$/, '.js')}';`,
    );
    for (const { functions, isKnownName, typeName } of publics) {
      if (functions === null) continue;
      const isKnown = isKnownName === null ? '' : `, isKnown: ${isKnownName}`;
      rows.push(
        `${typeName}: { parse: ${functions.parse}, fromJson: ${functions.fromJson}, encode: ${functions.encode}, validate: ${functions.validate}${isKnown} },`,
      );
    }
  }
  const doc = docComment(['Every public function by type name, for programs that choose the type at run time.']);
  return {
    path: 'codecs/index.ts',
    text: `${imports.join('\n')}\n\n${doc}\nexport const codecs = {\n${rows.sort().join('\n')}\n};\n`,
  };
}
