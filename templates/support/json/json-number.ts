import { isNumberLexeme } from './decimal.js';

const BRAND = Symbol.for('ahp-toolkit.json.number');

/**
 * A JSON number with its spelling, for values that a double cannot hold (`12345678901234567890`, `1e400`).
 * Frozen. `valueOf()` is the nearest double, so arithmetic and `JSON.stringify` treat it as that double;
 * `text` and `encode` give the spelling. A `structuredClone` of it is a bare `Number` object, which `encode` refuses.
 */
export class JsonNumber extends Number {
  /** The number as it is spelled in JSON. */
  readonly text: string;

  /**
   * Throws a `SyntaxError` when `text` is no number of the JSON grammar (RFC 8259 section 6).
   * `double` is for the parser alone, which has the text checked and its double at hand.
   */
  constructor(text: string, double?: number) {
    super(double ?? text);
    if (double === undefined && !isNumberLexeme(text))
      throw new SyntaxError('JsonNumber: expected a number in JSON spelling, got other text');
    this.text = text;
    Object.freeze(this);
  }

  /** The spelling. */
  override toString(): string {
    return this.text;
  }
}

// Marks instances also for other copies of this module in the same program, without making their types differ.
Object.defineProperty(JsonNumber.prototype, BRAND, { value: true });

/**
 * Whether the value is a `JsonNumber` (of this copy of the module or of another): a number, and no object, of JSON.
 * What merely has its prototype, and no spelling, is none. Never throws.
 */
export function isJsonNumber(value: unknown): value is JsonNumber {
  try {
    return (
      value instanceof Number &&
      (value as { [BRAND]?: unknown })[BRAND] === true &&
      isNumberLexeme((value as JsonNumber).text)
    );
  } catch {
    // A proxy may throw at any look.
    return false;
  }
}
