import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { isRunning } from './support/children.js';

const HOST = fileURLToPath(new URL('./support/host-that-leaves.ts', import.meta.url));

describe('§6 after an exit without close(), child and grandchild are gone', () => {
  it.each([
    ['process.exit()', 'exit', 0],
    ['the end of its work', 'end', 0],
    ['an uncaught error', 'throw', 1],
    ['an exit within the grace of close()', 'grace', 0],
  ])('by %s', async (_, way, expectedCode) => {
    const host = spawn(process.execPath, ['--import', 'tsx', HOST, way], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    host.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const code = await new Promise((resolve) => host.on('close', resolve));
    expect(code).toBe(expectedCode);
    const { result } = JSON.parse(output) as { result: { pids: number[] } };
    expect(result.pids).toHaveLength(2);
    await vi.waitUntil(() => !result.pids.some(isRunning), { timeout: 5000 });
  });
});
