// C and C++: the preprocessor makes of a text what no grammar can foresee, and half of all headers would be flagged.
// Invariant: an error counts only inside the body of a function that the grammar took as a whole, on lines without
// directives and without names that look like macros; brackets count only in a file without conditional compilation.

import type { Node } from "../lib/tree-sitter.js";
import type { Dialect } from "./tree.js";

export const cFamily: Dialect = { grammar: "cpp", isFine };

const macroLike = /^[ \t]*#|\\\s*$|\b_*[A-Z][A-Z0-9_]{2,}\b|\b__\w+/m;
const bracket = /^[{}()[\]]$/;

function isFine(node: Node): boolean {
  const text = node.tree.rootNode.text;
  const isBracket = node.isMissing ? bracket.test(node.type) : node.children.some((child) => bracket.test(child.type));
  if (isBracket && !/^[ \t]*#\s*(?:if|else|elif)/m.test(text)) return macroLike.test(around(text, node, 3));
  return !isInBody(node) || macroLike.test(around(text, node, 3));
}

function isInBody(node: Node): boolean {
  let inBody = false;
  for (let at = node.parent; at; at = at.parent) {
    if (at.isError) return false;
    if (at.type === "compound_statement" && at.parent?.type === "function_definition") inBody = true;
  }
  return inBody;
}

/** The lines of a node, and some before it. */
function around(text: string, node: Node, before: number): string {
  const lines = text.split("\n");
  return lines.slice(Math.max(0, node.startPosition.row - before), node.endPosition.row + 1).join("\n");
}
