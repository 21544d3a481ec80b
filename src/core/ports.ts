// What tools may reach: each tool declares the ports it needs and gets exactly those (DESIGN §3).
// Implementations live on floor 2 and are wired in harness/; a tool never sees more than these interfaces.

import type { CommandAnalysis } from "./command.js";
import type { LanguagePort, Revision } from "./lsp.js";
import type { FileChange } from "./plan.js";
import type { Tasks } from "./task.js";
import type { ToolDescriptor } from "./tool.js";

export interface Ports {
  files: Files;
  shell: Shell;
  search: Search;
  claims: Claims;
  tasks: Tasks;
  catalog: Catalog;
  language: LanguagePort;
}

export type { Revision };

// --- files -----------------------------------------------------------------------------------------------------------

export interface ReadRange {
  /** First line wanted, 1-based. */
  offset?: number;
  /** Lines wanted. */
  limit?: number;
  /** Characters of them, line numbers included; then fewer lines come. */
  maxChars?: number;
}

export interface FileText {
  /** Canonical absolute path. */
  path: string;
  /** Relative to the project root when inside it. */
  shown: string;
  /** The lines of the range, without line ends. */
  lines: string[];
  /** Line number of `lines[0]`, 1-based. */
  first: number;
  /** Lines in the file; a final line without line end counts. */
  totalLines: number;
  bytes: number;
  /** sha256 hex of the whole file. */
  hash: string;
  encoding: "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be";
  eol: "lf" | "crlf" | "mixed";
  /** Lines cut because they were longer than the port's limit. */
  cutLines: number;
  /** The file is so large that only its beginning was read: `totalLines` counts up to there and `hash` is empty. */
  more?: boolean;
}

export interface TextEdit {
  oldText: string;
  newText: string;
  replaceAll?: boolean;
}

/** A change to one file, worked out and not yet done. Opaque to tools except for these facts. */
export interface FilePlan {
  readonly path: string;
  readonly shown: string;
  readonly names?: readonly string[];
  readonly before: string | null;
  readonly after: string | null;
  readonly digest: string;
  /** Unified diff, empty when nothing changes. */
  readonly diff: string;
  readonly stats: FileStats;
}

export interface FileStats {
  linesAdded: number;
  linesRemoved: number;
  bytesAdded: number;
  totalLines: number;
  totalBytes: number;
  /** For edits: how often the old text was replaced. */
  replaced: number;
  /** Last lines of the new content, at most 3. */
  tail: string[];
  /** The last of them has no line end. */
  open: boolean;
  /** Anything done to the content beside what was asked, one sentence each. */
  notes: string[];
}

/** A path from the model, resolved. */
export interface Place {
  /** Canonical absolute path. */
  path: string;
  /** For messages: relative to the project root when inside it, one line. */
  shown: string;
  /** What else it is called: as given, and at each link on the way. */
  names?: readonly string[];
}

/** A content that was refused. `isCut`: the reply ended inside it, so it is only a beginning. */
export interface KeptText {
  text: string;
  isCut: boolean;
}

/**
 * The one door to project bytes. Every `plan*` only reads and throws a Refusal when the change is not allowed
 * (outside the root, exists, unread, stale, ambiguous, …); `commit` re-checks and writes atomically.
 */
export interface Files {
  readonly root: string;
  /**
   * Where a path leads, reading nothing; throws a Refusal when it is no regular file. Of a place outside nothing is looked
   * at yet: reading it takes an approval of the plan that names it (SPEC 1.21), and may be done after this under that name.
   */
  locate(path: string): Place;
  /** Reads a range of lines and marks the file as seen. */
  read(path: string, range: ReadRange): Promise<FileText>;
  /** A refused content by its `ref`, to be written at `path`; null when there is none. */
  kept(ref: string, path: string): KeptText | null;
  /**
   * `identical` in the returned plan's `before === after` means success with nothing to write. `isCut`: the content is only
   * the beginning of what was meant, as is that of a call which was cut.
   */
  planCreate(path: string, content: string, isCut?: boolean): Promise<FilePlan>;
  /** `expectedSize`: bytes the file must have now. */
  planAppend(path: string, content: string, expectedSize?: number): Promise<FilePlan>;
  /** All edits or none, each against the result of the one before. */
  planEdit(path: string, edits: readonly TextEdit[]): Promise<FilePlan>;
  planDelete(path: string): Promise<FilePlan>;
  /**
   * A change that a program worked out from the text that is there, not the model: what it does not touch need not have
   * been seen. Refused when the text is another by now.
   */
  planRevision(revision: Revision): Promise<FilePlan>;
  /** Does what was planned, or throws a Refusal of kind `stale`/`exists` when the file changed in between. */
  commit(plan: FilePlan): Promise<Committed>;
  /** Several revisions, all or none: they are checked before the first, and taken back when one fails after all. */
  commitAll(plans: readonly FilePlan[]): Promise<Committed[]>;
}

