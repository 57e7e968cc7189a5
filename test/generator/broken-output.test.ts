import { expect, it } from 'vitest';
import { formatFiles } from '../../generator/format.js';

it.each([
  ['a literal that a backslash keeps open', "export type A = 'C:\\';\n"],
  ['a literal over two lines', "export type A = 'two\nlines';\n"],
  ['a comment that ends early', '/** Ends */ early */\nexport type A = string;\n'],
  ['a template that nobody closes', 'export const a = `$' + '{x`;\n'],
])('code with %s stops the generation: nothing is written', async (_what, text) => {
  await expect(formatFiles([{ path: 'types/a.ts', text }])).rejects.toThrow();
});
