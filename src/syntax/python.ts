// Indentation of Python, which the grammar does not look at: it takes a body that is missing and lines that jump.
// Invariant: judged only on a tree without errors, by statements that begin a line; continued lines, strings and
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
};

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
