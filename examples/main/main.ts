/**
 * The main job, `npm start`: every part in order, or those that are named (`npm start -- messages`). A new part is one
 * more entry of the list.
 */

import { chainPart } from './chain-part.js';
import { compactionPart } from './compaction-part.js';
import { elicitationPart } from './elicitation-part.js';
import { generatePart } from './generate-part.js';
import { lineagePart } from './lineage-part.js';
import { messagesPart } from './messages-part.js';
import { observationPart } from './observation-part.js';
import { type Part, runParts } from './part.js';
import { sessionPart } from './session-part.js';

const parts: readonly Part[] = [
  generatePart,
  messagesPart,
  elicitationPart,
  compactionPart,
  observationPart,
  chainPart,
  lineagePart,
  sessionPart,
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  process.stderr.write(`no part is called ${unknown.join(', ')}; parts: ${parts.map(({ name }) => name).join(', ')}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await runParts(wanted.length === 0 ? parts : parts.filter(({ name }) => wanted.includes(name)));
}
