/** Code that pages show: fenced blocks, with the output block that follows one. */

export interface Snippet {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** The text of a `text` block that follows with nothing but prose up to one paragraph in between, or null. */
  readonly output: string | null;
}

export function snippetsOf(markdown: string): Snippet[] {
  const found: { line: number; language: string; code: string; end: number }[] = [];
  const lines = markdown.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const opening = /^```(\w+)/.exec(lines[index] ?? '');
    if (opening === null) continue;
    const end = lines.indexOf('```', index + 1);
    if (end < 0) throw new Error(`expected the fence of line ${index + 1} to be closed`);
    found.push({ line: index + 1, language: opening[1] ?? '', code: lines.slice(index + 1, end).join('\n'), end });
    index = end;
  }
  return found.map(({ line, language, code, end }, index) => {
    const next = found[index + 1];
    const isOutput = next?.language === 'text' && next.line - end <= 4;
    return { line, language, code, output: isOutput ? `${next.code}\n` : null };
  });
}
