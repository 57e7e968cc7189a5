import { describe, expect, it } from 'vitest';
import { makeLock, printLock, readLock } from '../../generator/lock.js';
import { sha256OfText } from '../../generator/tool.js';

const inputs = {
  tool: { name: 'ahp-toolkit', version: '9.8.7', generator: 'abc', libraries: { prettier: '3.0.0', ajv: null } },
  options: { emitIr: false },
  schemas: new Map([
    ['b.json', '2'],
    ['a.json', '1'],
  ]),
  templates: new Map([['types.hbs', '3']]),
};
const files = [
  { path: 'z.ts', text: 'z\n' },
  { path: '__proto__', text: '' },
];

describe('the lock', () => {
  it('is the same text whatever the order of its inputs', () => {
    const text = printLock(makeLock(inputs, files));
    const turned = { ...inputs, schemas: new Map([...inputs.schemas].reverse()) };
    expect(printLock(makeLock(turned, [...files].reverse()))).toBe(text);
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('reads back what it printed, a file called __proto__ included', () => {
    const lock = readLock(printLock(makeLock(inputs, files)));
    expect(Object.entries(lock?.files ?? {})).toEqual([
      ['__proto__', sha256OfText('')],
      ['z.ts', sha256OfText('z\n')],
    ]);
    expect(lock?.schemas).toEqual({ 'a.json': '1', 'b.json': '2' });
  });

  it.each([
    ['an edited digest', (text: string) => text.replace('"b.json": "2"', '"b.json": "4"')],
    ['an edited digest of the lock', (text: string) => text.replace(/"digest": "./, '"digest": "-')],
    ['a conflict of a merge', (text: string) => text.replace('{', '<<<<<<< ours\n{')],
    ['another tool', (text: string) => text.replace('"tool": "ahp-toolkit"', '"tool": "other"')],
    ['another layout', (text: string) => text.replace('"lockVersion": 1', '"lockVersion": 2')],
    ['no object', () => '[]'],
    ['nothing', () => ''],
  ])('is not read with %s', (_, edit) => {
    const text = printLock(makeLock(inputs, files));
    expect(readLock(edit(text))).toBeNull();
    expect(readLock(text)).not.toBeNull();
  });

  it('hashes text the same under every line-ending setting, and tells other edits apart', () => {
    expect(sha256OfText('a\r\nb\r\n')).toBe(sha256OfText('a\nb\n'));
    expect(sha256OfText(Buffer.from('é\r\n'))).toBe(sha256OfText('é\n'));
    expect(sha256OfText('a\rb')).not.toBe(sha256OfText('a\nb'));
    expect(sha256OfText('a\n')).toBe('87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7');
  });
});
