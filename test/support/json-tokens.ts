/** The tokens of a JSON text, strings by what they mean and numbers as they are spelled: equal for the same JSON. */
export function jsonTokens(text: string): string[] {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[{}[\],:]|true|false|null/gs) ?? [];
  return tokens.map((token) => (token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token));
}
