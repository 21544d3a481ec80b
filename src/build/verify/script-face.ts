// What a JavaScript or TypeScript file takes and gives, by oxc: import and export, `require` and `module.exports`.
// Invariant: what CommonJS gives is known only when every mention of `module` and `exports` is an assignment that can be read.

import { lineAt, type ModuleFace, type Taken } from "./module-face.js";

export interface Node {
  type: string;
  start: number;
  [name: string]: unknown;
}

export interface ScriptFace extends ModuleFace {
  /** Names of methods and properties of what it defines: given with whatever has them. */
  members: ReadonlySet<string>;
}

/** What declarations take is there when they are compiled, under other names. */
export function isScript(path: string): boolean {
  return /(?<!\.d)\.(?:[mc]?[jt]s|[jt]sx)$/.test(path);
}

/** Null: it does not parse, which is said elsewhere. */
export async function scriptFace(path: string, text: string): Promise<ScriptFace | null> {
  const { parseSync } = await import("oxc-parser");
  const lang = /\.[mc]?ts$/.test(path) ? "ts" : /\.tsx$/.test(path) ? "tsx" : "jsx";
  const { module, program, errors } = parseSync(`file.${lang}`, text, { lang, sourceType: "unambiguous" });
  if (errors.some(({ severity }) => severity === "Error")) return null;
  const takes: Taken[] = [];
  const passes: string[] = [];
  const gives = new Set<string>();
  const take = (from: string, offset: number, names: string[]) =>
    takes.push({ from, line: lineAt(text, offset), names });
  for (const { moduleRequest, start, entries } of module.staticImports) {
    const names = entries.flatMap(({ importName }) => nameOf(importName));
    take(moduleRequest.value, start, names);
  }
  for (const { start, entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName } of entries) {
      const [given] = nameOf(exportName);
      if (given !== undefined) gives.add(given);
      if (!moduleRequest) continue;
      take(moduleRequest.value, start, nameOf(importName));
      if (importName.kind === "AllButDefault") passes.push(moduleRequest.value);
    }
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const said = text.slice(moduleRequest.start, moduleRequest.end);
    if (/^(["'])[^"'`$]*\1$/.test(said)) take(said.slice(1, -1), start, []);
  }
  const members = membersOf(program as unknown as Node);
  if (module.hasModuleSyntax) return { takes, gives, passes, members };
  const common = new CommonFace();
  common.visit(program as unknown as Node);
  for (const { from, offset, names } of common.required) take(from, offset, names);
  return { takes, gives: common.gives, passes, members };
}

/** In the order of the text; without recursion, for a sum of ten thousand terms is as deep. `into`: whether what a node has by a name is looked at. */
export function* nodesIn(root: Node, into: (node: Node, name: string) => boolean = () => true): Generator<Node> {
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    const here = node;
    const below = Object.entries(here).flatMap(([name, child]) => (into(here, name) ? child : []));
    for (const each of below.reverse()) if (isNode(each)) open.push(each);
  }
}

function membersOf(program: Node): Set<string> {
  const members = new Set<string>();
  for (const { type, key, computed } of nodesIn(program))
    if (/^(?:MethodDefinition|PropertyDefinition|Property)$/.test(type) && isNode(key) && computed !== true)
      members.add(String(key["name"] ?? key["value"]));
  return members;
}

function nameOf({ kind, name }: { kind: string; name: string | null }): string[] {
  if (kind === "Default") return ["default"];
  return kind === "Name" && name !== null ? [name] : [];
}

/** `require` and `module.exports`, wherever they are. */
class CommonFace {
  readonly required: { from: string; offset: number; names: string[] }[] = [];
  readonly #given = new Set<string>(["default"]);
  #mentions = 0;
  #read = 0;
  #isKnown = true;

  get gives(): ReadonlySet<string> | null {
    return this.#isKnown && this.#mentions === this.#read ? this.#given : null;
  }

  visit(program: Node): void {
    // The name of a property is no mention.
    const isRead = (node: Node, name: string) =>
      !isMainTest(node) && ((name !== "property" && name !== "key") || node["computed"] === true);
    for (const node of nodesIn(program, isRead)) {
      if (node.type === "AssignmentExpression") this.#assignment(node);
      if (node.type === "VariableDeclarator") this.#declared(node);
      if (node.type === "CallExpression") this.#call(node, []);
      if (node.type === "Identifier" && (node["name"] === "module" || node["name"] === "exports")) this.#mentions++;
    }
  }

  /** `const { a, b } = require("./c")` */
  #declared({ id, init }: Node): void {
    if (!isNode(id) || !isNode(init) || id.type !== "ObjectPattern" || init.type !== "CallExpression") return;
    const names = properties(id);
    if (names) this.#call(init, names);
  }

  #call({ callee, arguments: given, start }: Node, names: string[]): void {
    const [first] = Array.isArray(given) ? given : [];
    if (!isNode(callee) || callee["name"] !== "require" || !isNode(first) || typeof first["value"] !== "string") return;
    const from = first["value"];
    const known = this.required.find((each) => each.offset === start);
    if (known) known.names.push(...names);
    else this.required.push({ from, offset: start, names });
  }

  #assignment({ left, right }: Node): void {
    if (!isNode(left) || !isNode(right) || left.type !== "MemberExpression" || left["computed"] === true) return;
    const { object, property } = left;
    if (!isNode(object) || !isNode(property)) return;
    const isModule = object["name"] === "module" && property["name"] === "exports";
    if (isModule) {
      this.#read++;
      const names = right.type === "ObjectExpression" ? properties(right) : null;
      if (names) for (const name of names) this.#given.add(name);
      else this.#isKnown = false;
      return;
    }
    const inner = object.type === "MemberExpression" ? object : undefined;
    const isPlace = inner && isNode(inner["object"]) && inner["object"]["name"] === "module";
    if (object["name"] !== "exports" && !isPlace) return;
    this.#read++;
    this.#given.add(String(property["name"]));
  }
}

/** `require.main === module` */
function isMainTest({ type, left, right }: Node): boolean {
  if (type !== "BinaryExpression" || !isNode(left) || !isNode(right)) return false;
  return (
    [left, right].some(({ name }) => name === "module") &&
    [left, right].some(({ type: kind }) => kind === "MemberExpression")
  );
}

/** Plain names of an object or a pattern; null when there is more to it. */
function properties({ properties: all }: Node): string[] | null {
  if (!Array.isArray(all)) return null;
  const names = all.map((each: unknown) => {
    const key = isNode(each) && each.type === "Property" && each["computed"] !== true ? each["key"] : undefined;
    if (!isNode(key)) return undefined;
    return String(key["name"] ?? key["value"]);
  });
  return names.every((name) => name !== undefined) ? names : null;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
