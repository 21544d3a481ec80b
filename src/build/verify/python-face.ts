// What a Python file takes and gives, by its syntax tree: imports, and the names that stand at its top level.
// Invariant: what it gives is unknown as soon as names may come into it that its text does not show.

import { loadGrammar, type Node } from "../../lib/tree-sitter.js";
import type { ModuleFace, Taken } from "./module-face.js";

const patience = 2_000;

/** Null: it does not parse. */
export async function pythonFace(text: string): Promise<ModuleFace | null> {
  const tree = (await loadGrammar("python"))(text, patience);
  if (!tree) return null;
  try {
    if (tree.rootNode.hasError) return null;
    const face = { takes: [] as Taken[], gives: new Set(always), passes: [] as string[] };
    // Whoever changes how modules are found may put anything into any of them.
    const isKnown = read(tree.rootNode, face, true) && !/\bsys\.(?:modules|meta_path|path_hooks)\b/.test(text);
    return { ...face, gives: isKnown ? face.gives : null };
  } finally {
    tree.delete();
  }
}

const always = ["__doc__", "__file__", "__name__", "__package__"];

interface Face {
  takes: Taken[];
  gives: Set<string>;
  passes: string[];
}

/** `isTop`: what is defined here is the module's. False: something here gives names that cannot be seen. */
function read(node: Node, face: Face, isTop: boolean): boolean {
  let isKnown = true;
  for (const child of node.namedChildren) {
    const inner = child.type === "decorated_definition" ? (child.childForFieldName("definition") ?? child) : child;
    if (inner.type === "import_from_statement") takeFrom(inner, face, isTop);
    else if (inner.type === "import_statement") for (const name of inner.namedChildren) takeWhole(name, face, isTop);
    else if (/^(?:function|class)_definition$/.test(inner.type)) {
      const name = inner.childForFieldName("name")?.text ?? "";
      if (isTop) face.gives.add(name);
      if (isTop && name === "__getattr__") isKnown = false;
      isKnown = read(inner, face, false) && isKnown;
    } else {
      if (inner.type === "global_statement") targets(inner, face);
      if (isTop && /^(?:assignment|named_expression)$/.test(inner.type))
        targets(inner.childForFieldName("left") ?? inner, face);
      if (isTop && /^(?:for_statement|with_item|except_clause|as_pattern)$/.test(inner.type)) targets(inner, face);
      if (
        inner.type === "call" &&
        /^(?:globals|vars|setattr|exec)$/.test(inner.childForFieldName("function")?.text ?? "")
      )
        isKnown = false;
      // What is tried may fail: there is another way then.
      const inside = inner.type === "try_statement" ? { ...face, takes: [] } : face;
      isKnown = read(inner, inside, isTop) && isKnown;
    }
  }
  return isKnown;
}

/** Every name in it: more than are bound, and none that is bound is missing. */
function targets(node: Node, { gives }: Face): void {
  for (const found of node.descendantsOfType("identifier")) if (found) gives.add(found.text);
}

/** `from .store import load, save as keep` */
function takeFrom(node: Node, face: Face, isTop: boolean): void {
  const from = node.childForFieldName("module_name")?.text ?? "";
  const line = node.startPosition.row + 1;
  const items = node.childrenForFieldName("name").flatMap((item) => item ?? []);
  const names = items.map((item) => (item.childForFieldName("name") ?? item).text);
  face.takes.push({ from, line, names });
  if (!isTop) return;
  if (items.length === 0) face.passes.push(from);
  for (const item of items) face.gives.add((item.childForFieldName("alias") ?? item).text);
}

/** `import store.files as files` */
function takeWhole(item: Node, face: Face, isTop: boolean): void {
  const name = (item.childForFieldName("name") ?? item).text;
  face.takes.push({ from: name, line: item.startPosition.row + 1, names: [] });
  if (isTop) face.gives.add(item.childForFieldName("alias")?.text ?? name.split(".", 1)[0] ?? name);
}
