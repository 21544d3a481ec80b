// What a page or a stylesheet refers to: scripts, styles, images, other pages. What it gives is of no matter here.
// Invariant: only what means a file of the project: no address, no fragment, nothing that a template puts in.

import type { DefaultTreeAdapterTypes as Tree } from "parse5";
import { lineAt, type ModuleFace, type Taken } from "./module-face.js";
import { scriptFace } from "./script-face.js";

/** Attributes that name a file, by element. */
const attributes: Readonly<Record<string, string>> = {
  script: "src",
  link: "href",
  img: "src",
  source: "src",
  video: "src",
  audio: "src",
  iframe: "src",
  a: "href",
};
const linked = /\b(?:stylesheet|icon|manifest|modulepreload|preload)\b/i;

export async function pageFace(text: string): Promise<ModuleFace> {
  const { parse } = await import("parse5");
  const elements = elementsOf(parse(text, { sourceCodeLocationInfo: true }));
  if (elements.some(({ tagName }) => tagName === "base")) return { takes: [], gives: null, passes: [] };
  const imported = await Promise.all(elements.map(importedBy));
  const takes = [...elements.flatMap(takenBy), ...imported.flat()];
  return { takes, gives: null, passes: [] };
}

/** What a script that stands in the page takes. */
async function importedBy(element: Tree.Element): Promise<Taken[]> {
  const script = inlineScript(element);
  const face = script && (await scriptFace("page.js", script.text));
  const takes = face?.takes.filter(({ from }) => /^\.{0,2}\//.test(from)) ?? [];
  return takes.map(({ from, line }) => ({ from, line: line + (script?.above ?? 0), names: [] }));
}

/** Its text, and how many lines of the page are above it. */
export function inlineScript({ tagName, attrs, childNodes }: Tree.Element): { text: string; above: number } | null {
  const type = attrs.find(({ name }) => name === "type")?.value ?? "";
  const [text] = childNodes;
  if (tagName !== "script" || !/^(?:|module|text\/javascript)$/.test(type) || !text || !("value" in text)) return null;
  return { text: text.value, above: (text.sourceCodeLocation?.startLine ?? 1) - 1 };
}

export function elementsOf(node: Tree.ParentNode): Tree.Element[] {
  return node.childNodes.flatMap((child) => {
    if (!("tagName" in child)) return [];
    return [child, ...("content" in child ? elementsOf(child.content) : []), ...elementsOf(child)];
  });
}

function takenBy({ tagName, attrs, sourceCodeLocation }: Tree.Element): Taken[] {
  const value = (name: string) => attrs.find((each) => each.name === name)?.value.trim() ?? "";
  const from = value(attributes[tagName] ?? "");
  if (!isFile(from)) return [];
  if (tagName === "link" && !linked.test(value("rel"))) return [];
  // What a link leads to may be answered by a program.
  if (tagName === "a" && !/\.html?(?:[?#]|$)/.test(from)) return [];
  return [{ from, line: sourceCodeLocation?.startLine ?? 1, names: [] }];
}

/** An import, or an address: in either kind of quotes, or in none. */
const reference = /@import\s+(?:"([^"\n]*)"|'([^'\n]*)')|url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'()]+))\s*\)/g;

export function styleFace(text: string): ModuleFace {
  const plain = text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, (comment) => comment.replace(/[^\n]/g, " "));
  const takes: Taken[] = [];
  for (const match of plain.matchAll(reference)) {
    const from = (match.slice(1).find((each) => each !== undefined) ?? "").trim();
    if (isFile(from)) takes.push({ from, line: lineAt(plain, match.index), names: [] });
  }
  return { takes, gives: null, passes: [] };
}

function isFile(reference: string): boolean {
  return reference !== "" && !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)|\{\{|\{%|<%|\$\{/i.test(reference);
}
