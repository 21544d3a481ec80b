// Questions about code, put to the server that serves the file: the port that tools see (core/lsp.ts).
// Invariant: a place goes out and comes in as people count; an answer that a server gave before it knew the project is asked
// for again. Nothing is written here: what is to be changed comes back as whole texts.

import { Cancelled, ModelError, messageOf, Refusal } from "../core/errors.js";
import type { Answer, CodeSymbol, FileProblems, LanguagePort, Location, Revision, Spot, Target } from "../core/lsp.js";
import { CodeActions } from "./actions.js";
import { diagnosticsOf, hoverOf, locationsOf, outlineOf, type View } from "./answers.js";
import { extensionOf } from "./choose.js";
import { type EditedTexts, movedOn, revisionsOf } from "./edits.js";
import { isImportAt } from "./imports.js";
import { nameAt, type Occurrences, occurrencesNote } from "./occurrences.js";
import { overview } from "./overview.js";
import type { Pool } from "./pool.js";
import type { LanguageServer } from "./server.js";
import { findSpot } from "./spot.js";
import { placesOf, SourceText } from "./text.js";

export interface LanguageOptions {
  pool: Pool;
  /** Shown paths and lines; `place` throws a Refusal for what is no file of the project. */
  view: View & {
    place(path: string): ReturnType<LanguagePort["locate"]>;
    canonical(path: string): string;
    /** Files of the project with this whole word in a line, as far as they may be shown. */
    naming(name: string, signal: AbortSignal): Promise<Occurrences[]>;
  };
  /** One file for each server that can be started and knows symbols of a whole project. */
  samples(): string[];
}

/** How long a server may take to finish its work, and to say what is wrong with a file. */
const readyMs = 20_000;
const problemsMs = 15_000;

export class Language implements LanguagePort {
  readonly #options: LanguageOptions;
  readonly #actions: CodeActions;

  constructor(options: LanguageOptions) {
    this.#options = options;
    this.#actions = new CodeActions((server) => this.#texts(server));
  }

  locate(path: string): ReturnType<LanguagePort["locate"]> {
    const { pool, view } = this.#options;
    const place = view.place(path);
    const why = pool.unserved(place.path);
    if (why !== null) throw new Refusal("input", `${why} Nothing was asked.`, ["search"]);
    return place;
  }

  find(target: Target, signal: AbortSignal): Promise<Spot> {
    return findSpot(target, {
      locate: (path) => this.locate(path),
      text: (path) => this.#options.view.text(path),
      outline: (path) => this.outline(path, signal),
      symbols: (query) => this.workspaceSymbols(query, signal),
    });
  }

