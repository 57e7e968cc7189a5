import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/schema-sets.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const COMPILED = join(REPOSITORY, 'generated/validators/compiled');
const modules = readdirSync(COMPILED).map((name) => [name, readFileSync(join(COMPILED, name), 'utf8')] as const);

/** Bundles against a copy of the folder, where no package.json tells that modules have no side effects. */
async function bundle(source: string): Promise<string> {
  const folder = temporaryFolder();
  cpSync(join(REPOSITORY, 'generated'), join(folder, 'generated'), { recursive: true });
  const result = await build({
    stdin: { contents: source, resolveDir: folder, loader: 'ts' },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  });
  return result.outputFiles[0]?.text ?? '';
}

describe('precompiled checks', () => {
  it.each(modules)('%s has no require, no import from outside, and nothing that runs on import', (_name, text) => {
    expect(text).not.toMatch(/\brequire\b/);
    expect(text).not.toMatch(/\b(?:eval|Function)\s*\(/);
    for (const [, from] of text.matchAll(/^import .* from '(.*)';$/gm)) expect(from).toMatch(/^\.\.?\//);
    const code = text.replace(/^(?:\s*\/[*/].*|\s*\*.*)$/gm, '');
    const outside = code.split(/^export function [^\n]*\n[\s\S]*?^return errors === 0;\n\}$/m).join('');
    for (const line of outside.split('\n').filter((one) => one.trim() !== '')) {
      expect(line).toMatch(
        /^(?:import .*|const \w+ = (?:\/\* @__PURE__ \*\/ new |Object\.prototype\.hasOwnProperty).*)$/,
      );
    }
  });

  it('one validator alone takes only what it needs with it', async () => {
    const one = await bundle(`export { validateContentReference } from './generated/index.js';`);
    const all = await bundle(`export * from './generated/index.js';`);
    expect(one).not.toContain('session.start');
    expect(one.length).toBeLessThan(12_000);
    expect(all.length).toBeGreaterThan(20 * one.length);
  });

  it('an import for nothing leaves no check', async () => {
    const code = await bundle(`import './generated/validators/messages.js';`);
    // Only the class of the numbers that keep their spelling is left, which is marked for other copies of itself.
    expect(code.length).toBeLessThan(1_200);
    expect(code).not.toMatch(/instancePath|hooks|new RegExp|new Set/);
  });

  it('runs as a module of its own in a folder without packages', async () => {
    const folder = temporaryFolder();
    const code = await bundle(
      `import { validateWireMessage } from './generated/index.js';
       const message = { jsonrpc: '2.0', id: 'é', error: { code: 1, message: '' } };
       console.log(JSON.stringify([validateWireMessage(message).ok, validateWireMessage({ ...message, id: '' }).ok]));`,
    );
    writeFileSync(join(folder, 'main.mjs'), code);
    expect(execFileSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' }).trim()).toBe('[true,false]');
  });
});
