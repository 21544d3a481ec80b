// From the tree of the bash grammar to a script. Reads, judges nothing.
// Invariant: every command that the tree holds is in the script, in whatever it is nested; a node that is not known
// becomes an opaque statement. Nesting deeper than `maxDepth` is not followed.

import type { Node } from "../../lib/tree-sitter.js";
import { inside, literalWord, readWord } from "./read-word.js";
import type { Assignment, Command, Redirect, Shape, Statement, Word } from "./script.js";

const maxDepth = 60;

export function readScript(root: Node): readonly Statement[] {
  return new ScriptReader().body(root, 0);
}

const shapes: Readonly<Record<string, Shape>> = {
  subshell: "subshell",
  compound_statement: "braces",
  if_statement: "branch",
  case_statement: "branch",
  for_statement: "loop",
  c_style_for_statement: "loop",
  while_statement: "loop",
  negated_command: "negation",
  function_definition: "function",
  test_command: "test",
};

/** Parts of a compound command that hold statements. */
const holders = new Set(["do_group", "elif_clause", "else_clause", "case_item"]);
const leaves = new Set(["comment", "heredoc_body", "heredoc_end", "heredoc_start"]);
const wordLike =
  /^(word|number|string|raw_string|ansi_c_string|concatenation|simple_expansion|expansion|command_substitution|process_substitution|arithmetic_expansion|brace_expression|variable_name|regex|extglob_pattern|translated_string|unary_expression|binary_expression)$/;

