// Ids that the scripts of a page ask for and nothing has: no page, and no text that a script could make an element from.
// Invariant: where elements may come from what is not seen here (a package, another server, a template, ids that are put together
// while it runs) nothing is said.

import { nearest } from "../../lib/nearest.js";
import { lineAt } from "./module-face.js";
import { elementsOf, inlineScript } from "./page-face.js";
import { isNode, type Node, nodesIn } from "./script-face.js";

export interface SourceText {
  file: string;
  text: string;
}

export interface IdFault {
  file: string;
  line: number;
  what: string;
}

interface Asked {
  id: string;
  file: string;
  line: number;
}

/** Of scripts: what they ask for by id, and every text they could make elements from. */
interface Read {
  asked: Asked[];
  said: string[];
}

/** `pages`: all that are known. `scripts`: all that these load, by themselves or through each other. */
export async function idFaults(pages: readonly SourceText[], scripts: readonly SourceText[]): Promise<IdFault[]> {
  const { parse } = await import("parse5");
  const ids = new Set<string>();
  const sources: (SourceText & { above: number })[] = scripts.map((script) => ({ ...script, above: 0 }));
  for (const { file, text } of pages) {
    if (template.test(text)) return [];
    for (const element of elementsOf(parse(text, { sourceCodeLocationInfo: true }))) {
      const value = (name: string) => element.attrs.find((each) => each.name === name)?.value;
      if (element.tagName === "base" || (element.tagName === "script" && isElsewhere(value("src")))) return [];
      const id = value("id");
      if (id !== undefined) ids.add(id);
      const script = inlineScript(element);
      if (script) sources.push({ file, ...script });
    }
  }
  const reads = await Promise.all(sources.map(readOf));
  if (reads.includes(null)) return [];
  const known = reads.flatMap((read) => read ?? []);
  const said = known.flatMap((read) => read.said).join("\n");
  const named = pages.map(({ file }) => file).join(", ");
  return known.flatMap(({ asked }) =>
    asked.flatMap(({ id, file, line }) => {
      if (ids.has(id) || hasWord(said, id)) return [];
      const meant = nearest(id, [...ids]);
      const guess = meant === undefined ? "" : ` Did you mean ${JSON.stringify(meant)}?`;
      return [{ file, line, what: `asks for the element ${JSON.stringify(id)}, which is not in ${named}.${guess}` }];
    }),
  );
}

const template = /\{\{|\{%|<%|<\?php/;

function isElsewhere(src: string | undefined): boolean {
  return src !== undefined && /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(src.trim());
}

/** Elements made from what a server answers; words that are put into markup, or into an attribute, while it runs. */
const fetched = /\.text\(\)|responseText|importNode|cloneNode/;
const markup =
  /innerHTML|outerHTML|insertAdjacentHTML|parseFromString|setHTML|createContextualFragment|document\.write/;
const openId = /\bid\s*=\s*\\?["']?[^"'>\s]*$/;

/** Null: elements may come from what is not seen here. */
async function readOf({ file, text, above }: SourceText & { above: number }): Promise<Read | null> {
  const { parseSync } = await import("oxc-parser");
  const { program, module, errors } = parseSync("file.tsx", text, { lang: "tsx", sourceType: "unambiguous" });
  if (errors.some(({ severity }) => severity === "Error")) return null;
  if (module.staticImports.some(({ moduleRequest }) => !/^[./]/.test(moduleRequest.value))) return null;
  if (fetched.test(text) && markup.test(text)) return null;
  const read: Read = { asked: [], said: [] };
  const lookups = new Set<unknown>();
  for (const node of nodesIn(program as unknown as Node)) {
    if (node.type.startsWith("JSX") || makesId(node)) return null;
    const asked = askedBy(node);
    if (asked) {
      lookups.add(asked.argument);
      read.asked.push({ id: asked.id, file, line: above + lineAt(text, node.start) });
    }
    const { value } = node;
    if (node.type === "Literal" && typeof value === "string" && !lookups.has(node)) read.said.push(value);
    if (node.type === "TemplateElement") read.said.push(String((value as { raw?: unknown }).raw));
  }
  return read.said.some((each) => openId.test(each)) ? null : read;
}

/** `document.getElementById("x")`, `document.querySelector("#x …")` */
function askedBy({ type, callee, arguments: given }: Node): { id: string; argument: unknown } | null {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return null;
  const { object, property } = callee;
  const [argument] = Array.isArray(given) ? (given as unknown[]) : [];
  if (!isNode(object) || object["name"] !== "document" || !isNode(property) || !isNode(argument)) return null;
  const { value } = argument;
  if (argument.type !== "Literal" || typeof value !== "string") return null;
  if (property["name"] === "getElementById") return { id: value, argument };
  if (!/^querySelector(?:All)?$/.test(String(property["name"]))) return null;
  const [, id] = /^#([A-Za-z_][\w-]*)(?![^,]*,)/.exec(value) ?? [];
  return id === undefined ? null : { id, argument };
}

/** An id that is no plain text: `row.id = name`, `row.setAttribute("id", name)` */
function makesId({ type, left, right, callee, arguments: given }: Node): boolean {
  const isOpen = (value: unknown) => isNode(value) && typeof value["value"] !== "string";
  const propertyOf = (value: unknown) => {
    const property = isNode(value) && value.type === "MemberExpression" ? value["property"] : undefined;
    return isNode(property) ? property["name"] : undefined;
  };
  if (type === "AssignmentExpression") return propertyOf(left) === "id" && isOpen(right);
  if (type !== "CallExpression" || propertyOf(callee) !== "setAttribute" || !Array.isArray(given)) return false;
  const [name, value] = given as unknown[];
  return isOpen(name) || (isNode(name) && name["value"] === "id" && isOpen(value));
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + word.length] ?? " "}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}
