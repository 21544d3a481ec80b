// Indentation of Python, which the grammar does not look at: it takes a body that is missing and lines that jump. And the
// missing colon, which it finds somewhere else: a header that is followed by a deeper line.
// Invariant: indentation is judged only on a tree without errors, by statements that begin a line; continued lines, strings and
// comments can stand where they like. Tabs and blanks are compared as they are written, never converted.

import type { Node } from "../lib/tree-sitter.js";
import type { SyntaxIssue } from "./checker.js";
import type { Dialect } from "./tree.js";

export const python: Dialect = {
  grammar: "python",
  also(root, text) {
    const lines = text.split("\n");
    const issues: SyntaxIssue[] = [];
    look(root, lines, issues);
    return issues;
  },
  instead: missingColons,
};

const maxIssues = 100;
/** Of a header, and of blank lines and comments behind it; longer lines are not looked at. */
const maxLines = 100;
const maxWidth = 1_000;

const header =
  /^[ \t]*(?:async[ \t]+)?(?:def|class|if|elif|else|for|while|try|except|finally|with|match|case)(?![\w.=,)\]}])(?![ \t]*=)/;

/** Headers of blocks without their colon: said at the end of the header, where it belongs. */
function missingColons(root: Node, text: string): SyntaxIssue[] {
  const lines = text.split(/\r?\n/);
  const issues: SyntaxIssue[] = [];
  for (const [row, line] of lines.entries()) {
    if (issues.length >= maxIssues || !header.test(line) || !isCode(root, row, line.search(/\S/))) continue;
    const end = endOf(lines, row);
    if (end === null) continue;
    const code = codeOf(lines[end] ?? "");
    if (code.endsWith(":")) continue;
    const next = lines.slice(end + 1, end + maxLines).find((each) => /^\s*[^\s#]/.test(each));
    if (next === undefined || indentOf(next) <= indentOf(line)) continue;
    issues.push({ line: end + 1, column: [...code].length + 1, text: "`:` is missing" });
  }
  return issues;
}

/** Not within a string or a comment. */
function isCode(root: Node, row: number, column: number): boolean {
  for (let at = root.descendantForPosition({ row, column }); at; at = at.parent) {
    if (/^(?:string|string_content|comment)$/.test(at.type)) return false;
  }
  return true;
}

/** The last line of a header, which may go on within brackets; null when these do not fit. */
function endOf(lines: readonly string[], from: number): number | null {
  let depth = 0;
  for (let row = from; row < Math.min(lines.length, from + maxLines); row++) {
    const line = lines[row] ?? "";
    if (line.length > maxWidth) return null;
    for (const mark of codeOf(line)) depth += "([{".includes(mark) ? 1 : ")]}".includes(mark) ? -1 : 0;
    if (depth < 0) return null;
    if (depth === 0 && !line.endsWith("\\")) return row;
  }
  return null;
}

/** A line without its comment, its strings blotted out, nothing at its end. */
function codeOf(line: string): string {
  const bare = line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, (string) => "_".repeat([...string].length));
  return (bare.split("#", 1)[0] ?? "").trimEnd();
}

function indentOf(line: string): number {
  return /^[ \t\f]*/.exec(line)?.[0].length ?? 0;
}

/** Statements that can hold a block, and their clauses. */
const compound =
  /^(?:(?:class|function|decorated)_definition|(?:if|for|while|try|with|match)_statement|(?:elif|else|except|finally|case)(?:_group)?_clause)$/;

function look(node: Node, lines: readonly string[], issues: SyntaxIssue[]): void {
  const isBody = node.type === "block" || node.type === "module";
  const children = node.namedChildren.filter((child) => child.type !== "comment");
  if (isBody) level(node, children, lines, issues);
  for (const child of children) if (child.type === "block" || compound.test(child.type)) look(child, lines, issues);
}

function level(node: Node, statements: readonly Node[], lines: readonly string[], issues: SyntaxIssue[]): void {
  if (statements.length === 0) {
    if (node.type === "block") issues.push(lacking(node, lines));
    return;
  }
  let wanted = node.type === "module" ? "" : undefined;
  for (const statement of statements) {
    const { row, column } = statement.startPosition;
    const indent = /^[ \t\f]*/.exec(lines[row] ?? "")?.[0] ?? "";
    // After `;`, after `:` on the same line, or on a continued line it says nothing.
    if (indent.length !== column || lines[row - 1]?.trimEnd().endsWith("\\")) continue;
    wanted ??= indent;
    if (indent.replaceAll("\f", "") === wanted.replaceAll("\f", "")) continue;
    issues.push({ line: row + 1, column: column + 1, text: "indented unlike the statements before it" });
  }
}

/** Said at the line that should be indented, or at the end when nothing follows. */
function lacking(block: Node, lines: readonly string[]): SyntaxIssue {
  let row = block.startPosition.row + (block.startPosition.column === 0 ? 0 : 1);
  while (row < lines.length && /^\s*(#|$)/.test(lines[row] ?? "")) row++;
  const text = "an indented block is expected";
  if (row >= lines.length) return { line: lines.length, column: 1, text, isOpen: true };
  return { line: row + 1, column: (lines[row]?.search(/\S/) ?? 0) + 1, text };
}
