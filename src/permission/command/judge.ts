// From a script to its parts, each with a verdict. Pure: what it must know of the machine it asks of its ground.
// Invariants: everything that would run is a part, however deep it is nested; joining a command with another never makes
// it milder; a directory that `cd` may have changed is followed, and where that cannot be told every path is unknown.

import type { CommandPart } from "../../core/command.js";
import { asks, danger, type Finding, opaque, part, strictest } from "./finding.js";
import type { Ground } from "./ground.js";
import { judgeProgram } from "./judge-program.js";
import { judgeRedirect } from "./judge-redirect.js";
import { type Bases, type Surroundings, wordsAround } from "./paths.js";
import { rulingVariables } from "./programs/shells.js";
import type { Assignment, Command, Dynamic, Shape, Statement, Word } from "./script.js";

/** Reads a command inside a command; null when it does not parse. */
export type ReadText = (text: string) => readonly Statement[] | null;

export interface Where {
  bases: Bases;
  /** Its input comes from another command or from the command line. */
  fed: boolean;
  /** … and it stands in the command itself, word for word (a here-document). */
  given?: boolean;
  /** It may be what another program starts. */
  started?: boolean;
  /** Read-only is out of the question here, and why. */
  floor?: Finding;
}

/** Where later commands run after this one succeeded or failed. */
interface Flow {
  success: Bases;
  failure: Bases;
}

const maxNesting = 8;
/** Programs that start each other, as `env nice time …`. */
const maxStarted = 30;

export class Judge {
  readonly parts: CommandPart[] = [];
  readonly ground: Ground;
  readonly read: ReadText;
  /** Names that the command itself sets. */
  readonly assigned = new Set<string>();
  /** Paths of the part that is being judged. */
  readonly #touched = new Set<string>();
  #nesting = 0;
  #started = 0;

  constructor(ground: Ground, read: ReadText) {
    this.ground = ground;
    this.read = read;
  }

  statements(statements: readonly Statement[], where: Where): Bases {
    let bases = where.bases;
    for (const statement of statements) {
      const flow = this.#statement(statement, { ...where, bases });
      bases = union(flow.success, flow.failure);
    }
    return bases;
  }

  /** Commands inside of a word: the parts they add. */
  nested(body: readonly Statement[], where: Where): readonly CommandPart[] {
    const before = this.parts.length;
    this.statements(body, { ...where, fed: false });
    return this.parts.slice(before);
  }

  /** A command line that another program is given. */
  inner(text: string, where: Where): void {
    const body = this.#nesting < maxNesting ? this.read(text) : null;
    if (!body) {
      this.add([text], false, opaque("syntax", "The command inside cannot be read."), where);
      return;
    }
    this.#nesting++;
    this.statements(body, where);
    this.#nesting--;
  }

  /** One program and its words; the directories later commands run in, if it changes them. */
  program(words: readonly Word[], inner: readonly (readonly CommandPart[])[], where: Where): Bases | undefined {
    if (this.#started >= maxStarted) {
      const why = "Too many programs start each other.";
      this.add(["…"], false, opaque("syntax:nested", why), where);
      return undefined;
    }
    this.#started++;
    const bases = judgeProgram(this, words, inner, where);
    this.#started--;
    return bases;
  }

  add(
    argv: readonly string[],
    exact: boolean,
    found: Finding,
    { floor }: Pick<Where, "floor">,
    beyond: readonly string[] = [],
  ): void {
    const judged = part(argv, exact, floor && found.verdict === "readonly" ? floor : found);
    const known = beyond.length === 0 ? judged : { ...judged, beyond };
    this.parts.push(this.#touched.size === 0 ? known : { ...known, paths: [...this.#touched] });
    this.#touched.clear();
  }

  #statement(statement: Statement, where: Where): Flow {
    switch (statement.is) {
      case "command":
        this.#endlessOutput([statement], where);
        return this.#command(statement.command, where);
      case "chain":
        return this.#chain(statement.links, where);
      case "pipeline": {
        this.#endlessOutput(statement.stages, where);
        for (const [index, stage] of statement.stages.entries())
          this.#statement(stage, { ...where, fed: where.fed || index > 0 });
        return same(where.bases);
      }
      case "group":
        return this.#group(statement, where);
      case "opaque":
        this.add([statement.text], false, opaque("syntax", `It holds ${statement.what}.`), where);
        return same(null);
    }
  }

