// A shell command as data: what the readers make of its text and what is judged.
// Invariant: a word is `literal` only when every program would be given exactly `text` for it.

export interface Word {
  /** Without quotes when literal, as written otherwise. */
  text: string;
  literal: boolean;
  /** No character of it was quoted. */
  bare: boolean;
  /** What the shell makes of it beside its text. */
  dynamic: readonly Dynamic[];
}

export type Dynamic =
  /** `*.c`; `leads` = it stands at the beginning, so a file's name can become a flag. */
  | { kind: "glob"; leads: boolean }
  | { kind: "braces" }
  | { kind: "tilde" }
  | { kind: "variable"; name: string }
  /** `$((a + 1))` without anything that is evaluated twice, unless the command sets one of the names. */
  | { kind: "arithmetic"; names: readonly string[] }
  /** `$"…"`, or characters that have no text. */
  | { kind: "encoded" }
  | { kind: "substitution"; body: readonly Statement[] }
  /** `<(…)`, and whatever evaluates text a second time: `${x@P}`, `${!x}`, `$((x))`, subscripts. */
  | { kind: "opaque"; what: string; body: readonly Statement[] };

export interface Assignment {
  name: string;
  /** As written. */
  text: string;
  value: Word;
}

export interface Redirect {
  /** `>`, `2>`, `<<<`, … */
  operator: string;
  /** Of a here-document: its text. */
  target: Word;
  /** Here-documents. */
  isText: boolean;
}

export interface Command {
  assignments: readonly Assignment[];
  words: readonly Word[];
  redirects: readonly Redirect[];
}

/** `subshell` … are shapes that no rule of ours calls read-only; `endless` and `function` are never run unasked. */
export type Shape =
  | "subshell"
  | "braces"
  | "branch"
  | "loop"
  | "endless"
  | "negation"
  | "background"
  | "function"
  | "test";

export type Statement =
  | { is: "command"; command: Command }
  | { is: "chain"; links: readonly { joint: ";" | "&&" | "||"; statement: Statement }[] }
  | { is: "pipeline"; stages: readonly Statement[] }
  | {
      is: "group";
      shape: Shape /** Words of its head: of a loop's list, a `case`, a test. */;
      words: readonly Word[];
      body: readonly Statement[];
      redirects: readonly Redirect[];
    }
  /** Something that is not understood. */
  | { is: "opaque"; what: string; text: string };
