// Programming languages by tree-sitter: one grammar a language, compiled to WebAssembly, run in this process.
// Invariant: an error is what the grammar could not fit in; what a grammar is known to get wrong is never reported
// (`Dialect.isFine`), what it is known to overlook can be added (`Dialect.also`). A parse that takes too long is given up.
// A tree-sitter error is a guess at the place: the unclosed bracket if there is one, else where the trouble begins.

import { loadGrammar, type Node } from "../lib/tree-sitter.js";
import { type Checker, excerpt, Places, type SyntaxIssue, Unchecked } from "./checker.js";

export interface Dialect {
  /** Of `@vscode/tree-sitter-wasm/wasm/tree-sitter-<grammar>.wasm`. */
  grammar: string;
  /** This error of the grammar is none of the language. */
  isFine?(node: Node): boolean;
  /** What is wrong with a text that the grammar did not take, where that is known better than by its errors; [] = it is not. */
  instead?(root: Node, text: string): SyntaxIssue[];
  /** Faults in a text that the grammar took. */
  also?(root: Node, text: string): SyntaxIssue[];
}

/** Milliseconds for one text. */
const patience = 500;
const maxIssues = 100;

export async function treeChecker(dialect: Dialect): Promise<Checker> {
  const parse = await loadGrammar(dialect.grammar);
  return {
    issues(text) {
      const tree = parse(text, patience);
      if (!tree) throw new Unchecked("it took too long");
      try {
        if (!tree.rootNode.hasError) return dialect.also?.(tree.rootNode, text) ?? [];
        const better = dialect.instead?.(tree.rootNode, text) ?? [];
        return better.length > 0
          ? better
          : unclosedFirst(new Finder(dialect, text).find(tree.rootNode), tree.rootNode, text);
      } finally {
        tree.delete();
      }
    },
  };
}

/**
 * Where a brace is missing the grammar names the end of the file, or what came to stand in the wrong block. People look for the
 * brace that is open: the first that a closing one further left has passed over, or the last that nothing closes.
 */
function unclosedFirst(issues: SyntaxIssue[], root: Node, text: string): SyntaxIssue[] {
  const [first] = issues;
  const brace = first ? openBrace(root, text) : null;
  if (!first || !brace) return issues;
  const place = new Places(text).at(brace.startIndex);
  const isBefore = ({ line, column }: SyntaxIssue) =>
    line < place.line || (line === place.line && column < place.column);
  // Brackets that go on to the end of the file are this one.
  const others = issues.filter((issue) => isBefore(issue) && !/ is (?:not closed|missing)$/.test(issue.text));
  const issue: SyntaxIssue = { ...place, text: "`{` is not closed" };
  if (issues.some((each) => each.isOpen)) issue.isOpen = true;
  return [...others, issue];
}

/** Null when there are as many closing braces as open ones. */
function openBrace(root: Node, text: string): Node | null {
  const braces = root.descendantsOfType(["{", "}"]).filter((each) => each !== null && !each.isMissing);
  if (braces.filter(({ type }) => type === "{").length * 2 <= braces.length) return null;
  const lines = text.split("\n");
  const indentOf = ({ startPosition: { row } }: Node) => /^[ \t]*/.exec(lines[row] ?? "")?.[0].length ?? 0;
  const open: Node[] = [];
  for (const brace of braces) {
    const top = open.at(-1);
    if (brace.type === "{") open.push(brace);
    else if (top && brace.startPosition.column === indentOf(brace) && indentOf(brace) < indentOf(top)) return top;
    else open.pop();
  }
  return open.at(-1) ?? null;
}

/** Walks to the errors of one tree. */
class Finder {
  readonly #dialect: Dialect;
  readonly #text: string;
  readonly #places: Places;
  readonly #issues: SyntaxIssue[] = [];

  constructor(dialect: Dialect, text: string) {
    this.#dialect = dialect;
    this.#text = text;
    this.#places = new Places(text);
  }

  find(root: Node): SyntaxIssue[] {
    this.#visit(root);
    return this.#issues;
  }

  #visit(node: Node): void {
    if (this.#issues.length >= maxIssues) return;
    if (node.isMissing) this.#missing(node);
    else if (node.isError) this.#error(node);
    else if (node.hasError) for (const child of node.children) this.#visit(child);
  }

  #missing(node: Node): void {
    if (this.#dialect.isFine?.(node)) return;
    const word = /^\w+$/.test(node.type) && node.isNamed ? node.type.replaceAll("_", " ") : `\`${node.type}\``;
    this.#add(node.startIndex, `${word} is missing`, node.startIndex >= this.#places.end);
  }

  #error(node: Node): void {
    if (this.#dialect.isFine?.(node)) return;
    const start = node.startIndex;
    const runsOut = node.endIndex >= this.#places.end && !/^[)}\]]/.test(node.text);
    const open = unclosed(node);
    const inner = firstError(node);
    if (open) this.#add(open.startIndex, `\`${open.type}\` is not closed`, runsOut);
    else if (this.#text.startsWith("/*", start)) this.#add(start, "`/*` is not closed", true);
    else if (inner && inner.startIndex > start) this.#visit(inner);
    // A long string that is not closed: what follows was taken for code.
    else this.#add(start, "cannot be read", runsOut || /^("""|'''|`)/.test(node.text), excerpt(node.text));
  }

  #add(offset: number, text: string, isOpen: boolean, detail?: string): void {
    const issue: SyntaxIssue = { ...this.#places.at(offset), text };
    if (detail !== undefined) issue.detail = detail;
    if (isOpen) issue.isOpen = true;
    this.#issues.push(issue);
  }
}

const closers: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]", "${": "}", "$(": ")" };

/** The last opening bracket among the tokens of an error that none of them closes. */
function unclosed(error: Node): Node | null {
  const open: Node[] = [];
  for (const token of error.children) {
    const top = open.at(-1);
    if (token.type in closers) open.push(token);
    else if (top && closers[top.type] === token.type) open.pop();
  }
  return open.at(-1) ?? null;
}

function firstError(node: Node): Node | null {
  for (const child of node.children) {
    if (child.isError || child.isMissing) return child;
    const found = child.hasError ? firstError(child) : null;
    if (found) return found;
  }
  return null;
}
