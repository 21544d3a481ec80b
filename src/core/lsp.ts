// What language servers know, in the words of tools: places, symbols, problems, and the port through which tools ask.
// Invariant: lines and columns count from 1, in and out; a column counts characters (code points), whatever unit a server
// counts in. Paths are canonical; `shown` is how the model writes them.

export interface Spot {
  path: string;
  shown: string;
  line: number;
  column: number;
  /** What else the file is called: as given, and at each link on the way. */
  names?: readonly string[];
}

export interface Location extends Spot {
  /** The source line, trimmed; null where it is not to be shown (outside the project, withheld, gone). */
  text: string | null;
}

export interface CodeSymbol extends Location {
  name: string;
  /** `function`, `class`, … */
  kind: string;
  /** What it is in, "" = nothing. */
  container: string;
  /** Depth in the outline of its file. */
  depth: number;
}

export const severities = ["error", "warning", "info", "hint"] as const;
export type Severity = (typeof severities)[number];

export interface Diagnostic {
  severity: Severity;
  line: number;
  column: number;
  message: string;
  /** `ts 2322`, "" = unknown. */
  code: string;
}

/** `pending`: the server has not said anything yet about the content as it is now. */
export interface FileProblems {
  path: string;
  shown: string;
  server: string;
  state: "known" | "pending";
  problems: readonly Diagnostic[];
}

/** What is meant: a place, a name in a file, or a name anywhere. */
export interface Target {
  path?: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
  symbol?: string | undefined;
}

/** The whole text of a file as a server wants it, and the text that it was worked out from. */
export interface Revision {
  path: string;
  before: string;
  after: string;
}

export interface CodeAction {
  title: string;
  /** `quickfix`, `refactor.extract`, …, "" = unknown. */
  kind: string;
  /** Why it cannot be done here, "" = it can. */
  disabled: string;
}

/** Answers, and what to know of them: who did not answer and why, a line each. */
export interface Answer<Item> {
  items: readonly Item[];
  notes: readonly string[];
}

/**
 * The language servers of a project. Each method starts the server that it needs, looks at files as they are on the disk
 * now, and throws a ModelError when no server can answer.
 */
export interface LanguagePort {
  /** The place that is meant; a name alone is looked up among the symbols of the project. */
  find(target: Target, signal: AbortSignal): Promise<Spot>;
  /** The file that is meant, when a server serves it. */
  locate(path: string): Pick<Spot, "path" | "shown" | "names">;
  definition(spot: Spot, signal: AbortSignal): Promise<Location[]>;
  /** The declaration among them; noted is where else the name stands in the text of the project. */
  references(spot: Spot, signal: AbortSignal): Promise<Answer<Location>>;
  hover(spot: Spot, signal: AbortSignal): Promise<string | null>;
  outline(path: string, signal: AbortSignal): Promise<CodeSymbol[]>;
  workspaceSymbols(query: string, signal: AbortSignal): Promise<Answer<CodeSymbol>>;
  /** Of one file; without a path, of every file that is known to a running server. Waits for the present content. */
  diagnostics(path: string | undefined, signal: AbortSignal): Promise<Answer<FileProblems>>;
  /** Noted is where the old name still stands afterwards. */
  rename(spot: Spot, name: string, signal: AbortSignal): Promise<Answer<Revision>>;
  actions(spot: Spot, until: { line: number; column: number }, signal: AbortSignal): Promise<CodeAction[]>;
  /** What the action with this title would change. */
  revisions(
    spot: Spot,
    until: { line: number; column: number },
    title: string,
    signal: AbortSignal,
  ): Promise<Revision[]>;
}

/** Which server serves what, and why not. */
export interface ServerStatus {
  name: string;
  /** Where it is from: `lsp.json`, `.cinch/lsp.json`, `built-in`. */
  source: string;
  extensions: readonly string[];
  /** What would be started; empty when its program was not found. */
  command: readonly string[];
  state: "running" | "ready" | "untrusted" | "missing" | "disabled" | "failed";
  /** What that means here, one sentence; "" = nothing to say. */
  why: string;
  /** The project has files for it. */
  wanted: boolean;
  /** Roots of the running ones. */
  roots: readonly string[];
}

export interface LanguageStatus {
  servers: readonly ServerStatus[];
  /** Entries of lsp.json that cannot be used, a sentence each. */
  problems: readonly string[];
}
