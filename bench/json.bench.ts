/* The strict JSON module against JSON.parse and JSON.stringify, and against the peer that keeps numbers too. */
import * as lossless from 'lossless-json';
import { encode, type JsonValue, parse } from '../templates/support/json/index.js';
import * as shapes from './support/json-shapes.js';
import type { BenchRow, BenchTable } from './support/table.js';

const encoder = new TextEncoder();
const fatalDecoder = new TextDecoder('utf-8', { fatal: true });

function decodeRow(name: string, texts: string | readonly string[], atMost: number): BenchRow {
  const list = typeof texts === 'string' ? [texts] : texts;
  const each = (decode: (text: string) => unknown) => () => {
    let last: unknown;
    for (const text of list) last = decode(text);
    return last;
  };
  return {
    name,
    baseline: 'JSON.parse',
    contenders: {
      ours: each(parse),
      'JSON.parse': each(JSON.parse),
      'lossless-json': each((text) => lossless.parse(text)),
    },
    atMost: { ours: atMost },
  };
}

function bytesRow(name: string, text: string, atMost: number): BenchRow {
  const bytes = encoder.encode(text);
  return {
    name,
    baseline: 'decoder + JSON.parse',
    contenders: {
      ours: () => parse(bytes),
      'decoder + JSON.parse': () => JSON.parse(fatalDecoder.decode(bytes)) as unknown,
    },
    atMost: { ours: atMost },
  };
}

function decodedValue(text: string): JsonValue {
  const result = parse(text);
  if (!result.ok) throw new Error(`benchmark text: ${result.issues[0]?.message}`);
  return result.value;
}

function encodeRow(name: string, text: string, atMost: number): BenchRow {
  const value = decodedValue(text);
  const losslessValue = lossless.parse(text);
  return {
    name,
    baseline: 'JSON.stringify',
    contenders: {
      ours: () => encode(value),
      'JSON.stringify': () => JSON.stringify(value),
      'lossless-json': () => lossless.stringify(losslessValue),
    },
    atMost: { ours: atMost },
  };
}

export const tables: readonly BenchTable[] = [
  {
    title: 'JSON decode, text',
    note: 'ours refuses duplicates and keeps spelling and order; lossless-json keeps spelling; JSON.parse keeps neither',
    rows: [
      decodeRow('one small message', shapes.smallText, 1.8),
      decodeRow('64 small messages', shapes.lines, 1.8),
      decodeRow('small, spaced', shapes.spacedText, 1.8),
      decodeRow('small, indented', shapes.indentedText, 1.8),
      decodeRow('small, one kept spelling', shapes.oneKeptText, 4),
      decodeRow('small, index-like names', shapes.smallIndexText, 4),
      decodeRow('1 MB, one string', shapes.oneStringText, 1.8),
      decodeRow('1 MB, one string of escapes', shapes.escapedStringText, 1.8),
      decodeRow('1 MB of records', shapes.recordsText, 2),
      decodeRow('1 MB of integers', shapes.integersText, 2.2),
      decodeRow('1 MB of 17-digit floats', shapes.floatsText, 5),
      decodeRow('2,000 index names, up', shapes.indexUpText, 4),
      decodeRow('2,000 index names, down', shapes.indexDownText, 4),
      decodeRow('1 MB of records, 1 of 6 kept', shapes.keptRecordsText, 8),
      decodeRow('1 MB of kept spellings', shapes.keptListText, 12),
      decodeRow('1 MB of 20-digit integers', shapes.bigNumbersText, 12),
    ],
  },
  {
    title: 'JSON decode, bytes',
    note: 'against a fatal TextDecoder and JSON.parse',
    rows: [
      bytesRow('one small message', shapes.smallText, 1.8),
      bytesRow('small, indented', shapes.indentedText, 1.8),
      bytesRow('1 MB, one string', shapes.oneStringText, 1.8),
      bytesRow('1 MB of records', shapes.recordsText, 2),
      bytesRow('1 MB of integers', shapes.integersText, 2.2),
    ],
  },
  {
    title: 'JSON encode',
    note: 'ours refuses what is no JSON and writes kept spellings and order',
    rows: [
      encodeRow('one small message', shapes.smallText, 1.3),
      encodeRow('1 MB, one string', shapes.oneStringText, 1.3),
      encodeRow('1 MB of records', shapes.recordsText, 1.3),
      encodeRow('1 MB of integers', shapes.integersText, 1.3),
      encodeRow('1 MB of 17-digit floats', shapes.floatsText, 1.3),
      encodeRow('small, one kept spelling', shapes.oneKeptText, 4),
      encodeRow('2,000 index names, down', shapes.indexDownText, 6),
      encodeRow('1 MB of records, 1 of 6 kept', shapes.keptRecordsText, 6),
    ],
  },
];
