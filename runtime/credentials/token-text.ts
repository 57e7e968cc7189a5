import { CredentialsError } from './errors.js';

// What an HTTP/1.1 field value may hold: visible Latin-1, blank and tab.
const HEADER_TEXT = /^[\t\x20-\x7e\xa0-\xff]*$/;

/**
 * The credential in a text that was copied from a file or a variable: one line end at its end is dropped. Null when
 * nothing is left. Throws `CredentialsError` `malformed`, which never quotes the text, when no header can carry it.
 */
export function readCredentialText(text: string | null | undefined, subject: string): string | null {
  if (text === null || text === undefined) return null;
  const trimmed = text.replace(/\r?\n$/, '');
  if (trimmed.trim() === '') return null;
  if (!HEADER_TEXT.test(trimmed)) {
    throw new CredentialsError(
      'malformed',
      `${subject}: expected Latin-1 text without line ends or control characters, got others`,
    );
  }
  return trimmed;
}
