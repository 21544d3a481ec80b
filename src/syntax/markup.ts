// HTML by parse5, which reads as a browser does: nearly everything is accepted, so nearly everything is only a hint.
// Invariant: errors are an element that swallows the rest of the page (script, style, textarea, title without an end) and
// what is wrong inside a script or style; in a template, where the tags of an engine stand between, no more than that.

import type { ParserError, DefaultTreeAdapterTypes as Tree } from "parse5";
import { type Checker, type SyntaxIssue, Unchecked } from "./checker.js";

/** Checkers of what is embedded; null where there is none. */
export interface Embedded {
  script: Checker | null;
  style: Checker | null;
  json: Checker | null;
}

const swallowing = new Set(["script", "style", "textarea", "title"]);
/** Open at the end, these say that more of the page is to come; a browser does not miss their end tags. */
const framing = new Set(["html", "head", "body"]);
const template = /\{\{|\{%|<%|<\?/;

export async function markupChecker(embedded: () => Promise<Embedded>): Promise<Checker> {
  const [{ parse }, inside] = await Promise.all([import("parse5"), embedded()]);
  return {
    issues(text) {
      const errors: ParserError[] = [];
      const page = parse(text, { sourceCodeLocationInfo: true, onParseError: (error) => errors.push(error) });
      const issues = elementsOf(page).flatMap((element) => faultsOf(element, text, inside));
      if (!template.test(text)) issues.push(...errors.flatMap(hintOf));
      return issues.sort((a, b) => a.line - b.line || a.column - b.column);
    },
  };
}

function elementsOf(node: Tree.ParentNode): Tree.Element[] {
  return node.childNodes.flatMap((child) => {
    if (!("tagName" in child)) return [];
    const content = "content" in child ? elementsOf(child.content) : [];
    return [child, ...content, ...elementsOf(child)];
  });
}

function faultsOf(element: Tree.Element, text: string, inside: Embedded): SyntaxIssue[] {
  const place = element.sourceCodeLocation;
  if (!place?.startTag) return [];
  const { tagName } = element;
  if (!place.endTag) {
    if (!swallowing.has(tagName) && !framing.has(tagName)) return [];
    const issue = { line: place.startLine, column: place.startCol, text: `\`<${tagName}>\` is not closed` };
    return [swallowing.has(tagName) ? { ...issue, isOpen: true } : { ...issue, isOpen: true, isHint: true }];
  }
  const checker = checkerOf(element, inside);
  if (!checker) return [];
  const { endLine, endCol, endOffset } = place.startTag;
  const content = text.slice(endOffset, place.endTag.startOffset);
  const moved = ({ isOpen: _, ...issue }: SyntaxIssue): SyntaxIssue => {
    const { detail: _detail, ...rest } = issue;
    return { ...rest, line: issue.line + endLine - 1, column: issue.column + (issue.line === 1 ? endCol - 1 : 0) };
  };
  const found = content.trim() === "" ? [] : issuesOf(checker, content);
  return found.length > 0 && template.test(content) ? [] : found.map(moved);
}

function issuesOf(checker: Checker, content: string): SyntaxIssue[] {
  try {
    return checker.issues(content);
  } catch (error) {
    if (error instanceof Unchecked) return [];
    throw error;
  }
}

function checkerOf({ tagName, attrs }: Tree.Element, inside: Embedded): Checker | null {
  const type =
    attrs
      .find(({ name }) => name === "type")
      ?.value.trim()
      .toLowerCase() ?? "";
  if (tagName === "style") return type === "" || type === "text/css" ? inside.style : null;
  if (tagName !== "script" || attrs.some(({ name }) => name === "src")) return null;
  if (/^(?:|module|(?:text|application)\/(?:java|ecma)script)$/.test(type)) return inside.script;
  return /^(?:importmap|speculationrules|application\/(?:ld\+)?json)$/.test(type) ? inside.json : null;
}

/** What is worth a hint; anything else parse5 remarks is a matter of taste. */
const hints: Readonly<Record<string, string>> = {
  "end-tag-without-matching-open-element": "an end tag without its start tag",
  "closing-of-element-with-open-child-elements": "an end tag closes elements that are still open inside",
  "open-elements-left-after-eof": "elements are not closed",
  "duplicate-attribute": "an attribute is there twice",
  "eof-in-tag": "a tag is not closed",
  "eof-in-comment": "a comment is not closed",
  "missing-attribute-value": "an attribute has `=` and no value",
  "missing-whitespace-between-attributes": "a blank between attributes is missing",
  "unexpected-character-in-attribute-name": "a quote or `<` in the name of an attribute",
  "unexpected-character-in-unquoted-attribute-value": "a value needs quotes",
  "invalid-first-character-of-tag-name": "`<` that begins no tag",
};

function hintOf({ code, startLine, startCol }: ParserError): SyntaxIssue[] {
  const text = hints[code];
  if (text === undefined) return [];
  const issue: SyntaxIssue = { line: startLine, column: startCol, text, isHint: true };
  return [/eof/.test(code) ? { ...issue, isOpen: true } : issue];
}
