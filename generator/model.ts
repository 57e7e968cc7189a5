/** What each phase of the generator takes and gives. A phase that is skipped does not compile. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** A spot in a schema set: document path (posix, relative to the schema folder) and JSON Pointer (`''` is the root). */
export interface Place {
  readonly document: string;
  readonly pointer: string;
}

/** One violated rule; `rule` is an English sentence, `message` says what came. All problems of a run are reported together. */
export interface Problem {
  readonly code: ProblemCode;
  readonly place: Place;
  readonly rule: string;
  readonly message: string;
}

export type ProblemCode =
  | 'not-json'
  | 'manifest'
  | 'unknown-keyword'
  | 'inexpressible'
  | 'unresolved-ref'
  | 'remote-ref'
  | 'duplicate-name'
  | 'name-collision'
  | 'endless-cycle'
  | 'discriminator'
  | 'pattern'
  | 'missing-title';

// ---- load ----------------------------------------------------------------------------------------------------------

export interface LoadedDocument {
  /** Posix path relative to the schema folder, `content.json`. */
  readonly path: string;
  /** File stem, `content`; the name of the emitted modules. */
  readonly family: string;
  readonly json: JsonObject;
  /** Lowercase hex over the text with LF line ends. */
  readonly sha256: string;
}

/** Which definitions the catalogue is read from; schema sets other than AHP have none. */
export interface CatalogueHints {
  readonly union: string;
  readonly tag: string;
  readonly request: string;
  readonly content: readonly string[];
  readonly optIn: readonly string[];
}

export interface LoadedSet {
  readonly protocolVersion: string;
  readonly documents: readonly LoadedDocument[];
  /** Public name -> place, from manifest.json; without a manifest every `$defs` entry is public. */
  readonly publicNames: ReadonlyMap<string, Place>;
  readonly catalogue: CatalogueHints | null;
  readonly manifestSha256: string | null;
}

// ---- link ----------------------------------------------------------------------------------------------------------

/** A named schema: an entry of `$defs`, a document root that is a schema, or another target of a `$ref`. */
export interface Definition {
  /** `content.json#/$defs/ContentItem`, the identity that resolved references carry. */
  readonly key: string;
  readonly place: Place;
  readonly family: string;
  /** Final PascalCase name, unique in the set. */
  readonly name: string;
  readonly isPublic: boolean;
  readonly title: string | null;
  readonly description: string | null;
  /** As written, except that each `$ref` is the key of its target. */
  readonly schema: JsonObject | boolean;
}

export interface LinkedSet extends LoadedSet {
  /** Sorted by document, then by order of appearance. */
  readonly definitions: readonly Definition[];
  readonly byKey: ReadonlyMap<string, Definition>;
  readonly byName: ReadonlyMap<string, Definition>;
}

/** A linked set without problems: the only one that lowering takes. */
export interface CheckedSet extends LinkedSet {
  readonly checked: true;
}

// ---- emit ----------------------------------------------------------------------------------------------------------

export interface EmittedFile {
  /** Posix path relative to the output folder. */
  readonly path: string;
  readonly text: string;
}

export interface GenerateOptions {
  /** Absolute or relative folder of the schema set; never appears in the output. */
  readonly schemas: string;
  readonly out: string;
}
