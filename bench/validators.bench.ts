/* The precompiled validators against ajv and typebox on the same schemas, and what it costs to have one ready. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { build } from 'esbuild';
import { Compile } from 'typebox/schema';
import * as generated from '../generated/index.js';
import { link } from '../generator/link.js';
import { load } from '../generator/load.js';
import { isDateTime, isUri } from '../templates/support/formats.js';
import { readExampleMessages } from '../test/support/example-messages.js';
import type { BenchRow, BenchTable } from './support/table.js';

const ROOT = join(import.meta.dirname, '..');
const SCHEMAS = join(ROOT, 'schemas');

type Check = (value: unknown) => boolean;

function plainAjv(name: string): Check {
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('uri', isUri);
  ajv.addFormat('date-time', isDateTime);
  const manifest = JSON.parse(readFileSync(join(SCHEMAS, 'manifest.json'), 'utf8')) as {
    documents: Record<string, unknown>;
    definitions: Record<string, { document: string; pointer: string }>;
  };
  for (const path of Object.keys(manifest.documents)) {
    ajv.addSchema({
      ...(JSON.parse(readFileSync(join(SCHEMAS, path), 'utf8')) as object),
      $id: `https://b.invalid/${path}`,
    });
  }
  const place = manifest.definitions[name];
  const check = ajv.getSchema(`https://b.invalid/${place?.document}${`#${place?.pointer}`}`);
  if (check === undefined) throw new Error(`benchmark: no definition ${name}`);
  return (value) => check(value) === true;
}

/** Typebox takes one schema: the linked definitions in one bundle. It does not check `uri` and `date-time` as we do. */
function typebox(name: string): Check {
  const set = link(load(SCHEMAS).output).output;
  const text = JSON.stringify(Object.fromEntries(set.definitions.map((one) => [one.name, one.schema])));
  const $defs = JSON.parse(text.replace(/"\$ref":"[^"]*\/([^"/]+)"/g, '"$ref":"#/$defs/$1"')) as object;
  const compiled = Compile({ $defs, $ref: `#/$defs/${name}` } as never);
  return (value) => compiled.Check(value as never);
}

const messages = readExampleMessages().map((file) => file.value);
const observed = messages.flatMap((value) => {
  const params = (value as { params?: { event?: unknown } }).params;
  return params?.event === undefined ? [] : [params.event];
});
const toolEvents = observed.filter((event) => (event as { type?: unknown }).type === 'tool.before');

function row(
  title: string,
  name: string,
  ours: (value: unknown) => { ok: boolean },
  values: readonly unknown[],
  atMost: number,
): BenchRow {
  const contenders: [string, Check][] = [
    ['ours', (value) => ours(value).ok],
    ['ajv', plainAjv(name)],
    ['typebox', typebox(name)],
  ];
  for (const [contender, check] of contenders) {
    const refused = values.filter((value) => !check(value)).length;
    if (refused > 0) throw new Error(`benchmark ${title}: ${contender} refuses ${refused} of ${values.length} values`);
  }
  const each = (check: Check) => () => {
    let valid = 0;
    for (const value of values) if (check(value)) valid += 1;
    return valid;
  };
  return {
    name: `${title} (${values.length})`,
    baseline: 'ajv',
    contenders: Object.fromEntries(contenders.map(([contender, check]) => [contender, each(check)])),
    atMost: { ours: atMost },
  };
}

async function coldRow(): Promise<BenchRow> {
  const result = await build({
    stdin: { contents: `export { validateWireMessage } from './generated/index.js';`, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    format: 'iife',
    globalName: 'cold',
    write: false,
  });
  const code = result.outputFiles[0]?.text ?? '';
  const [message] = messages;
  let run = 0;
  return {
    name: 'until the first WireMessage is judged',
    baseline: 'ajv, compiling',
    contenders: {
      ours: () => {
        run += 1;
        // A text of its own each time, so that no compiled code is found again.
        const cold = new Script(`${code}\ncold; // ${run}`).runInThisContext() as typeof generated;
        return cold.validateWireMessage(message).ok;
      },
      'ajv, compiling': () => plainAjv('WireMessage')(message),
    },
    atMost: { ours: 0.1 },
  };
}

export async function tables(): Promise<readonly BenchTable[]> {
  return [
    {
      title: 'Validation',
      note: 'ajv and typebox compile the same schemas in process; ajv asserts the same formats, typebox its own',
      rows: [
        row('example messages as WireMessage', 'WireMessage', generated.validateWireMessage, messages, 1 / 3),
        row('their events as Event', 'Event', generated.validateEvent, observed, 1 / 3),
        row(
          'tool.before events as ToolBeforeEvent',
          'ToolBeforeEvent',
          generated.validateToolBeforeEvent,
          toolEvents,
          1.5,
        ),
      ],
    },
    {
      title: 'Cold start',
      note: 'loading the bundled validators from source text, against compiling with ajv, which is loaded already',
      rows: [await coldRow()],
    },
  ];
}
