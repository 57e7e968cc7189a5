import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleSchema } from './bundle-schema.js';

/** The text of the registration schema for editors, made from the documents in a schema folder. */
export function makeRegistrationBundle(folder: string): Promise<string> {
  const documents = new Map<string, unknown>();
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json') || name === 'manifest.json') continue;
    documents.set(name, JSON.parse(readFileSync(join(folder, name), 'utf8')));
  }
  return bundleSchema(
    documents,
    { document: 'registration.json', name: 'Registration' },
    {
      title: 'Agent Hooks Protocol registration',
      description: 'A registration document, for editors: point "$schema" or a file association at this file.',
    },
  );
}
