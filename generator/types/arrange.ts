/**
 * Shapes what json-schema-to-typescript printed: reads its text with ts-morph, makes members and lists read-only, puts
 * back member names and optional tuple elements. Edits are collected and made at once, since each manipulation of a
 * ts-morph tree parses anew.
 */

import { type Node, Project, type Statement, SyntaxKind } from 'ts-morph';
import { propertyKey } from '../text.js';
import { OPTIONAL_MARK, type Placeholders } from './to-printable.js';

/** One `export type` or `export interface`, without its doc comment. */
export interface Declaration {
  readonly name: string;
  readonly text: string;
  /** Names of types that the text refers to. */
  readonly uses: ReadonlySet<string>;
}

/** What stands for names in the printed text. */
export interface PrintedNames {
  readonly memberNames: Placeholders;
  readonly typeNames: Placeholders;
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The declarations of a printed bundle by name, `root` left out; throws on a name that nobody asked for. */
export function arrange(printed: string, names: PrintedNames, root: string): ReadonlyMap<string, Declaration> {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const source = project.createSourceFile('bundle.ts', printed);
  const found = new Map<string, Declaration>();
  for (const statement of source.getStatements()) {
    const declaration = readDeclaration(statement, names, root);
    if (declaration !== null) found.set(declaration.name, declaration);
  }
  return found;
}

function readDeclaration(statement: Statement, names: PrintedNames, root: string): Declaration | null {
  const named = statement.asKind(SyntaxKind.InterfaceDeclaration) ?? statement.asKind(SyntaxKind.TypeAliasDeclaration);
  if (named === undefined) throw new Error(`types: expected type declarations, got a ${statement.getKindName()}`);
  if (named.getName() === root) return null;
  const name = names.typeNames.nameOf(named.getName());
  // The printer numbers what it cannot tell apart, `Item1`: such a type would exist beside the one that was meant.
  if (name === undefined) throw new Error(`types: expected the names of the definitions, got ${named.getName()}`);
  const edits: Edit[] = [];
  const uses = new Set<string>();
  statement.forEachDescendant((node) => {
    edits.push(...editsOf(node, names));
    if (!node.isKind(SyntaxKind.Identifier)) return;
    const text = node.getText();
    uses.add(names.typeNames.nameOf(text) ?? text);
  });
  return { name, text: applyEdits(statement, edits), uses };
}

function editsOf(node: Node, names: PrintedNames): Edit[] {
  const insert = (at: number, text: string): Edit => ({ from: at, to: at, text });
  if (node.isKind(SyntaxKind.PropertySignature)) {
    const name = node.getNameNode();
    const original = names.memberNames.nameOf(name.getText());
    const key = original === undefined ? name.getText() : propertyKey(original);
    return [{ from: name.getStart(), to: name.getEnd(), text: `readonly ${key}` }];
  }
  if (node.isKind(SyntaxKind.IndexSignature)) {
    const name = node.getKeyName();
    const start = node.getStart();
    return [{ from: start, to: start + 1 + name.length, text: 'readonly [member' }];
  }
  if (node.isKind(SyntaxKind.ArrayType) || node.isKind(SyntaxKind.TupleType)) {
    const parent = node.getParent();
    if (parent?.isKind(SyntaxKind.RestType)) return [];
    const isElement = parent?.isKind(SyntaxKind.ArrayType) === true;
    const head = insert(node.getStart(), isElement ? '(readonly ' : 'readonly ');
    return isElement ? [head, insert(node.getEnd(), ')')] : [head];
  }
  // `(OPTIONAL$ | T)` in a tuple becomes `(T)?`.
  if (node.isKind(SyntaxKind.TypeReference) && node.getText() === OPTIONAL_MARK) {
    const union = node.getParentIfKind(SyntaxKind.UnionType);
    const element = union?.getParentIfKind(SyntaxKind.ParenthesizedType);
    if (union === undefined || element === undefined) throw new Error('types: expected an optional tuple element');
    const bar = union.getText().indexOf('|') + 1;
    return [{ from: node.getStart(), to: union.getStart() + bar, text: '' }, insert(element.getEnd(), '?')];
  }
  if (node.isKind(SyntaxKind.Identifier)) {
    const name = names.typeNames.nameOf(node.getText());
    return name === undefined ? [] : [{ from: node.getStart(), to: node.getEnd(), text: name }];
  }
  return [];
}

function applyEdits(statement: Statement, edits: readonly Edit[]): string {
  const source = statement.getSourceFile().getFullText();
  let text = '';
  let at = statement.getStart();
  for (const edit of [...edits].sort((left, right) => left.from - right.from || left.to - right.to)) {
    text += source.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  text += source.slice(at, statement.getEnd());
  // Literals hold no line ends, so this meets comments alone.
  return text.replace(/\/\*\*\n\s*\* ([^\n]*)\n\s*\*\//g, '/** $1 */');
}
