// What speaks with language servers, put together: the pool of a harness, and for each session a port for tools and a
// watch over what its turns bring in. Loaded with the first call that needs a server.
// Invariant: a server gets the environment of a closed list, without keys and without programs of the project; one that
// was approved is looked at again right before it starts.

import { join } from "node:path";
import { codeOf, ModelError, Refusal } from "../../core/errors.js";
import type { LanguagePort } from "../../core/lsp.js";
import type { FileChange } from "../../core/plan.js";
import { type Companion, startCompanion } from "../../lib/companion.js";
import type { Fs } from "../../lib/fs.js";
import { alsoCalled, PathError, printable, resolvePath, shownPath, within } from "../../lib/paths.js";
import { readSmall } from "../../lib/small-file.js";
import { extensionOf, serverFor } from "../../lsp/choose.js";
import { Language, type LanguageOptions } from "../../lsp/language.js";
import type { Occurrences } from "../../lsp/occurrences.js";
import type { ServerPlan } from "../../lsp/plan.js";
import { Pool } from "../../lsp/pool.js";
import { ServerFault } from "../../lsp/server.js";
import { SourceText } from "../../lsp/text.js";
import { TurnProblems } from "../../lsp/turn.js";
import { bareEnvironment } from "../../secrets/bare-environment.js";
import { loadSearch } from "../lazy.js";
import { mayBeInside } from "../search-path.js";
import type { Supervision } from "../shell/supervision.js";
import type { LanguageServers, LanguageServersOptions } from "./language-servers.js";
import { sampleFiles } from "./sample-files.js";

export interface LanguagesOptions extends LanguageServersOptions {
  servers: LanguageServers;
  supervision: Supervision;
}

/** Of one session. */
export interface SessionView {
  /** Is the content of this path not to be shown? */
  conceals(path: string): boolean;
  /** The content with this hash, if it was kept. */
  kept(hash: string): Buffer | undefined;
  waitMs: number;
}

const maxText = 8_000_000;
const keptTexts = 60;
/** Lines that name something, of the whole project. */
const mostNamings = 1_000;

/** Where tool chains are; nothing of it names a secret. */
const toolchains = [
  ...["GOPATH", "GOROOT", "GOMODCACHE", "GOCACHE", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "JAVA_HOME"],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "NVM_DIR", "PYENV_ROOT", "CPATH", "SDKROOT"],
];

export class Languages {
  readonly pool: Pool;
  readonly #options: LanguagesOptions;
  readonly #bases: readonly string[];
  readonly #samples = new Map<string, string | null>();
  readonly #turns = new Set<TurnProblems>();

  constructor(options: LanguagesOptions) {
    const { disk, root, addDirs, servers } = options;
    this.#options = options;
    this.#bases = [root, ...addDirs].map((path) => resolvePath(disk, "/", path).path);
    this.pool = new Pool({
      disk,
      root,
      launch: (plan, cwd, heard) => this.#launch(plan, cwd, heard),
      candidates: () => servers.candidates(),
    });
  }

  running(plan: ServerPlan): string[] {
    const { cwd } = this.#options;
    const same = this.pool.all().filter((server) => isSame(server.plan, plan));
    return same.map((server) => shownPath(cwd, server.root));
  }

  fault(plan: ServerPlan): string | undefined {
    return this.pool.failed().find((each) => isSame(each.plan, plan))?.why;
  }

