// Looking through a tree with ripgrep: files by glob, lines by regular expression. Ignore-aware, hidden files included,
// `.git` excluded, links not followed. The binary is the one of the npm package, by absolute path, never from PATH.
// Invariant: memory and output are capped and what was left out is counted; the user's ripgrep settings have no say.
// Containment is the caller's: `directory` or `file` is searched, whatever it is.

import { Cancelled, messageOf } from "../core/errors.js";
import type { Fs } from "./fs.js";
import { globMatcher } from "./glob.js";
import { runProgram } from "./process.js";
import { tempGlob } from "./temp-name.js";
import { cutLine } from "./truncate.js";

export interface Found {
  items: string[];
  more: number;
  atLeast: boolean;
}

export interface Hit {
  /** As below `base`, or as `base` itself. */
  path: string;
  line: number;
  text: string;
}

export interface SearchPlace {
  /** Absolute directory that the search starts from; globs and results are relative to it. */
  directory: string;
  /** One file below it, when not all of it is meant. */
  file?: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  disk: Pick<Fs, "existsSync" | "lstatSync">;
  /** Directory in which `.git` decides whether ignore files above are git's. */
  root: string;
}

export const searchLimits = { files: 200, hits: 100, counted: 2_000, lineChars: 300 };

/** What ripgrep said about a search it could not make, for example about the expression. */
export class SearchError extends Error {
  override name = "SearchError";
}

/** Files whose path below `place.directory` matches, newest first. */
export async function findFiles(glob: string, place: SearchPlace): Promise<Found> {
  const matches = matcher(glob);
  const found: string[] = [];
  const records = new Records([0]);
  await rg(["--files", "--null", "--sortr=modified", ...common(place), ...target(place)], place, (chunk) => {
    for (const path of records.push(chunk)) {
      const name = relative(path);
      if (matches(name)) found.push(name);
    }
    return true;
  });
  const items = found.slice(0, searchLimits.files);
  return { items, more: found.length - items.length, atLeast: false };
}

/** Every file below the directory, at most `most`. */
export async function listAll(place: SearchPlace, most: number): Promise<string[]> {
  const found: string[] = [];
  const records = new Records([0]);
  await rg(["--files", "--null", ...common(place), ...target(place)], place, (chunk) => {
    for (const path of records.push(chunk)) found.push(relative(path));
    return found.length < most;
  });
  return found.slice(0, most);
}

export interface LineQuery {
  pattern: string;
  glob?: string;
  ignoreCase?: boolean;
  /** Hits that are returned; default: `searchLimits.hits`. */
  most?: number;
}

/** Matching lines, by path and line; counting stops some way beyond the cap. */
export async function findLines(
  query: LineQuery,
  place: SearchPlace,
): Promise<{ hits: Hit[]; files: number; more: number; atLeast: boolean }> {
  const matches = query.glob === undefined ? () => true : matcher(query.glob);
  const hits: Hit[] = [];
  const files = new Set<string>();
  const records = new Records([0, 10]);
  let count = 0;
  const args = ["--line-number", "--with-filename", "--no-heading", "--color=never", "--null", "--sort=path"];
  args.push(`--max-columns=${searchLimits.lineChars * 4}`, "--max-columns-preview");
  if (query.ignoreCase) args.push("--ignore-case");
  const all = [...args, ...common(place), "--regexp", query.pattern, ...target(place)];
  const { stopped } = await rg(all, place, (chunk) => {
    for (const record of records.push(chunk)) {
      const hit = hitOf(record);
      if (!hit || !matches(hit.path)) continue;
      count++;
      files.add(hit.path);
      if (hits.length < (query.most ?? searchLimits.hits)) hits.push(hit);
    }
    return count < searchLimits.counted;
  });
  return { hits, files: files.size, more: count - hits.length, atLeast: stopped };
}

function matcher(glob: string): (path: string) => boolean {
  try {
    return globMatcher(glob);
  } catch (error) {
    throw new SearchError(messageOf(error));
  }
}

/** What ripgrep says about a file that turns out to be binary, on a line of its own, without NUL. */
const binaryNote = /^.*?(?:stopped searching binary file after match|binary file matches) \(found .*? offset \d+\)\n/su;

/** `path NUL line ":" text` */
function hitOf(given: string): Hit | null {
  const record = given.includes("binary file") ? given.replace(binaryNote, "") : given;
  const nul = record.indexOf("\0");
  const colon = record.indexOf(":", nul);
  if (nul < 0 || colon < 0) return null;
  const text = record.slice(colon + 1).replace(/\r$/, "");
  return {
    path: relative(record.slice(0, nul)),
    line: Number(record.slice(nul + 1, colon)),
    text: cutLine(text, searchLimits.lineChars),
  };
}

function relative(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/**
 * Cuts a byte stream into records that end in the given bytes, each looked for behind the one before (a file name may
 * contain a line end); the last of them is dropped. The rest waits for the next chunk.
 */
class Records {
  readonly #ends: readonly number[];
  #rest: Buffer = Buffer.alloc(0);

  constructor(ends: readonly number[]) {
    this.#ends = ends;
  }

  push(chunk: Buffer): string[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const records: string[] = [];
    let from = 0;
    for (let at = this.#end(bytes, from); at >= 0; at = this.#end(bytes, from)) {
      records.push(bytes.toString("utf8", from, at));
      from = at + 1;
    }
    this.#rest = bytes.subarray(from);
    return records;
  }

  #end(bytes: Buffer, from: number): number {
    let at = from - 1;
    for (const end of this.#ends) {
      at = bytes.indexOf(end, at + 1);
      if (at < 0) return -1;
    }
    return at;
  }
}

function common({ disk, root }: SearchPlace): string[] {
  const args = ["--no-config", "--hidden", "--glob=!.git", `--glob=!${tempGlob}`, "--no-messages"];
  // Outside a git repository .gitignore files still say what nobody wants to see.
  if (!disk.existsSync(`${root}/.git`)) args.push("--no-require-git");
  return args;
}

function target({ file }: SearchPlace): string[] {
  return ["--", file === undefined ? "./" : `./${file}`];
}

async function rg(args: readonly string[], place: SearchPlace, onChunk: (chunk: Buffer) => boolean) {
  const file = await ripgrepPath();
  const { cwd, env, signal } = { cwd: place.directory, env: place.env, signal: place.signal };
  const end = await runProgram(file, args, { cwd, env, signal, onChunk });
  if (signal.aborted) throw new Cancelled();
  // 2 = some error; with output it was about single files, which then are simply not in it.
  if (end.exit === 2 && end.stderr.trim() !== "") throw new SearchError(end.stderr.trim().replace(/^rg: /, ""));
  return end;
}

async function ripgrepPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (error) {
    throw new SearchError(`ripgrep is not installed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