class ScriptReader {
  /** The statements of a node's children, joined as they stand there. */
  body(node: Node, depth: number): readonly Statement[] {
    if (depth > maxDepth) return [opaque("nesting deeper than it is read", node)];
    const links: { joint: ";"; statement: Statement }[] = [];
    for (const child of node.children) {
      if (!child.isNamed) {
        const last = child.type === "&" ? links.pop() : undefined;
        if (last) links.push({ joint: ";", statement: group("background", [last.statement]) });
        continue;
      }
      if (leaves.has(child.type) || this.#isHead(node, child)) continue;
      links.push({ joint: ";", statement: this.#statement(child, depth + 1) });
    }
    const [only] = links;
    return links.length > 1 ? [{ is: "chain", links }] : only ? [only.statement] : [];
  }

  /** Words of a compound command's head. */
  #isHead(node: Node, child: Node): boolean {
    return (shapes[node.type] !== undefined || node.type === "case_item") && wordLike.test(child.type);
  }

  #statement(node: Node, depth: number): Statement {
    if (depth > maxDepth) return opaque("nesting deeper than it is read", node);
    switch (node.type) {
      case "command":
        return this.#command(node, [], depth);
      case "variable_assignment":
      case "variable_assignments":
        return this.#assignments(node, depth);
      case "declaration_command":
      case "unset_command":
        return this.#declaration(node, depth);
      case "redirected_statement":
        return this.#redirected(node, depth);
      case "list":
        return this.#chain(node, depth);
      case "pipeline":
        return { is: "pipeline", stages: node.namedChildren.map((child) => this.#statement(child, depth + 1)) };
      default:
        return this.#compound(node, depth);
    }
  }

  #compound(node: Node, depth: number): Statement {
    const shape = shapes[node.type];
    if (shape === undefined) {
      if (holders.has(node.type)) return group("braces", this.body(node, depth + 1));
      return opaque(`what is not understood (${node.type})`, node);
    }
    if (shape === "test") {
      // `[` is a program like any other; `[[` is not.
      const plain = /^\[ ([\w./@+,:= !-]*) \]$/.exec(node.text)?.[1];
      if (plain !== undefined && node.text.includes("  ") === false) {
        const words = ["[", ...plain.split(" "), "]"].map(literalWord);
        return { is: "command", command: { assignments: [], words, redirects: [] } };
      }
      return { is: "group", shape, words: this.#testWords(node, depth), body: [], redirects: [] };
    }
    const words = node.namedChildren
      .filter((child) => wordLike.test(child.type))
      .map((child) => readWord([child], (inner) => this.body(inner, depth + 1)));
    const endless =
      node.type === "while_statement" ? isConstant(node.namedChildren[0]) : /^for \(\(;;\)\)/.test(node.text);
    return { is: "group", shape: endless ? "endless" : shape, words, body: this.body(node, depth + 1), redirects: [] };
  }

  /** The words of `[ … ]` and `[[ … ]]`, as far as they are words: expressions are cut at blanks. */
  #testWords(node: Node, depth: number): Word[] {
    const plain = /^\[\[?(\s[\w./@+,:=\s!()-]*\s)\]\]?$/.exec(node.text)?.[1]?.trim();
    if (plain !== undefined && !/[^\S ]/.test(plain)) return plain.split(/ +/).map(literalWord);
    return [
      {
        text: node.text,
        literal: false,
        bare: true,
        dynamic: [
          {
            kind: "opaque",
            what: "a test that is more than words",
            body: inside(node, (inner) => this.body(inner, depth + 1)),
          },
        ],
      },
    ];
  }

  /** `a && b || c`: the grammar nests to the left, as deep as the chain is long. */
  #chain(node: Node, depth: number): Statement {
    const links: { joint: ";" | "&&" | "||"; statement: Statement }[] = [];
    let left = node;
    for (;;) {
      const [first, joint, second] = left.children;
      if (!first || !joint || !second || left.children.length !== 3)
        return opaque("a list that is not understood", node);
      links.push({
        joint: joint.type === "&&" || joint.type === "||" ? joint.type : ";",
        statement: this.#statement(second, depth + 1),
      });
      if (first.type !== "list") {
        links.push({ joint: ";", statement: this.#statement(first, depth + 1) });
        break;
      }
      left = first;
    }
    return { is: "chain", links: links.reverse() };
  }

  #redirected(node: Node, depth: number): Statement {
    const redirects: Redirect[] = [];
    const after: Node[] = [];
    let statement: Statement | undefined;
    for (const child of node.namedChildren) {
      if (/_redirect$/.test(child.type)) {
        redirects.push(this.#redirect(child, depth));
        // `cat <<E > f | wc`: the grammar hangs the rest of the line under the here-document.
        if (child.type !== "heredoc_redirect") continue;
        for (const rest of child.namedChildren) {
          if (/_redirect$/.test(rest.type)) redirects.push(this.#redirect(rest, depth));
          else if (!leaves.has(rest.type) && rest.type !== "file_descriptor") after.push(rest);
        }
      } else if (statement) return opaque("a redirection that is not understood", node);
      else statement = this.#statement(child, depth + 1);
    }
    return this.#afterHeredoc(withRedirects(statement, redirects), after, depth);
  }

  #afterHeredoc(first: Statement, after: readonly Node[], depth: number): Statement {
    if (after.length === 0) return first;
    const links: { joint: ";"; statement: Statement }[] = [];
    let stages = [first];
    for (const node of after) {
      const next = this.#statement(node, depth + 1);
      if (next.is === "pipeline") stages = [...stages, ...next.stages];
      else links.push({ joint: ";", statement: next });
    }
    const head: Statement = stages.length > 1 ? { is: "pipeline", stages } : first;
    return { is: "chain", links: [{ joint: ";", statement: head }, ...links] };
  }

  #redirect(node: Node, depth: number): Redirect {
    const read = (inner: Node) => this.body(inner, depth + 1);
    if (node.type === "heredoc_redirect") {
      const start = node.namedChildren.find((child) => child.type === "heredoc_start")?.text ?? "";
      const text = node.namedChildren.find((child) => child.type === "heredoc_body");
      const body = text?.text ?? "";
      const literal = /['"\\]/.test(start) || !/[$`\\]/.test(body);
      const dynamic = literal
        ? []
        : [
            {
              kind: "opaque" as const,
              what: "a here-document that the shell expands",
              body: text ? inside(text, read) : [],
            },
          ];
      return { operator: "<<", target: { text: body, literal, bare: false, dynamic }, isText: true };
    }
    const descriptor = node.namedChildren.find((child) => child.type === "file_descriptor")?.text ?? "";
    const operator = node.children.find((child) => !child.isNamed)?.type ?? "";
    const words = node.namedChildren.filter((child) => child.type !== "file_descriptor");
    const target = words.length === 0 ? literalWord("") : readWord(words, read);
    return { operator: `${descriptor}${operator}`, target, isText: operator === "<<<" };
  }

  #command(node: Node, redirects: readonly Redirect[], depth: number): Statement {
    const read = (inner: Node) => this.body(inner, depth + 1);
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const own: Redirect[] = [...redirects];
    let side: Node[] = [];
    const close = () => {
      if (side.length > 0) words.push(readWord(side, read));
      side = [];
    };
    for (const child of node.children) {
      if (child.type === "variable_assignment") assignments.push(this.#assignment(child, depth));
      else if (/_redirect$/.test(child.type)) own.push(this.#redirect(child, depth));
      else {
        if (side.length > 0 && side.at(-1)?.endIndex !== child.startIndex) close();
        side.push(child);
        continue;
      }
      close();
    }
    close();
    return { is: "command", command: { assignments, words, redirects: own } };
  }

  #assignments(node: Node, depth: number): Statement {
    const each = node.type === "variable_assignment" ? [node] : node.namedChildren;
    const assignments = each.map((child) => this.#assignment(child, depth));
    return { is: "command", command: { assignments, words: [], redirects: [] } };
  }

  #assignment(node: Node, depth: number): Assignment {
    const [name, ...value] = node.children;
    const read = (inner: Node) => this.body(inner, depth + 1);
    const values = value.filter((child) => child.isNamed);
    return {
      name: name?.text ?? "",
      text: node.text,
      value: values.length === 0 ? literalWord("") : readWord(values, read),
    };
  }

  /** `export A=1`: the words as written, the first is the builtin. */
  #declaration(node: Node, depth: number): Statement {
    const [name, ...rest] = node.children;
    const read = (inner: Node) => this.body(inner, depth + 1);
    const words = [
      literalWord(name?.text ?? ""),
      ...rest.map((child) =>
        child.type === "variable_assignment" ? this.#assignment(child, depth).value : readWord([child], read),
      ),
    ];
    const shown = words.map((word, index) => (index === 0 ? word : { ...word, text: rest[index - 1]?.text ?? "" }));
    return { is: "command", command: { assignments: [], words: shown, redirects: [] } };
  }
}

function withRedirects(statement: Statement | undefined, redirects: readonly Redirect[]): Statement {
  if (!statement) return { is: "command", command: { assignments: [], words: [], redirects } };
  if (statement.is === "command") {
    const { command } = statement;
    const joined: Command = { ...command, redirects: [...command.redirects, ...redirects] };
    return { is: "command", command: joined };
  }
  if (statement.is === "group") return { ...statement, redirects: [...statement.redirects, ...redirects] };
  // The grammar binds a redirection at the end of a pipeline or list to the whole; bash binds it to the last command.
  if (statement.is === "pipeline") {
    const last = withRedirects(statement.stages.at(-1), redirects);
    return { ...statement, stages: [...statement.stages.slice(0, -1), last] };
  }
  if (statement.is === "chain") {
    const last = statement.links.at(-1);
    if (!last) return statement;
    return {
      ...statement,
      links: [...statement.links.slice(0, -1), { ...last, statement: withRedirects(last.statement, redirects) }],
    };
  }
  return statement;
}

function isConstant(node: Node | undefined): boolean {
  return node !== undefined && /^(:|true|\[ 1 \]|\[\[ 1 \]\]|\(\(1\)\))$/.test(node.text);
}

function group(shape: Shape, body: readonly Statement[]): Statement {
  return { is: "group", shape, words: [], body, redirects: [] };
}

function opaque(what: string, node: Node): Statement {
  return { is: "opaque", what, text: node.text.slice(0, 200) };
}
