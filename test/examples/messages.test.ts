import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  judgeMessage,
  messageFiles,
  messagesFolder,
  messagesPart,
  readReasons,
  withoutBlanks,
} from '../../examples/main/messages-part.js';
import { unknownMembers } from '../../examples/main/unknown-members.js';
import * as generated from '../../generated/index.js';
import { repositoryRoot } from '../repository/repository-files.js';

const { catalogue, encodeWireMessage, parseWireMessage, validateWireMessage } = generated;
const files = messageFiles(messagesFolder);
const read = (file: string): string => readFileSync(join(messagesFolder, file), 'utf8');

describe('the example messages', () => {
  it.each(files)('%s is valid and comes back as the same text', (file) => {
    const parsed = parseWireMessage(read(file));
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    expect(validateWireMessage(parsed.value)).toMatchObject({ ok: true });
    expect(encodeWireMessage(parsed.value)).toBe(withoutBlanks(read(file)));
  });

  it('show every event, interceptable ones as interceptions, and every method', () => {
    const messages = files.map(
      (file) => JSON.parse(read(file)) as { method?: string; params?: { event?: { type: string } } },
    );
    const typesOf = (method: string) =>
      new Set(messages.filter((message) => message.method === method).map(({ params }) => params?.event?.type));
    const seen = new Set([...typesOf('hooks/intercept'), ...typesOf('hooks/observe')]);
    expect(catalogue.eventNames).toHaveLength(32);
    expect(catalogue.eventNames.filter((name) => !seen.has(name))).toEqual([]);
    const intercepted = typesOf('hooks/intercept');
    expect(catalogue.interceptableEventNames.filter((name) => !intercepted.has(name))).toEqual([]);
    expect(new Set(messages.map(({ method }) => method))).toEqual(
      new Set(['hooks/intercept', 'hooks/observe', 'hooks/capabilities', undefined]),
    );
  });

  it('hold extensions, native data, unknown members and numbers that a double or its printing would change', () => {
    const text = files.map(read).join('');
    for (const mark of [/"extensions"/, /"native"/, /"futureMember"/, /1e400/, /\b1\.0\b/, /18446744073709551615/]) {
      expect(text).toMatch(mark);
    }
  });

  it('of refused/ each have a reason, and are refused for it', () => {
    const folder = join(messagesFolder, 'refused');
    const reasons = readReasons();
    expect(reasons.map(({ file }) => file).sort()).toEqual(messageFiles(folder));
    const found = reasons.map(({ file, why }) => {
      const { stage, issue } = judgeMessage(generated, readFileSync(join(folder, file)));
      return { file, stage, code: issue?.code, pointer: issue?.pointer, why };
    });
    expect(found).toEqual(reasons);
  });
});

describe('the part of the main job', () => {
  it('prints a table and finds all well', async () => {
    const lines: string[] = [];
    expect(await messagesPart.run((line = '') => void lines.push(line))).toBe(true);
    expect(lines[0]).toBe(
      `${files.length} of ${files.length} messages came back as the same text, with 32 of 32 events;`,
    );
    expect(lines.join('\n')).not.toMatch(/CHANGED|REFUSED|TAKEN/);
  });

  it('names unknown members and takes data for data', () => {
    const schemas = join(repositoryRoot, 'schemas');
    const session = { id: 's', later: 1, agent: { id: 'a', mood: 'calm' } };
    expect(unknownMembers(schemas, 'Session', session)).toEqual(['/later', '/agent/mood']);
    expect(unknownMembers(schemas, 'Extensions', { 'com.example.x': { any: 1 } })).toEqual([]);
    expect(unknownMembers(schemas, 'ContentSelection', { default: 'omit', images: 'body' })).toEqual([]);
  });
});
