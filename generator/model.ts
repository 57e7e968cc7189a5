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
  | 'duplicate-member'
  | 'not-a-schema'
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
  | 'catalogue';

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
  /** Definitions of content items. */
  readonly content: readonly string[];
  /** Members that are present only when asked for. */
  readonly optIn: readonly string[];
  readonly effects: EffectHints;
}

/** Where the capabilities of an event say what may be answered, and how the answers are told apart. */
export interface EffectHints {
  readonly union: string;
  readonly tag: string;
  /** Member of the capabilities with the list of effects. */
  readonly list: string;
  /** Effect whose `member` is narrowed to the members that `grants` (a path into the capabilities) declares. */
  readonly targets: GrantHints;
  /** Effect whose `member` is narrowed to the values of the list at `grants`. */
  readonly operations: GrantHints;
}

export interface GrantHints {
  readonly effect: string;
  readonly member: string;
  readonly grants: readonly string[];
}

export interface LoadedSet {
  readonly protocolVersion: string;
  readonly documents: readonly LoadedDocument[];
  /** Public name -> place, from manifest.json; without a manifest every `$defs` entry is public. */
  readonly publicNames: ReadonlyMap<string, Place>;
  readonly catalogue: CatalogueHints | null;
  /** What does not stop generation: digests in manifest.json that are behind their documents. */
  readonly warnings: readonly Problem[];
}

/** What a phase gives: its output as far as it got, and what it found wrong; all phases up to check report together. */
export interface Phase<Output> {
  readonly output: Output;
  readonly problems: readonly Problem[];
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
  /** Sorted by document, then by name, so that the order of `$defs` does not show in the output. */
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
  /** True when the text is as prettier would print it already. */
  readonly isFormatted?: boolean;
}

// ---- lower: the intermediate representation ------------------------------------------------------------------------

export type JsonType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

/**
 * What a codec checks of a value: structure alone. A closed union on `kind`, plain JSON, dumped by `--emit-ir`.
 * Bounds, patterns, formats, conditions and 'none of' rules are not in it: they belong to the validator.
 */
export type Shape =
  | AnyShape
  | NeverShape
  | ReferenceShape
  | TypesShape
  | ConstantShape
  | EnumShape
  | ObjectShape
  | ListShape
  | EveryShape
  | UnionShape;

/** Takes every value: `{}`, `true`, `{"description": "any JSON"}`. */
export interface AnyShape {
  readonly kind: 'any';
}

/** Takes no value: `false`. As the schema of a member it is a 'none of' rule and lowers to `any`. */
export interface NeverShape {
  readonly kind: 'never';
}

/** Another definition: `{"$ref": "common.json#/$defs/Session"}`. */
export interface ReferenceShape {
  readonly kind: 'reference';
  /** Key of the definition. */
  readonly key: string;
}

/** JSON types alone, of which one must fit: `{"type": ["string", "integer"], "minLength": 1}`. */
export interface TypesShape {
  readonly kind: 'types';
  readonly types: readonly JsonType[];
}

/** Exactly this value: `{"const": "draft"}`. */
export interface ConstantShape {
  readonly kind: 'constant';
  readonly value: Json;
}

/** One of these values; where one of them is a string, other strings are kept with a warning: `{"enum": ["allow", "deny"]}`. */
export interface EnumShape {
  readonly kind: 'enum';
  readonly values: readonly Json[];
}

/** Members of an object: `{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}`. */
export interface ObjectShape {
  readonly kind: 'object';
  /** False when other JSON types pass unchecked: `{"required": ["a", "b"]}`. */
  readonly typed: boolean;
  /** In the order of the schema; required names without a schema of their own follow, with the shape `any`. */
  readonly members: readonly MemberShape[];
  /** `patternProperties`. */
  readonly patterns: readonly { readonly pattern: string; readonly shape: Shape }[];
  /** What members without a name or pattern must fit; null when nothing is said or they are forbidden (a rule of the validator). */
  readonly extras: Shape | null;
  /** True when the schema forbids other members; kept by the codec all the same. */
  readonly closed: boolean;
}