  /** `yes > f`, `yes | tee f` */
  #endlessOutput(stages: readonly Statement[], where: Where): void {
    const commands = stages.flatMap((stage) => (stage.is === "command" ? [stage.command] : []));
    const names = commands.map(({ words }) => words[0]?.text ?? "");
    const writes = commands.some(({ redirects }) => redirects.some(({ operator }) => /^1?(>|&>)/.test(operator)));
    if (names[0] !== "yes" || names.includes("head") || !(writes || names.includes("tee"))) return;
    this.add(["yes"], true, danger("program:yes", "It fills the disk."), where);
  }

  #chain(links: readonly { joint: ";" | "&&" | "||"; statement: Statement }[], where: Where): Flow {
    let flow: Flow = same(where.bases);
    for (const [index, { joint, statement }] of links.entries()) {
      const start = index === 0 ? where.bases : startAfter(joint, flow);
      const next = this.#statement(statement, { ...where, bases: start });
      if (index > 0 && joint === "&&") flow = { success: next.success, failure: union(flow.failure, next.failure) };
      else if (index > 0 && joint === "||")
        flow = { success: union(flow.success, next.success), failure: next.failure };
      else flow = next;
    }
    return flow;
  }

  #group(group: Extract<Statement, { is: "group" }>, where: Where): Flow {
    const { shape, words, body, redirects } = group;
    for (const redirect of redirects) this.#nestedOf(redirect.target, where);
    for (const redirect of redirects) judgeRedirect(this, redirect, where);
    const floor = where.floor ?? asks(`syntax:${shape}`, shapeText[shape]);
    const heads = words.map((word) => this.#head(word, shape, where)).filter((found) => found !== null);
    const shown = words.map(({ text }) => text);
    const worst = strictest([
      ...heads,
      ...(shape === "endless" ? [opaque("syntax:endless", "It never ends.")] : []),
      ...(shape === "function" ? [opaque("syntax:function", "A function gives another meaning to a name.")] : []),
    ]);
    if (worst)
      this.add(
        shown,
        words.every(({ literal }) => literal),
        worst,
        where,
      );
    else if (shape === "test" || body.length === 0) this.add(shown, true, floor, where);
    const bases = this.statements(body, { ...where, floor, fed: where.fed || redirects.length > 0 });
    if (shape === "subshell" || shape === "background" || shape === "test") return same(where.bases);
    return same(union(where.bases, bases));
  }

  /** A word of a loop's list, of a `case`, of a test. */
  #head(word: Word, shape: Shape, where: Where): Finding | null {
    const inner = this.#nestedOf(word, where);
    const alarm = this.around(where).wordAlarm(word);
    if (alarm) return alarm;
    if (word.dynamic.some(({ kind }) => kind === "opaque" || kind === "substitution") || inner.length > 0) {
      return opaque(`syntax:${shape}`, "What it works on is worked out by a command.");
    }
    return null;
  }

  #command(command: Command, where: Where): Flow {
    const { assignments, words, redirects } = command;
    for (const assignment of assignments) this.#assignment(assignment, words.length === 0, where);
    for (const redirect of redirects) this.#nestedOf(redirect.target, where);
    const inner = words.map((word) => this.#nestedOf(word, where));
    for (const redirect of redirects) judgeRedirect(this, redirect, where);
    const fed = where.fed || redirects.some(({ operator }) => /^0?<(?!&)/.test(operator));
    if (words.length === 0) return same(where.bases);
    const given = redirects.some(({ operator, target }) => /^0?<<(?!<)/.test(operator) && target.literal);
    const bases = this.program(words, inner, { ...where, fed, given });
    return bases === undefined ? same(where.bases) : { success: bases, failure: where.bases };
  }

  #nestedOf(word: Word, where: Where): readonly CommandPart[] {
    return word.dynamic.flatMap((each: Dynamic) => ("body" in each ? this.nested(each.body, where) : []));
  }

  #assignment({ name, text, value }: Assignment, stays: boolean, where: Where): void {
    const inner = this.#nestedOf(value, where);
    if (stays) this.assigned.add(name);
    this.add([text], value.literal, this.assignmentFinding(name, value, inner), where);
  }

  assignmentFinding(name: string, value: Word, inner: readonly CommandPart[] = []): Finding {
    const bare = name.replace(/\[.*|\+$/g, "");
    if (rulingVariables.test(bare))
      return danger("assignment", `${bare} decides what programs run or where they look.`);
    if (name.includes("[")) return opaque("assignment", "A subscript is evaluated.");
    if (value.dynamic.some(({ kind }) => kind === "opaque") || inner.some(({ verdict }) => verdict !== "readonly")) {
      return opaque("assignment", `What ${bare} becomes is worked out by a command.`);
    }
    return asks("assignment", `It sets ${bare}.`);
  }

  around({ bases }: Pick<Where, "bases">): Surroundings {
    return {
      ground: this.ground,
      bases,
      assigned: this.assigned,
      ...wordsAround(this.ground, bases, (path) => this.#touched.add(path)),
    };
  }
}

const shapeText: Readonly<Record<Shape, string>> = {
  subshell: "It runs in a shell of its own.",
  braces: "It is a group of commands.",
  branch: "It runs under a condition.",
  loop: "It runs in a loop.",
  endless: "It never ends.",
  negation: "It is negated.",
  background: "It goes on in the background.",
  function: "It is the body of a function.",
  test: "It is a test of the shell.",
};

function same(bases: Bases): Flow {
  return { success: bases, failure: bases };
}

function startAfter(joint: ";" | "&&" | "||", { success, failure }: Flow): Bases {
  if (joint === "&&") return success;
  return joint === "||" ? failure : union(success, failure);
}

/** Beyond a handful of possible directories none is known. */
function union(one: Bases, other: Bases): Bases {
  if (one === null || other === null) return null;
  const all = [...new Set([...one, ...other])];
  return all.length > 8 ? null : all;
}
