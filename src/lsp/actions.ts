// Code actions: what a server offers for a range, and the edit behind one of them.
// Invariant: an action is only ever turned into texts. A command is carried out by its server alone when it is known to do
// nothing but send an edit back; any other is refused.

import type { Command } from "vscode-languageserver-types";
import { ModelError, Refusal } from "../core/errors.js";
import type { CodeAction, Revision, Spot } from "../core/lsp.js";
import { type EditedTexts, revisionsOf } from "./edits.js";
import { listOf, memberOf } from "./members.js";
import type { LanguageServer } from "./server.js";

type Until = { line: number; column: number };

const unchanged = "Nothing was changed.";
const problemsMs = 5_000;

/**
 * Commands that do nothing but send an edit back, with the kinds of actions for which that is so, of whichever server has them.
 * Not refactor.move: for that typescript-language-server makes the new file itself before it sends the edit.
 */
const editCommands: Readonly<Record<string, readonly string[]>> = {
  "_typescript.applyRefactoring": ["refactor.extract", "refactor.inline", "refactor.rewrite"],
};

export class CodeActions {
  readonly #texts: (server: LanguageServer) => EditedTexts;

  /** `texts`: of the files as the server has them when it is called. */
  constructor(texts: (server: LanguageServer) => EditedTexts) {
    this.#texts = texts;
  }

  async list(server: LanguageServer, spot: Spot, until: Until, signal: AbortSignal): Promise<CodeAction[]> {
    return (await offered(server, spot, until, signal)).map(({ title, kind, disabled }) => ({ title, kind, disabled }));
  }

  async revisions(
    server: LanguageServer,
    spot: Spot,
    until: Until,
    title: string,
    signal: AbortSignal,
  ): Promise<Revision[]> {
    server.open(spot.path);
    const texts = this.#texts(server);
    const all = await offered(server, spot, until, signal);
    const chosen = all.find((each) => each.title === title);
    if (!chosen) {
      const names = all.map((each) => JSON.stringify(each.title)).join(", ") || "none";
      throw new Refusal(
        "no-match",
        `There is no action ${JSON.stringify(title)} there. ${unchanged} Actions: ${names}.`,
      );
    }
    if (chosen.disabled !== "")
      throw new Refusal("input", `${title} cannot be done here: ${chosen.disabled}. ${unchanged}`);
    const edits = await editsOf(server, chosen, signal);
    const revisions = edits.flatMap((edit) => revisionsOf(edit, texts));
    if (revisions.length === 0) throw new ModelError(`${title} would change nothing. ${unchanged}`);
    if (new Set(revisions.map(({ path }) => path)).size < revisions.length)
      throw new ModelError(`${title} is several edits of one file after each other. ${unchanged}`);
    return revisions;
  }
}

interface Offered extends CodeAction {
  raw: unknown;
}

async function offered(server: LanguageServer, spot: Spot, until: Until, signal: AbortSignal): Promise<Offered[]> {
  if (!server.abilities.has("codeAction"))
    throw new Refusal("input", `The language server ${server.name} has no code actions. ${unchanged}`);
  const { encoding } = server.abilities;
  const document = server.open(spot.path);
  const known = (await server.problems.of(document, problemsMs, signal)) ?? [];
  const range = { start: document.source.toServer(spot, encoding), end: document.source.toServer(until, encoding) };
  const touches = ({ range: at }: (typeof known)[number]) =>
    at.start.line <= range.end.line && range.start.line <= at.end.line;
  const context = { diagnostics: known.filter(touches), triggerKind: 1 };
  const params = { textDocument: { uri: document.uri }, range, context };
  const answer = await server.ask("textDocument/codeAction", params, signal);
  return listOf(answer).map((raw) => {
    const kind = memberOf(raw, "kind");
    const disabled = memberOf(memberOf(raw, "disabled"), "reason");
    return {
      title: String(memberOf(raw, "title")),
      kind: typeof kind === "string" ? kind : "",
      disabled: typeof disabled === "string" ? disabled : "",
      raw,
    };
  });
}

async function editsOf(
  server: LanguageServer,
  { raw: action, kind }: Offered,
  signal: AbortSignal,
): Promise<unknown[]> {
  let whole = action;
  if (memberOf(action, "edit") === undefined && server.abilities.resolvesActions && isAction(action))
    whole = await server.ask("codeAction/resolve", action as object, signal);
  const edit = memberOf(whole, "edit");
  const command = commandOf(whole);
  if (!command) return edit === undefined ? [] : [edit];
  if (!onlyEdits(command.command, kind)) {
    // What goes with an edit, such as "rename it now", is left out.
    if (edit !== undefined) return [edit];
    const text = `This action runs ${command.command} in the server, which could do anything.`;
    throw new ModelError(`${text} ${unchanged}`, "Make the change itself instead.");
  }
  const { command: name, arguments: args = [] } = command;
  const sent = await server.collectEdits(() =>
    server.ask("workspace/executeCommand", { command: name, arguments: args }, signal),
  );
  return edit === undefined ? sent : [edit, ...sent];
}

/** Is this command known to do nothing for such an action but send an edit? */
function onlyEdits(command: string, kind: string): boolean {
  const kinds = Object.entries(editCommands).find(([name]) => name === command)?.[1] ?? [];
  return kinds.some((each) => kind === each || kind.startsWith(`${each}.`));
}

/** A bare command has a string where an action has an object. */
function isAction(value: unknown): boolean {
  return typeof memberOf(value, "command") !== "string";
}

function commandOf(value: unknown): Command | null {
  const named = memberOf(value, "command");
  if (typeof named === "string") return value as Command;
  return typeof memberOf(named, "command") === "string" ? (named as Command) : null;
}