export interface MemberShape {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** Elements of a list: `{"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}`. */
export interface ListShape {
  readonly kind: 'list';
  /** False when other JSON types pass unchecked. */
  readonly typed: boolean;
  readonly prefix: readonly Shape[];
  /** What elements after the prefix must fit; null when nothing is said. */
  readonly rest: Shape | null;
}

/** All parts hold: `allOf`, keywords beside `$ref`, members beside a union. */
export interface EveryShape {
  readonly kind: 'every';
  readonly parts: readonly Shape[];
}

/** `oneOf` or `anyOf` whose branches add structure. */
export interface UnionShape {
  readonly kind: 'union';
  /** Where the `oneOf` or `anyOf` stands. */
  readonly place: Place;
  readonly branches: readonly Shape[];
  readonly choice: Choice;
  /** True when a tag outside the known ones is kept whole, as the unknown variant. */
  readonly hasUnknownVariant: boolean;
}

/** How a value finds its branch. A closed union on `kind`. */
export type Choice =
  /** This branch and no other. */
  | { readonly kind: 'branch'; readonly index: number }
  /**
   * By the string that stands under `member`: `{"type": "deny"}`. Another string is the unknown variant; without the
   * member `absent` chooses, and null means that it is missing.
   */
  | {
      readonly kind: 'tag';
      readonly member: string;
      readonly cases: readonly { readonly values: readonly string[]; readonly choice: Choice }[];
      readonly absent: Choice | null;
    }
  /** By the first path that is there and whose `excluded` members are not: `{"error": {}}` before `{"result": {"manifest": {}}}`. */
  | {
      readonly kind: 'presence';
      readonly cases: readonly {
        readonly path: readonly string[];
        readonly excluded: readonly string[];
        readonly choice: Choice;
      }[];
    }
  /** By the JSON type (`number` includes integers): `{"oneOf": [{"type": "null"}, {"type": "object"}]}`. */
  | {
      readonly kind: 'type';
      readonly cases: readonly { readonly types: readonly JsonType[]; readonly choice: Choice }[];
    }
  /** Nothing selects: the value passes when one of these branches takes it, those without a warning first. */
  | { readonly kind: 'trial'; readonly indexes: readonly number[] };

/** The whole intermediate representation, in the order of the definitions. */
export interface Ir {
  readonly irVersion: 1;
  readonly definitions: readonly IrDefinition[];
}

export interface IrDefinition {
  readonly key: string;
  readonly name: string;
  readonly isPublic: boolean;
  readonly shape: Shape;
  /** True when the value as a whole may be the unknown variant of a union (through references and `allOf` too). */
  readonly hasUnknownVariant: boolean;
}

/** A checked set with its intermediate representation: the only one that planning takes. */
export interface LoweredSet extends CheckedSet {
  readonly ir: Ir;
}

// ---- plan ----------------------------------------------------------------------------------------------------------

/** Final names and files of one definition; no emitter makes names of its own for these. */
export interface PlannedDefinition {
  readonly definition: Definition;
  readonly ir: IrDefinition;
  readonly family: string;
  readonly typeName: string;
  /** Internal structural check of the codec, `checkTool`; every definition has one. */
  readonly checkName: string;
  /** `isKnownTool`, tells whether the value is no unknown variant; null when the type has none. */
  readonly isKnownName: string | null;
  /** Names of the public functions; null on definitions that are not public. */
  readonly functions: PublicFunctions | null;
}

export interface PublicFunctions {
  readonly parse: string;
  readonly fromJson: string;
  readonly encode: string;
  readonly validate: string;
}

/** One schema document and the modules made from it. */
export interface PlannedFamily {
  /** `content`; unique, kebab-case, safe as a file stem. */
  readonly name: string;
  readonly document: LoadedDocument;
  readonly definitions: readonly PlannedDefinition[];
  readonly typesFile: string;
  readonly codecsFile: string;
  readonly validatorsFile: string;
}

export interface Plan {
  readonly toolVersion: string;
  readonly set: LoweredSet;
  readonly families: readonly PlannedFamily[];
  /** All of them, in the order of the families. */
  readonly definitions: readonly PlannedDefinition[];
  /** By the key of the definition, which is what a resolved `$ref` says. */
  readonly byKey: ReadonlyMap<string, PlannedDefinition>;
  /** Unions by `document#pointer` of the schema object that holds the `oneOf` or `anyOf`: branches, choice, unknown variant. */
  readonly unions: ReadonlyMap<string, UnionShape>;
}
