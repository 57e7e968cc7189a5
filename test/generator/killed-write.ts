/**
 * Writes a folder and kills itself (SIGKILL) just before the file-system call that it is told:
 * `killed-write.ts OUT TEXT CALL NUMBER`, such as `renameSync 2`.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [out = '', text = '', call = '', number = ''] = process.argv.slice(2);
let remaining = Number(number);

const killing = (name: 'renameSync' | 'writeFileSync' | 'rmSync'): void => {
  const original = fs[name] as (...args: unknown[]) => void;
  const patched = (...args: unknown[]): void => {
    if (name === call && --remaining === 0) process.kill(process.pid, 'SIGKILL');
    original(...args);
  };
  Object.defineProperty(fs, name, { value: patched });
};
killing('renameSync');
killing('writeFileSync');
killing('rmSync');
syncBuiltinESMExports();

const { writeFolder } = await import('../../generator/write.js');
writeFolder(out, [
  { path: 'index.ts', text },
  { path: 'types/a.ts', text },
  { path: 'ahp-codegen.lock.json', text },
]);
