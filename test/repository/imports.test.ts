import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ts } from 'ts-morph';
import { describe, expect, it } from 'vitest';
import { readRepositoryFile, repositoryFiles, repositoryRoot } from './repository-files.js';

/** Every arrow between rooms; a room may also import itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  generated: [],
  templates: [],
  generator: ['templates'],
  runtime: ['generated'],
  cli: ['generator', 'runtime', 'generated'],
};

/** Packages by room, `node:` standing for Node's own modules. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  generated: [],
  templates: [],
  generator: ['node:', 'ajv', 'handlebars', 'json-schema-to-typescript', 'prettier', 'ts-morph'],
  runtime: ['node:', 'ajv', 'oauth4webapi', '@opentelemetry/api'],
  cli: ['node:'],
};

/** Rooms of the runtime from the ground up; a room imports its own layer and those below. */
const LAYERS: readonly (readonly string[])[] = [
  ['wire'],
  ['elicitation', 'compaction', 'observation', 'chain', 'lineage', 'net'],
  ['content', 'credentials', 'registration', 'transports'],
  ['harness', 'receiver', 'testing'],
];

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** Posix path from the repository root, null for a package. */
  readonly target: string | null;
}

const imports = repositoryFiles()
  .filter((path) => path.endsWith('.ts') && Object.hasOwn(ARROWS, roomOf(path)))
  .flatMap(importsOf);

describe('the arrows between rooms', () => {
  it.each(Object.keys(ARROWS))('%s has import lines to read', (room) => {
    expect(imports.some(({ from }) => roomOf(from) === room)).toBe(true);
  });

  it('relative imports reach only the rooms that the arrows name', () => {
    const wrong = imports.filter(({ from, target }) => {
      if (target === null) return false;
      return roomOf(target) !== roomOf(from) && !(ARROWS[roomOf(from)] ?? []).includes(roomOf(target));
    });
    expect(wrong).toEqual([]);
  });

  it('packages are those that the room may use, so that generated code stands alone', () => {
    const wrong = imports.filter(({ from, specifier, target }) => {
      return target === null && !(PACKAGES[roomOf(from)] ?? []).includes(packageOf(specifier));
    });
    expect(wrong).toEqual([]);
  });

  it('support code that is emitted as it stands stays inside templates/support', () => {
    const wrong = imports.filter(({ from, target }) => {
      return from.startsWith('templates/support/') && !(target ?? '').startsWith('templates/support/');
    });
    expect(wrong).toEqual([]);
  });

  it('rooms of the runtime import downwards', () => {
    const wrong = imports.filter(({ from, target }) => {
      const [here, there] = [layerOf(from), layerOf(target)];
      return here !== null && there !== null && there > here;
    });
    expect(wrong).toEqual([]);
  });

  it('every room of the runtime has a layer', () => {
    const rooms = new Set(
      imports
        .map(({ from }) => from.split('/'))
        .flatMap(([room, name, file]) => {
          return room === 'runtime' && name !== undefined && file !== undefined ? [name] : [];
        }),
    );
    expect([...rooms].filter((room) => !LAYERS.flat().includes(room))).toEqual([]);
  });

  it('every relative import names a file that is there', () => {
    const lost = imports.filter(({ target }) => {
      return target !== null && !existsSync(join(repositoryRoot, target.replace(/\.js$/, '.ts')));
    });
    expect(lost).toEqual([]);
  });

  it('packages of the runtime are dependencies or optional peers of the published package', () => {
    const manifest = JSON.parse(readRepositoryFile('package.json')) as Record<string, Record<string, unknown>>;
    const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
    const used = imports.filter(({ from, target }) => target === null && roomOf(from) !== 'templates');
    const missing = used.map(({ specifier }) => packageOf(specifier)).filter((name) => name !== 'node:');
    expect([...new Set(missing)].filter((name) => !Object.hasOwn(declared, name))).toEqual([]);
  });

  it('the reader of import lines sees every form', () => {
    const text = `import a from './a.js';
      import type { B } from './b.js';
      export * from './c.js';
      export type { D } from './d.js';
      const e = await import('./e.js');
      type F = import('./f.js').F;
      import './g.js';
      const text = "import h from './h.js'";`;
    expect(specifiersOf(text)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `./${name}.js`));
  });
});

function importsOf(path: string): Import[] {
  return specifiersOf(readRepositoryFile(path)).map((specifier) => ({
    from: path,
    specifier,
    target: specifier.startsWith('.') ? targetOf(path, specifier) : null,
  }));
}

function specifiersOf(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

function targetOf(path: string, specifier: string): string {
  return relative(repositoryRoot, resolve(repositoryRoot, dirname(path), specifier))
    .split(sep)
    .join('/');
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  const [scope, name] = specifier.split('/');
  return specifier.startsWith('@') ? `${scope}/${name}` : (scope ?? specifier);
}

function layerOf(path: string | null): number | null {
  const [room, name, file] = (path ?? '').split('/');
  if (room !== 'runtime' || file === undefined) return null;
  const layer = LAYERS.findIndex((names) => names.includes(name ?? ''));
  return layer < 0 ? null : layer;
}