  async definition(spot: Spot, signal: AbortSignal): Promise<Location[]> {
    const server = await this.#options.pool.for(spot.path, signal);
    const ask = (at: Spot) => this.#locations(server, "textDocument/definition", at, signal);
    let found = await ask(spot);
    // Before its project is loaded a server may know nothing, or no more than the line that imports the name.
    if (found.length === 0 || found.every((each) => this.#isImport(each, spot))) {
      found = (await server.readiness.settled({ path: spot.path, ask: () => ask(spot) }, signal)).answer;
    }
    const [first] = found;
    if (!first || !found.every((each) => this.#isImport(each, spot))) return found;
    // Some servers take the import for the definition: what it leads to is what was meant.
    const beyond = await ask(first);
    return beyond.length > 0 ? beyond : found;
  }

  #isImport({ path, line, column }: Location, asked: Spot): boolean {
    if (path !== asked.path || (line === asked.line && column === asked.column)) return false;
    const source = this.#options.view.text(path);
    return source !== null && isImportAt(source, line);
  }

  async references(spot: Spot, signal: AbortSignal): Promise<Answer<Location>> {
    const server = await this.#options.pool.for(spot.path, signal);
    const ask = () =>
      this.#at(server, "textDocument/references", spot, signal, { context: { includeDeclaration: true } });
    const placesOf = (answer: unknown) => locationsOf(answer, server.abilities.encoding, this.#view(server));
    const named = this.#named(server, spot, signal);
    const beyond = async (answer: unknown) => {
      const known = new Set(placesOf(answer).map(({ path }) => this.#options.view.canonical(path)));
      return (await named(answer)).found.filter(({ path }) => !known.has(path));
    };
    const doubts = async (answer: unknown) => (await beyond(answer)).some(({ path }) => serves(server, path));
    const { answer, isEarly } = await server.readiness.settled({ path: spot.path, ask, doubts }, signal);
    const others = await beyond(answer);
    const { name } = await named(answer);
    const head = `By text search ${name} is also in these files, which ${server.name} does not list; it may be something else there:`;
    return { items: placesOf(answer), notes: notesOf(server, isEarly, head, others) };
  }

  async hover(spot: Spot, signal: AbortSignal): Promise<string | null> {
    const server = await this.#options.pool.for(spot.path, signal);
    const ask = () => this.#at(server, "textDocument/hover", spot, signal);
    return hoverOf((await server.readiness.settled({ path: spot.path, ask }, signal)).answer);
  }

  async outline(path: string, signal: AbortSignal): Promise<CodeSymbol[]> {
    const server = await this.#options.pool.for(path, signal);
    must(server, "documentSymbol", "outlines");
    const { uri } = server.open(path);
    const answer = await server.ask("textDocument/documentSymbol", { textDocument: { uri } }, signal);
    return outlineOf(answer, uri, server.abilities.encoding, this.#options.view);
  }

  async workspaceSymbols(query: string, signal: AbortSignal): Promise<Answer<CodeSymbol>> {
    const asked = await Promise.all(this.#options.samples().map((path) => this.#symbolsBy(path, query, signal)));
    if (asked.length === 0)
      throw new Refusal("input", "No language server can be started for this project.", ["search"]);
    return { items: asked.flatMap(({ items }) => items), notes: asked.flatMap(({ notes }) => notes) };
  }

  /** One server that fails does not take the answers of the others with it. */
  async #symbolsBy(path: string, query: string, signal: AbortSignal): Promise<Answer<CodeSymbol>> {
    try {
      const server = await this.#options.pool.for(path, signal);
      if (!server.abilities.has("workspaceSymbol")) return { items: [], notes: [] };
      const ask = () => {
        server.refresh();
        return server.ask("workspace/symbol", { query }, signal);
      };
      const { answer } = await server.readiness.settled({ path, ask }, signal);
      return { items: outlineOf(answer, "", server.abilities.encoding, this.#options.view), notes: [] };
    } catch (error) {
      if (error instanceof Cancelled || !(error instanceof ModelError)) throw error;
      return { items: [], notes: [messageOf(error)] };
    }
  }

  async diagnostics(path: string | undefined, signal: AbortSignal): Promise<Answer<FileProblems>> {
    const { pool, view } = this.#options;
    if (path === undefined) {
      const problems = (server: LanguageServer, each: string) => this.#problems(server, each, signal);
      return overview({ pool, shown: (each) => view.shown(each), problems }, signal);
    }
    const server = await pool.for(path, signal);
    await server.atRest(readyMs, signal);
    return { items: [await this.#problems(server, path, signal)], notes: [] };
  }

  async #problems(server: LanguageServer, path: string, signal: AbortSignal): Promise<FileProblems> {
    const document = server.open(path);
    const items = await server.problems.of(document, problemsMs, signal);
    // One that is gone has nothing to say later either.
    if (!items && server.fate) throw server.fate;
    const problems = items ? diagnosticsOf(items, document.source, server.abilities.encoding) : [];
    return {
      path,
      shown: this.#options.view.shown(path),
      server: server.name,
      state: items ? "known" : "pending",
      problems,
    };
  }

  async rename(spot: Spot, name: string, signal: AbortSignal): Promise<Answer<Revision>> {
    const server = await this.#options.pool.for(spot.path, signal);
    must(server, "rename", "rename");
    let texts = this.#texts(server);
    const ask = () => {
      server.open(spot.path);
      texts = this.#texts(server);
      return this.#at(server, "textDocument/rename", spot, signal, { newName: name });
    };
    const changes = (edit: unknown) => (edit === null || edit === undefined ? [] : revisionsOf(edit, texts));
    const named = this.#named(server, spot, signal);
    const left = async (edit: unknown) => leftBy(changes(edit), await named(edit), name);
    const doubts = async (edit: unknown) => {
      const touched = new Set(changes(edit).map(({ path }) => path));
      return (await left(edit)).some(({ path }) => !touched.has(path) && serves(server, path));
    };
    const { answer: edit, isEarly } = await server.readiness.settled({ path: spot.path, ask, doubts }, signal);
    const items = changes(edit);
    if (items.length === 0) {
      const where = `${spot.shown}:${spot.line}:${spot.column}`;
      throw new Refusal("no-match", `${server.name} finds nothing to rename at ${where}. Nothing was changed.`);
    }
    const old = (await named(edit)).name;
    const head = `${old} is still in these lines, by text search. Check whether they mean what was renamed:`;
    return { items, notes: notesOf(server, isEarly, head, await left(edit)) };
  }

  async actions(spot: Spot, until: { line: number; column: number }, signal: AbortSignal) {
    const server = await this.#options.pool.for(spot.path, signal);
    return this.#actions.list(server, spot, until, signal);
  }

  async revisions(spot: Spot, until: { line: number; column: number }, title: string, signal: AbortSignal) {
    const server = await this.#options.pool.for(spot.path, signal);
    return this.#actions.revisions(server, spot, until, title, signal);
  }

  async #locations(server: LanguageServer, method: string, spot: Spot, signal: AbortSignal) {
    const answer = await this.#at(server, method, spot, signal);
    return locationsOf(answer, server.abilities.encoding, this.#view(server));
  }

  /** Where the name stands in text; looked for once, with the name of the first answer. */
  #named(server: LanguageServer, spot: Spot, signal: AbortSignal) {
    let found: Promise<Named> | undefined;
    const look = async (answer: unknown): Promise<Named> => {
      const document = server.documents.get(spot.path);
      if (!document) return { name: "", found: [] };
      const name = nameAt(spot, document.uri, document.source, answer, server.abilities.encoding);
      return { name, found: name === "" ? [] : await this.#options.view.naming(name, signal) };
    };
    return (answer: unknown) => {
      found ??= look(answer);
      return found;
    };
  }

  async #at(server: LanguageServer, method: string, spot: Spot, signal: AbortSignal, more: object = {}) {
    const provider = method.slice(method.indexOf("/") + 1);
    must(server, provider, provider);
    const { uri, source } = server.open(spot.path);
    const position = source.toServer(spot, server.abilities.encoding);
    return server.ask(method, { textDocument: { uri }, position, ...more }, signal);
  }

  /** What the server knows of open files is what its positions are about. */
  #view(server: LanguageServer): View {
    const { view } = this.#options;
    return {
      shown: (path) => view.shown(path),
      isOpen: (path) => view.isOpen(path),
      text: (path) => server.documents.get(path)?.source ?? view.text(path),
    };
  }

  /** As the server has them now: an edit of a file that has moved on until its text is asked for is refused. */
  #texts(server: LanguageServer): EditedTexts {
    const { documents } = server;
    const open = new Map(documents.paths().map((path) => [path, documents.get(path)]));
    const text = (path: string) => {
      if (open.has(path) && open.get(path) !== documents.get(path)) throw movedOn(this.#options.view.shown(path));
      return this.#view(server).text(path);
    };
    const version = (path: string) => server.documents.get(path)?.version;
    const canonical = (path: string) => this.#options.view.canonical(path);
    return { encoding: server.abilities.encoding, canonical, text, version };
  }
}

function must(server: LanguageServer, provider: string, what: string): void {
  if (server.abilities.has(provider)) return;
  throw new Refusal("input", `The language server ${server.name} knows no ${what}. Nothing was asked.`, ["search"]);
}

interface Named {
  name: string;
  found: readonly Occurrences[];
}

function serves({ plan }: LanguageServer, path: string): boolean {
  return Object.hasOwn(plan.languages, extensionOf(path));
}

/** What still has the old name: lines of the new text of what was changed, and of the other files as they are. */
function leftBy(revisions: readonly Revision[], { name, found }: Named, newName: string): Occurrences[] {
  const after = new Map(revisions.map((each) => [each.path, new SourceText(each.after)]));
  const isWithin = placesOf(name, new SourceText(newName)).length > 0;
  return found.flatMap((each) => {
    const text = after.get(each.path);
    if (!text) return [each];
    const lines = isWithin ? [] : [...new Set(placesOf(name, text).map(({ line }) => line))];
    return lines.length > 0 ? [{ ...each, lines }] : [];
  });
}

function notesOf(server: LanguageServer, isEarly: boolean, head: string, found: readonly Occurrences[]): string[] {
  const early = `${server.name} was still reading the project when it answered; ask again later for the rest.`;
  return [...(isEarly ? [early] : []), ...(found.length > 0 ? [occurrencesNote(head, found)] : [])];
}