  port(session: SessionView): LanguagePort {
    return new Language({ pool: this.pool, view: this.#view(session), samples: () => this.#sampled() });
  }

  /** What a session's turns bring in. */
  turns(session: SessionView): { problems: TurnProblems; changed(change: FileChange): void } {
    const problems = new TurnProblems({ pool: this.pool, view: this.#view(session), waitMs: session.waitMs });
    this.#turns.add(problems);
    return {
      problems,
      changed: ({ path, before, after, mode }) => {
        if (before === after || mode?.after !== undefined) return;
        const kind = after === null ? "deleted" : before === null ? "created" : "changed";
        const text = () =>
          before === null
            ? null
            : session
                .kept(before)
                ?.toString("utf8")
                .replace(/^\ufeff/, "");
        problems.changed({ path, kind, before: text });
      },
    };
  }

  async close(): Promise<void> {
    for (const each of this.#turns) each.close();
    await this.pool.close();
  }

  async #launch(plan: ServerPlan, cwd: string, heard: (chunk: Buffer) => void): Promise<Companion> {
    const { servers, supervision } = this.#options;
    const why = servers.changed(plan.name);
    if (why !== null) throw new ServerFault(plan.name, "was not started", why, "Nothing was asked.");
    const guard = await supervision.open();
    const env = { ...this.#environment(), ...plan.env };
    const companion = startCompanion({ argv: plan.argv, cwd, env, guard, heard });
    if (companion.isStarted) return companion;
    const named = plan.source === "built-in" ? "its program" : `its command in ${plan.source}`;
    const next = `Nothing was asked. Whoever set it up can mend ${named}; \`cinch lsp status\` shows it. Search goes on without it.`;
    throw new ServerFault(plan.name, "does not run", await companion.ended, next);
  }

  #environment(): Record<string, string> {
    const { env, passed, disk } = this.#options;
    const bare = bareEnvironment(env, { isInside: (path) => mayBeInside(this.#bases, path, disk) });
    for (const name of [...toolchains, ...passed]) {
      const value = env[name];
      if (value !== undefined) bare[name] = value;
    }
    return bare;
  }

  #view({ conceals }: SessionView): LanguageOptions["view"] {
    const { disk, root, cwd } = this.#options;
    const texts = new Texts(disk);
    // What a link leads to is what is shown.
    const isOpen = (path: string) => {
      const place = placeOf(disk, path);
      return place !== null && this.#bases.some((base) => within(base, place)) && !conceals(place);
    };
    return {
      shown: (path) => shownPath(cwd, path),
      text: (path) => texts.get(path),
      isOpen,
      canonical: (path) => placeOf(disk, path) ?? path,
      naming: (name, signal) => this.#naming(name, isOpen, signal),
      place: (given) => {
        const found = placed(disk, cwd, given);
        const shown = shownPath(cwd, found.path);
        if (!this.#bases.some((base) => within(base, found.path)))
          throw new Refusal("outside", `${shown} is outside the project (${root}). Nothing was asked.`);
        if (!found.stat)
          throw new Refusal("missing", `${shown} does not exist. Nothing was asked.`, ["list", "search"]);
        if (!found.stat.isFile()) throw new Refusal("not-a-file", `${shown} is no file. Nothing was asked.`, ["list"]);
        if (found.stat.size > maxText) throw new Refusal("input", tooLarge(shown, found.stat.size), ["search", "read"]);
        return { path: found.path, shown, ...alsoCalled(found.names) };
      },
    };
  }

  /** By ripgrep, in what is not ignored. */
  async #naming(name: string, isOpen: (path: string) => boolean, signal: AbortSignal): Promise<Occurrences[]> {
    const { disk, root } = this.#options;
    const { findLines, SearchError } = await loadSearch();
    const pattern = `(?:^|[^\\w$])${name.replace(/[^\p{L}\p{N}_-]/gu, "\\$&")}(?:$|[^\\w$])`;
    const place = { directory: root, root, env: this.#environment(), signal, disk };
    const { hits } = await findLines({ pattern, most: mostNamings }, place).catch((error: unknown) => {
      if (error instanceof SearchError) throw new ModelError(`${error.message}\nNothing was changed.`);
      throw error;
    });
    const found = new Map<string, number[]>();
    for (const { path, line } of hits) found.set(path, [...(found.get(path) ?? []), line]);
    return [...found].flatMap(([name, lines]) => {
      const path = join(root, name);
      return isOpen(path) ? [{ path, shown: shownPath(root, path), lines }] : [];
    });
  }

  /** A file for each server that knows the symbols of the whole project. */
  #sampled(): string[] {
    const { servers, disk, root } = this.#options;
    const candidates = servers.candidates().filter(({ plan, state }) => {
      return state === "ready" && (plan.source !== "built-in" || plan.marks.length > 0);
    });
    const wanted = candidates.flatMap(({ plan }) => Object.keys(plan.languages));
    const missing = wanted.filter((extension) => !this.#samples.has(extension));
    if (missing.length > 0) {
      const found = sampleFiles(disk, root, missing);
      for (const extension of missing) this.#samples.set(extension, found.get(extension) ?? null);
    }
    const byServer = new Map<string, string>();
    for (const extension of wanted) {
      const path = this.#samples.get(extension) ?? null;
      if (path === null || extensionOf(path) !== extension || !disk.existsSync(path)) continue;
      const choice = serverFor(path, candidates);
      if ("plan" in choice && !byServer.has(choice.plan.name)) byServer.set(choice.plan.name, path);
    }
    return [...byServer.values()];
  }
}

function tooLarge(shown: string, size: number): string {
  const [has, most] = [size, maxText].map((bytes) => bytes.toLocaleString("en"));
  return `${shown} has ${has} bytes; language servers are asked about files of up to ${most}. Nothing was asked.`;
}

function isSame(one: ServerPlan, other: ServerPlan): boolean {
  return one.name === other.name && one.argv.join("\0") === other.argv.join("\0");
}

/** Null when it cannot be said. */
function placeOf(disk: Fs, path: string): string | null {
  try {
    return resolvePath(disk, "/", path).path;
  } catch (error) {
    if (error instanceof PathError || codeOf(error) !== undefined) return null;
    throw error;
  }
}

function placed(disk: Fs, cwd: string, given: string): ReturnType<typeof resolvePath> {
  try {
    return resolvePath(disk, cwd, given);
  } catch (error) {
    if (error instanceof PathError)
      throw new Refusal("input", `${error.message}: ${printable(given)}. Nothing was asked.`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ModelError(`${printable(given).slice(0, 200)} cannot be examined (${code}). Nothing was asked.`);
  }
}

/** Texts as they are on the disk; read again only when the file has changed. */
class Texts {
  readonly #disk: Fs;
  readonly #kept = new Map<string, { stamp: string; text: SourceText }>();

  constructor(disk: Fs) {
    this.#disk = disk;
  }

  get(path: string): SourceText | null {
    const stat = this.#disk.statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return null;
    const stamp = `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
    const known = this.#kept.get(path);
    if (known?.stamp === stamp) return known.text;
    const file = readSmall(this.#disk, path, maxText);
    if (!file || file.cut) return null;
    const text = new SourceText(file.text);
    this.#kept.set(path, { stamp, text });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptTexts && oldest !== undefined) this.#kept.delete(oldest);
    return text;
  }
}
