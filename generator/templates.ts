/** Compiles the Handlebars templates: no escaping, no silent gaps. View models bring finished, safe fragments. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import { templatesFolder } from './tool.js';

/** A printer for one template; `partials` are other templates of the same folder, by name. */
export function loadTemplate<View extends object>(
  name: string,
  partials: readonly string[] = [],
): (view: View) => string {
  const handlebars = Handlebars.create();
  for (const partial of partials)
    handlebars.registerPartial(partial.slice(partial.lastIndexOf('/') + 1), readTemplate(partial));
  const render = handlebars.compile<View>(readTemplate(name), { noEscape: true, strict: true, preventIndent: true });
  return (view) => render(view);
}

function readTemplate(name: string): string {
  return readFileSync(join(templatesFolder(), `${name}.hbs`), 'utf8').replaceAll('\r\n', '\n');
}