/** The change, and what observers of it have to say. `advice` is for the text of the result; it is no part of the change. */
export type Committed = FileChange & { advice?: readonly string[] };

/** A text as a file tool has just left it. */
export interface ObservedChange {
  /** Canonical absolute path. */
  path: string;
  shown: string;
  /** null = there was no file, or no text that can be compared. */
  before: string | null;
  after: string;
  /** It was created or extended, so more of it may follow. */
  partial: boolean;
}

/** Looks at each change that a file tool makes; it can advise the model and never stop it. */
export interface ChangeObserver {
  /** One line for the result, or null when there is nothing to say. Never rejects. */
  observe(change: ObservedChange): Promise<string | null>;
}

// --- shell -----------------------------------------------------------------------------------------------------------

export interface ShellCommand {
  command: string;
  /** Absolute, inside the project. */
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** It runs only if it is (still) known to only read, and in an environment where that holds. */
  readsOnly: boolean;
  /** A person allowed exactly this: it runs outside of the sandbox. */
  byHand: boolean;
  /** Its two outputs are wanted each by itself as well. */
  streams: boolean;
  onLine(line: string): void;
}

export interface ShellPlan {
  command: string;
  /** Canonical. */
  cwd: string;
  digest: string;
  analysis: CommandAnalysis;
}

export interface ShellOutcome {
  /** null when ended by a signal. */
  exit: number | null;
  signal: string | null;
  timedOut: boolean;
  cancelled: boolean;
  /** Ended because it printed more than any command may. */
  flooded: boolean;
  /** stdout and stderr interleaved as they came, bounded: head and tail with a note between. */
  output: string;
  /** Only when asked for: each by itself, bounded likewise. */
  streams?: { stdout: string; stderr: string };
  bytes: number;
  lines: number;
  /** Where the whole output is when it was cut; null otherwise. */
  spill: string | null;
  ms: number;
  /** Processes of the command's group that were still alive at its end and were then ended. */
  leftRunning: number;
  /** It ran in the sandbox. */
  confined: boolean;
  /** What the sandbox has to say, one sentence each. */
  notes: readonly string[];
}

/** Commands, run by `bash --noprofile --norc -c` in their own process group; nothing of the group survives the call. */
export interface Shell {
  /** Resolves `cwd` against the root; throws a Refusal when it is outside or not a directory. */
  plan(command: string, cwd: string | undefined): Promise<ShellPlan>;
  run(command: ShellCommand): Promise<ShellOutcome>;
}

// --- search ----------------------------------------------------------------------------------------------------------

export interface Listing {
  items: string[];
  /** How many were found beyond `items`. */
  more: number;
  /** True when `more` is a lower bound because the search was stopped early. */
  atLeast: boolean;
}

export interface SearchHit {
  path: string;
  line: number;
  text: string;
}

/** Ignore-aware look-ups below the root, relative to which paths go in and out. Outside: only what was located. */
export interface Search {
  /** Where a path leads; throws a Refusal when it does not exist. A place outside is not looked at yet, as with `Files`. */
  locate(path: string): Place;
  /** Entries of a directory, directories with a trailing slash, sorted. */
  list(path: string, signal: AbortSignal): Promise<Listing>;
  /** Files whose path matches the glob, newest first. */
  find(glob: string, path: string, signal: AbortSignal): Promise<Listing>;
  text(
    query: TextQuery,
    signal: AbortSignal,
  ): Promise<{ hits: SearchHit[]; files: number; more: number; atLeast: boolean }>;
}

export interface TextQuery {
  /** Rust regular expression. */
  pattern: string;
  path: string;
  glob?: string;
  ignoreCase?: boolean;
}

// --- claims ----------------------------------------------------------------------------------------------------------

/** Files that are this agent's own to change; what is another agent's is refused with kind `conflict`. */
export interface Claims {
  /** Where the paths lead, each place once. Throws a Refusal when one is outside or no file; it need not exist. */
  locate(paths: readonly string[]): Place[];
  /** Reads only; throws a Refusal when another agent has the place. `now`: what is true then. */
  check(place: Place, now?: string): void;
  /** Makes all of them this agent's until it releases them or its session ends, or none and throws a Refusal. */
  hold(places: readonly Place[]): void;
  /** Gives back what is this agent's; returns which of them were. */
  release(places: readonly Place[]): Place[];
}

// --- catalog ---------------------------------------------------------------------------------------------------------

/** The tools of this session under the current profile. */
export interface Catalog {
  all(): readonly ToolDescriptor[];
  find(name: string): ToolDescriptor | undefined;
}
