// Vim's normal mode over the draft, for those whose fingers expect it (ui.editor: "vim"). Motions, operators with motions,
// counts; no visual mode, no registers, no search.

import type { Draft } from "./draft.js";

type Motion = (draft: Draft) => void;

const motions: Readonly<Record<string, Motion>> = {
  h: (draft) => draft.left(),
  l: (draft) => draft.right(),
  w: (draft) => draft.wordRight(),
  e: (draft) => draft.wordRight(),
  b: (draft) => draft.wordLeft(),
  "0": (draft) => draft.lineStart(),
  "^": (draft) => draft.lineStart(),
  $: (draft) => draft.lineEnd(),
  j: (draft) => void draft.vertical(1),
  k: (draft) => void draft.vertical(-1),
  G: (draft) => {
    draft.cursor = draft.text.length;
  },
};

const commands: Readonly<Record<string, (draft: Draft) => "insert" | "normal">> = {
  i: () => "insert",
  a: (draft) => insertAfter(() => draft.right()),
  A: (draft) => insertAfter(() => draft.lineEnd()),
  I: (draft) => insertAfter(() => draft.lineStart()),
  o: (draft) => insertAfter(() => newLine(draft, "below")),
  O: (draft) => insertAfter(() => newLine(draft, "above")),
  x: (draft) => stay(() => draft.eraseNext()),
  X: (draft) => stay(() => draft.erase()),
  D: (draft) => stay(() => draft.eraseToEnd()),
  C: (draft) => insertAfter(() => draft.eraseToEnd()),
  p: (draft) => stay(() => draft.putBack()),
  u: (draft) => stay(() => draft.undo()),
};

export class Vim {
  mode: "insert" | "normal" = "insert";
  #operator = "";
  #count = "";

  /** True when the key was one of normal mode. */
  key(draft: Draft, text: string): boolean {
    if (this.mode === "insert") return false;
    if (/[1-9]/.test(text) || (text === "0" && this.#count !== "")) {
      this.#count += text;
      return true;
    }
    const times = Math.min(Number(this.#count || 1), 999);
    this.#count = "";
    if (this.#operator !== "") this.#operate(draft, text, times);
    else if (text === "d" || text === "c") {
      this.#operator = text;
      this.#count = times > 1 ? String(times) : "";
    } else if (text === "g") draft.cursor = 0;
    else {
      const motion = motions[text];
      const command = commands[text];
      for (let i = 0; i < times; i++) motion?.(draft);
      for (let i = 0; i < times && command; i++) this.mode = command(draft);
    }
    return true;
  }

  /** Escape: true when it only left insert mode or an unfinished command. */
  escape(draft: Draft): boolean {
    const pending = this.#operator !== "" || this.#count !== "";
    this.#operator = "";
    this.#count = "";
    if (this.mode === "normal") return pending;
    this.mode = "normal";
    if (draft.text[draft.cursor - 1] !== "\n") draft.left();
    return true;
  }

  #operate(draft: Draft, text: string, times: number): void {
    const operator = this.#operator;
    this.#operator = "";
    if (text === operator) for (let i = 0; i < times; i++) draft.eraseLine();
    else {
      for (let i = 0; i < times; i++) erasures[text]?.(draft);
      if (!erasures[text]) return;
    }
    this.mode = operator === "c" ? "insert" : "normal";
  }
}

const erasures: Readonly<Record<string, Motion>> = {
  w: (draft) => draft.eraseNextWord(),
  e: (draft) => draft.eraseNextWord(),
  b: (draft) => draft.eraseWord(),
  $: (draft) => draft.eraseToEnd(),
  "0": (draft) => draft.eraseToStart(),
  h: (draft) => draft.erase(),
  l: (draft) => draft.eraseNext(),
};

function insertAfter(act: () => unknown): "insert" {
  act();
  return "insert";
}

function stay(act: () => void): "normal" {
  act();
  return "normal";
}

function newLine(draft: Draft, where: "above" | "below"): void {
  if (where === "below") draft.lineEnd();
  else draft.lineStart();
  draft.insert("\n");
  if (where === "above") draft.left();
}
