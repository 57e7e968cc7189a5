/** What the codec templates receive: finished fragments of source text, with one flag per kind for the templates' `if`. */

export interface FunctionView {
  readonly name: string;
  readonly doc: string | null;
  readonly isExported: boolean;
  /** Gives a boolean instead of a count. */
  readonly isTest?: boolean;
  readonly parameters: string;
  /** Declares `found`, which the body counts in and the end gives back. */
  readonly counts: boolean;
  readonly body: readonly StatementView[];
}

export type StatementView =
  | { readonly isReturn: true; readonly result: string }
  | { readonly isLookup: true; readonly table: string; readonly value: string }
  | { readonly isGuard: true; readonly test: string; readonly result: string }
  | { readonly isCount: true; readonly test: string | null; readonly result: string }
  | {
      readonly isNested: true;
      readonly guard: string | null;
      readonly otherwise: string | null;
      readonly call: string;
      readonly step: string;
    }
  | { readonly isBlock: true; readonly test: string; readonly body: readonly StatementView[] }
  | { readonly isLoop: true; readonly from: number; readonly body: readonly StatementView[] }
  | { readonly isMemberLoop: true; readonly body: readonly StatementView[] }
  | {
      readonly isSwitch: true;
      readonly value: string;
      readonly cases: readonly CaseView[];
      readonly otherwise: string;
    };

export interface CaseView {
  /** Literals, or `undefined` for an absent tag. */
  readonly values: readonly string[];
  readonly body: readonly StatementView[];
}

export interface PublicView {
  readonly type: string;
  readonly check: string;
  readonly parse: string;
  readonly fromJson: string;
  readonly encode: string;
  readonly parseDoc: string;
  readonly fromJsonDoc: string;
  readonly encodeDoc: string;
}

export interface KnownView {
  readonly name: string;
  readonly type: string;
  readonly knownType: string;
  readonly test: string;
  readonly doc: string;
}

export interface ModuleView {
  readonly imports: readonly { readonly from: string; readonly names: string }[];
  readonly typeImports: readonly { readonly from: string; readonly names: string }[];
  readonly hasTypes: boolean;
  /** Module of the family's types, relative to the output folder. */
  readonly typesModule: string;
  readonly constants: readonly { readonly name: string; readonly value: string }[];
  readonly functions: readonly FunctionView[];
  readonly publics: readonly PublicView[];
  readonly knowns: readonly KnownView[];
}
