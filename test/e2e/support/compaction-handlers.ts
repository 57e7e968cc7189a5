import type { ContentItem } from '../../../generated/index.js';
import type { Handlers, InterceptContext } from '../../../runtime/receiver/index.js';

async function textOf(item: ContentItem | undefined, { body }: InterceptContext): Promise<string> {
  const reference = item === undefined || !('body' in item) ? null : (item.body as { readonly ref: string });
  const stored = reference === null ? null : await body(reference);
  if (stored === null) throw new Error('expected a body that was uploaded');
  return stored.text();
}

/** Adds a rule to the instructions, and takes one word out of the summary at each pass. */
export const compactionHandlers: Handlers = {
  'context.compact.before': {
    async intercept(event, context) {
      const text = await textOf(event.instructions, context);
      return [{ type: 'modify', target: 'instructions', operation: 'replace', value: `${text}\r\nÜ 🜁` }];
    },
  },
  'context.compact.after': {
    async intercept(event, context) {
      const text = await textOf(event.summary, context);
      return [
        { type: 'modify', target: 'summary', operation: 'replace', value: text.replace('secret', '[gone]') },
        { type: 'message', text: `read ${Buffer.byteLength(text)} bytes` },
      ];
    },
  },
};
