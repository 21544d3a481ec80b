// Grammars compiled to WebAssembly, run in this process: the runtime is started once, a grammar is loaded when asked for.
// Invariant: a parse that takes too long is given up and answered with null; the parser is ready for the next text.
// It judges nothing: what an error in a tree means is its caller's business.

import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import type { Tree } from "web-tree-sitter";
import { once } from "./once.js";
import { systemClock } from "./system.js";

export type { Node, Tree } from "web-tree-sitter";

/** The tree of a text, to be freed with `delete()`; null when it took longer than `patience` milliseconds. */
export type Parse = (text: string, patience: number) => Tree | null;

const runtime = once(async () => {
  // V8 would compile the hot functions of a grammar anew, optimised, after a few words of text: up to 0.6 s of a core and
  // 60 MB, and the main thread waits for some of it. Texts of 300 KB are parsed no faster for it (measured, Node 20).
  if (process.versions.v8.startsWith("11.")) setFlagsFromString("--liftoff-only");
  const module = await import("web-tree-sitter");
  await module.Parser.init();
  return module;
});

/** Of `@vscode/tree-sitter-wasm/wasm/tree-sitter-<grammar>.wasm`. */
export async function loadGrammar(grammar: string): Promise<Parse> {
  const { Language, Parser } = await runtime();
  const { resolve } = createRequire(import.meta.url);
  const parser = new Parser();
  parser.setLanguage(await Language.load(resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)));
  return (text, patience) => {
    const deadline = systemClock.mono() + patience;
    const tree = parser.parse(text, null, { progressCallback: () => systemClock.mono() > deadline });
    if (!tree) parser.reset();
    return tree;
  };
}
