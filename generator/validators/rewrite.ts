/** Turns the source that the validator library writes for one function into the project's form of it. */

/** Text that cannot occur outside of a mask, since sources of checks are plain ASCII outside of strings. */
const MASK = '\uE000';

/**
 * Rewrites a function `validateN(data, {…})` to take the value alone and give places from there, to ask the project's helpers what an
 * object and what a number is, and to build findings without what the issues do not use. Strings are left alone.
 */
export function rewriteCheck(source: string): string {
  const strings: string[] = [];
  let code = source.replace(/"(?:[^"\\]|\\.)*"/g, (text) => {
    if (text === '"object"' || text === '"number"' || text === '""') return text;
    strings.push(text);
    return `${MASK}${strings.length - 1}${MASK}`;
  });
  code = code
    .replace(
      /function (validate\d+)\(data, \{instancePath="", parentData, parentDataProperty, rootData=data(?:, dynamicAnchors=\{\})?\}=\{\}\)/,
      'function $1(data)',
    )
    .replaceAll('instancePath:instancePath+', 'instancePath:')
    .replaceAll('{instancePath,', '{instancePath:"",')
    .replace(/(\w+) && typeof \1 == "object" && !Array\.isArray\(\1\)/g, 'isObject($1)')
    .replace(
      /\(\(typeof (\w+) == "number"\) && \(!\(\1 % 1\) && !isNaN\(\1\)\)\) && \(isFinite\(\1\)\)/g,
      'isInteger($1)',
    )
    .replace(/\(typeof (\w+) == "number"\) && \(isFinite\(\1\)\)/g, 'isNumber($1)')
    // Sets of evaluated names must not find inherited ones.
    .replace(/\b(props\d+) = \{\};/g, '$1 = Object.create(null);')
    .replace(/\b(props\d+) \|\| \{\}/g, '$1 || Object.create(null)')
    // Findings say where and which keyword; the path in the schema only makes the code larger.
    .replace(new RegExp(`,schemaPath:(?:${MASK}\\d+${MASK}|[\\w.]+)(?:\\+(?:${MASK}\\d+${MASK}|[\\w.]+))*`, 'g'), '');
  if (/typeof \w+ [!=]=+ "(?:object|number)"|isFinite\(|isNaN\(|instancePath[+=]/.test(code)) {
    throw new Error('expected source in the known form of the validator library, got another form');
  }
  return code.replace(new RegExp(`${MASK}(\\d+)${MASK}`, 'g'), (_, index: string) => strings[Number(index)] ?? '');
}

/** Renames identifiers outside of strings. */
export function renameIdentifiers(source: string, names: ReadonlyMap<string, string>): string {
  return source.replace(/"(?:[^"\\]|\\.)*"|wrapper\d+\.validate|[A-Za-z_$][\w$]*/g, (token) =>
    token.startsWith('"') ? token : (names.get(token) ?? token),
  );
}
