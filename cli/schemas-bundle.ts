/** `npm run schemas:bundle`: makes the registration schema for editors anew after an edit of a document. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { REGISTRATION_BUNDLE } from './bundle-schema.js';
import { makeRegistrationBundle } from './registration-bundle.js';

const text = await makeRegistrationBundle('schemas');
mkdirSync(dirname(REGISTRATION_BUNDLE), { recursive: true });
writeFileSync(REGISTRATION_BUNDLE, text);
process.stdout.write(`${REGISTRATION_BUNDLE}: written\n`);
