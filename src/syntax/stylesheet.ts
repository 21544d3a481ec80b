// CSS: what the grammar gets wrong is kept out here. Style sheets forgive, and the language grows faster than grammars.
// Invariant: an error counts only in what the grammar knows well: brackets, rules, declarations outside of at-rules and
// custom properties, on a line without newer or older notation. In doubt nothing is said.
// Added is what the grammar takes and no browser does: a declaration that swallowed the next one, or has no value.

import type { Node } from "../lib/tree-sitter.js";
import type { SyntaxIssue } from "./checker.js";
import type { Dialect } from "./tree.js";

export const stylesheet: Dialect = { grammar: "css", isFine, also };

/** Sets of custom properties, `.b & {`, ranges, nesting, escapes over line ends, flags, hacks of old browsers. */
const beyond =
  /(?<![\w-])(?=[\w-]*--)[\w-]+\s*:|&|[<>]=?|\\|^\s*[*_]|progid:|expression\(|@|\{\{|<%|url\(|!\s+?important|!\s*ie|;\s*;|["'\w]\s+[is]\s*\]/;
const bracket = /^[{}()[\]]$/;

function isFine(node: Node): boolean {
  const lines = linesAround(node);
  if (/progid:|url\(/.test(lines)) return true;
  const isBracket = node.isMissing ? bracket.test(node.type) : node.children.some(({ type }) => bracket.test(type));
  if (isBracket || bracket.test(node.text)) return isBalanced(node.tree.rootNode.text);
  return isWithinAtRule(node) || (!node.isMissing && beyond.test(lines));
}

/** Brackets by themselves: the grammar loses count after anything it does not know. */
function isBalanced(text: string): boolean {
  const open: string[] = [];
  const bare = text.replace(/\/\*.*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\\./gs, "");
  for (const [mark] of bare.matchAll(/[{}()[\]]/g)) {
    if ("{([".includes(mark)) open.push(mark);
    else if (!["{}", "()", "[]"].includes(`${open.pop() ?? ""}${mark}`)) return false;
  }
  return open.length === 0;
}

function isWithinAtRule(node: Node): boolean {
  for (let at = node.parent; at; at = at.parent) {
    if (/^(?:at_rule|.*_query|postcss_statement|scope_statement|import_statement|supports_statement)$/.test(at.type))
      return true;
    if (at.type === "block") return false;
  }
  return false;
}

/** Characters before and behind an error that are looked at; a style sheet may be one line. */
const wide = 500;

/** The lines an error is in. */
function linesAround(node: Node): string {
  const { startIndex, endIndex } = node;
  const root = node.tree.rootNode.text;
  const [before, behind] = [
    root.slice(Math.max(0, startIndex - wide), startIndex),
    root.slice(endIndex, endIndex + wide),
  ];
  return (
    before.slice(before.lastIndexOf("\n") + 1) + root.slice(startIndex, endIndex) + (behind.split("\n", 1)[0] ?? "")
  );
}

function also(root: Node): SyntaxIssue[] {
  const issues: SyntaxIssue[] = [];
  for (const node of root.descendantsOfType("declaration")) {
    const text = node.text;
    if (text.startsWith("--") || /[{}\\]/.test(text)) continue;
    const { row, column } = node.startPosition;
    const swallowed = /^[^:]+:[^\n]*\n(?:[^:\n]*\n)*?[ \t]*[a-z-]+\s*:(?!:)/.exec(text);
    if (swallowed) {
      const first = text.split("\n", 1)[0]?.trimEnd() ?? "";
      issues.push({ line: row + 1, column: column + first.length + 1, text: "`;` is missing" });
    } else if (/^[\w-]+\s*:\s*;?$/.test(text)) {
      issues.push({ line: row + 1, column: column + 1, text: "a value is missing" });
    }
  }
  return issues;
}
