/**
 * Makes foreign text safe in TypeScript source: identifiers, literals, property access, comments. Emitters and templates
 * put no name, value or description of a schema into source text by any other way.
 */

import type { Json } from './model.js';

/** Words that cannot name a binding in a module, and those that would mislead there. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'abstract any arguments as async await bigint boolean break case catch class const continue debugger declare default delete do ' +
    'else enum eval export extends false finally for from function get if implements import in infer instanceof interface is keyof ' +
    'let module namespace never new null number object of package private protected public readonly require return set static ' +
    'string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield'
  ).split(' '),
);

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** True for names that can stand after a dot and, unless reserved, can name a binding. */
export function isIdentifierName(name: string): boolean {
  return IDENTIFIER.test(name);
}

export function isReservedWord(name: string): boolean {
  return RESERVED_WORDS.has(name);
}

/**
 * PascalCase of any text: `turn.start` gives `TurnStart`, `9lives` gives `_9lives`, and a text without letters or digits
 * gives `''`. Letters that are already capital stay.
 */
export function pascalCase(text: string): string {
  const words = text.normalize('NFC').split(/[^\p{L}\p{Nd}\p{Mn}\p{Mc}]+/u);
  const joined = words.map((word) => capitalize(word)).join('');
  if (joined === '') return '';
  return IDENTIFIER.test(joined) ? joined : `_${joined}`;
}

/** File stem of a document path: `billing/Line_Items.json` gives `billing-line-items`. */
export function kebabCase(text: string): string {
  return text
    .normalize('NFC')
    .replace(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, '$1-$2')
    .toLowerCase()
    .split(/[^\p{L}\p{Nd}]+/u)
    .filter((word) => word !== '')
    .join('-');
}

function capitalize(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length);
}

/** A string literal that evaluates to exactly this text, lone surrogates, line ends and quotes included. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text).replace(/[\u2028\u2029\u007f-\u009f\ufeff]/g, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** `.name` or `["odd name"]`. `__proto__` is read like any other name, but see `isInheritedName`. */
export function propertyAccess(name: string): string {
  return IDENTIFIER.test(name) ? `.${name}` : `[${stringLiteral(name)}]`;
}

/** Key of an object literal or type member; `["__proto__"]` so that no literal sets a prototype. */
export function propertyKey(name: string): string {
  if (name === '__proto__') return `[${stringLiteral(name)}]`;
  return IDENTIFIER.test(name) ? name : stringLiteral(name);
}

/** True for names that every plain object inherits: reading them proves nothing about the data. */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype;
}

/** An expression for a JSON value; objects keep their member order and a member called `__proto__`. */
export function jsonLiteral(value: Json): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (typeof value === 'number' && Object.is(value, -0)) return '-0';
  if (value === null || typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(jsonLiteral).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${propertyKey(name)}: ${jsonLiteral(member)}`)
    .join(', ')} }`;
}

/** `Array.isArray` narrows readonly lists only with a guard of its own. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * Text for the inside of a block comment, one entry per line: neither the end of the comment nor a tag of JSDoc can
 * arise from it, and every kind of line end is one.
 */
export function commentLines(text: string): string[] {
  const safe = text
    .replace(/\r\n|[\r\n\u2028\u2029\u0085\v\f]/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
    .replace(/[\u0000-\u0009\u000e-\u001f\u007f-\u009f]/g, ' ')
    .replaceAll('*/', '*\\/')
    .replaceAll('/*', '/\\*')
    .replace(/(^|\n|\{)(\s*)@/g, '$1$2\\@')
    .replace(/\p{Cs}/gu, '\ufffd');
  return safe.split('\n').map((line) => line.trimEnd());
}

/** A block comment in JSDoc form, on one line when it fits. */
export function docComment(lines: readonly string[]): string {
  const [first = ''] = lines;
  if (lines.length <= 1) return `/** ${first} */`;
  return `/**\n${lines.map((line) => (line === '' ? ' *' : ` * ${line}`)).join('\n')}\n */`;
}

/** Source of a regular expression with the `u` flag, from any pattern that is valid under it. */
export function patternExpression(pattern: string): string {
  return `new RegExp(${stringLiteral(pattern)}, 'u')`;
}
