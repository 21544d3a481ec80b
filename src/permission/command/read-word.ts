// One word of a tree: its text when the shell would pass it on as it is, else what the shell makes of it.
// Invariant: a node this file does not know makes the word opaque.

import type { Node } from "../../lib/tree-sitter.js";
import { arithmetic } from "./plain.js";
import { decodedAnsi, unescaped, unescapedDouble } from "./quotes.js";
import type { Dynamic, Statement, Word } from "./script.js";

/** Reads the commands inside a substitution. */
export type ReadBody = (node: Node) => readonly Statement[];

/** `nodes` stand side by side without a blank between them: to the shell they are one word. */
export function readWord(nodes: readonly Node[], body: ReadBody): Word {
  const reader = new WordReader(body);
  for (const [index, node] of nodes.entries()) reader.add(node, index === 0);
  return reader.word(nodes.map((node) => node.text).join(""));
}

export function literalWord(text: string): Word {
  return { text, literal: true, bare: true, dynamic: [] };
}

class WordReader {
  readonly #body: ReadBody;
  readonly #dynamic: Dynamic[] = [];
  #text = "";
  /** What of it is not quoted; quoted characters are `\0` here. */
  #bareText = "";
  #bare = true;

  constructor(body: ReadBody) {
    this.#body = body;
  }

  word(source: string): Word {
    const bare = this.#bareText;
    const glob = /[*?[]|[!@+]\(/.exec(bare);
    if (glob) this.#dynamic.push({ kind: "glob", leads: glob.index === 0 });
    if (hasBraces(bare)) this.#dynamic.push({ kind: "braces" });
    if (/^~|[=:]~/.test(bare)) this.#dynamic.push({ kind: "tilde" });
    const literal = this.#dynamic.length === 0;
    return { text: literal ? this.#text : source, literal, bare: this.#bare, dynamic: this.#dynamic };
  }

  add(node: Node, first: boolean): void {
    switch (node.type) {
      case "command_name":
      case "concatenation":
        for (const [index, child] of node.children.entries()) this.add(child, first && index === 0);
        return;
      case "word":
      case "number":
      case "variable_name":
      case "regex":
      case "extglob_pattern":
      case "test_operator":
      case "special_variable_name":
        this.#bareWord(node.text);
        return;
      case "raw_string":
        this.#quoted(node.text.slice(1, -1));
        return;
      case "ansi_c_string": {
        const text = decodedAnsi(node.text.slice(2, -1));
        if (text === null) this.#dynamic.push({ kind: "encoded" });
        this.#quoted(text ?? "");
        return;
      }
      case "translated_string":
        this.#dynamic.push({ kind: "encoded" });
        return;
      case "string":
        this.#double(node);
        return;
      case "brace_expression":
        this.#dynamic.push({ kind: "braces" });
        return;
      default:
        if (node.isNamed) this.#expansion(node);
        else this.#bareWord(node.text);
    }
  }

  #bareWord(text: string): void {
    // A `$` that nothing follows is one; before a quote it is more.
    if (text === "$") this.#dynamic.push({ kind: "encoded" });
    if (text.includes("\\")) this.#bare = false;
    this.#text += unescaped(text);
    this.#bareText += text.replace(/\\[\s\S]/g, "\0");
  }

  #quoted(text: string): void {
    this.#bare = false;
    this.#text += text;
    this.#bareText += "\0".repeat(Math.max(1, text.length));
  }

  /** The text is cut from the source: the grammar leaves out blanks between its pieces. */
  #double(node: Node): void {
    const inner = node.text.slice(1, -1);
    for (const child of node.namedChildren) {
      if (child.type !== "string_content") this.#expansion(child);
    }
    this.#quoted(unescapedDouble(inner));
  }

  #expansion(node: Node): void {
    this.#bareText += "\0";
    const found = dynamicOf(node, this.#body);
    if (found) this.#dynamic.push(found);
  }
}

function dynamicOf(node: Node, body: ReadBody): Dynamic | null {
  switch (node.type) {
    case "simple_expansion":
      return { kind: "variable", name: node.text.slice(1) };
    case "expansion":
      return parameter(node, body);
    case "command_substitution":
      // `$(< file)` reads a file without any command.
      if (/^\$\(\s*</.test(node.text))
        return { kind: "opaque", what: "a file's content put into the command", body: [] };
      return { kind: "substitution", body: body(node) };
    case "process_substitution":
      return { kind: "opaque", what: "a process substitution", body: body(node) };
    case "arithmetic_expansion": {
      const [whole, sum = ""] = arithmetic.exec(node.text) ?? [];
      const names = sum.match(/[a-z_]\w*/g) ?? [];
      // `_` is what the command before was given.
      if (whole === node.text && !names.some((name) => name.startsWith("_"))) return { kind: "arithmetic", names };
      // Numbers only: a name in it is evaluated, and what it holds again.
      if (/^\$(\(\([\d\s+*/%<>=!&|^~()-]*\)\)|\[[\d\s+*/%-]*\])$/.test(node.text))
        return { kind: "variable", name: "" };
      return { kind: "opaque", what: "arithmetic, which evaluates names", body: inside(node, body) };
    }
    default:
      return { kind: "opaque", what: `what is not understood (${node.type})`, body: inside(node, body) };
  }
}

/** `${…}`: plain forms are a variable; forms that evaluate are opaque. */
function parameter(node: Node, body: ReadBody): Dynamic {
  const [, name = ""] = /^\$\{#?([A-Za-z_]\w*|[0-9@*#?$!-])/.exec(node.text) ?? [];
  const inner = inside(node, body);
  const plain =
    /^\$\{#?([A-Za-z_]\w*|\d+|[@*#?$!-])(\[[@*\d]+\])?(:?[-+?][^$`{}\\]*|(##?|%%?|\/\/?)[^$`{}\\]*|:\d+(:\d+)?|[\^,]{1,2})?\}$/;
  if (plain.test(node.text) && inner.length === 0) return { kind: "variable", name };
  if (inner.length > 0 && /^\$\{[A-Za-z_]\w*:?[-+]/.test(node.text)) return { kind: "substitution", body: inner };
  return { kind: "opaque", what: "an expansion that evaluates or assigns", body: inner };
}

/** The commands in substitutions anywhere below. */
export function inside(node: Node, body: ReadBody): readonly Statement[] {
  const found: Statement[] = [];
  const pending = [...node.namedChildren];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.type === "command_substitution" || next.type === "process_substitution") found.push(...body(next));
    else pending.push(...next.namedChildren);
  }
  return found;
}

/** A comma or two dots behind a brace that is open. */
function hasBraces(text: string): boolean {
  return text.split("}").some((part) => {
    const inside = part.indexOf("{");
    return inside >= 0 && /,|\.\./.test(part.slice(inside));
  });
}
