// The hands of a session: files, shell and search below the project root, made when a tool first needs them,
// plus what lies beside the log: pre-images of changed files and the whole of texts that were cut.
// Invariant: before a file changes, its old bytes are in the object store and a `checkpoint` entry names them.

import { join } from "node:path";
import type { Witness } from "../../agent/ports.js";
import type { Settings } from "../../config/schema.js";
import type { Entry } from "../../core/entry.js";
import { codeOf } from "../../core/errors.js";
import type { Ids } from "../../core/ids.js";
import type { FileChange } from "../../core/plan.js";
import type { Ports, Search, Shell } from "../../core/ports.js";
import type { Tasks } from "../../core/task.js";
import type { CallContext, PortName } from "../../core/tool.js";
import type { PreImage } from "../../files/commit.js";
import type { Journal } from "../../files/journal/journal.js";
import { directoryKind } from "../../files/mode.js";
import { SeenFiles } from "../../files/seen.js";
import { sweepTemps, syncDirectory } from "../../lib/atomic-file.js";
import { inTurn } from "../../lib/in-turn.js";
import { createObjectStore, type ObjectStore } from "../../lib/object-store.js";
import { once } from "../../lib/once.js";
import { Opened } from "../../lib/opened.js";
import { resolvePath } from "../../lib/paths.js";
import { knownSecrets } from "../../secrets/known.js";
import { PutAside } from "../conversation/put-aside.js";
import type { LanguageServers } from "../languages/language-servers.js";
import { SessionLanguages } from "../languages/session-languages.js";
import { SyntaxWatch } from "../languages/syntax-watch.js";
import {
  loadFiles,
  loadInventory,
  loadJournal,
  loadObserved,
  loadOnlooker,
  loadPorts,
  loadPresent,
  loadVersions,
  loadWithheld,
} from "../lazy.js";
import type { Inventory } from "../permissions/inventory.js";
import type { SessionPermissions } from "../permissions/permissions.js";
import type { LaunchingShell } from "../ports.js";
import type { Sandboxing } from "../shell/sandboxing.js";
import { openShell } from "../shell/session-shell.js";
import type { Supervision } from "../shell/supervision.js";
import type { Image } from "./observed.js";
import { Rewriting } from "./rewriting.js";
import { SessionClaims, type SessionClaimsOptions } from "./session-claims.js";

export interface WorkspaceOptions extends SessionClaimsOptions {
  cwd: string;
  config: string;
  settings: Settings;
  env: Readonly<Record<string, string | undefined>>;
  ids: Ids;
  languages: LanguageServers;
  supervision: Supervision;
  sandboxing: Sandboxing;
  /** What earlier runs of this session saw and wrote; asked when a tool is first needed, not before a request. */
  outcomes(): readonly Entry<"outcome">[];
  intents(): readonly Entry<"intent">[];
  checkpoints(): readonly Entry<"checkpoint">[];
  tasks(): Promise<Tasks>;
  permissions: Pick<SessionPermissions, "concealed" | "concealing" | "guarded">;
}

/** What brings in content of files that no plan has named. */
const showing: readonly PortName[] = ["shell", "search", "language", "tasks"];

/** A deletion needs no look, and neither does taking one back. */
const isShown = ({ unseen, held }: FileChange) => !unseen && !held;

export class Workspace {
  /** Which files are this agent's to change. */
  readonly claims: SessionClaims;
  readonly #options: WorkspaceOptions;
  /** Whether what is written parses. */
  readonly syntax: SyntaxWatch;
  /** What language servers know of the project. */
  readonly languages: SessionLanguages;
  /** Texts too long for the conversation. */
  readonly aside: PutAside;
  /** Deletions that wait for a write, and contents that were refused. */
  readonly held: Rewriting;
  readonly #seen = new SeenFiles();
  /** Calls that would replace code by a comment, refused once. */
  readonly #refusedOnce = new Set<string>();
  readonly #objects: ObjectStore;
  readonly spillDir: string;
  readonly #addDirs: readonly string[];
  readonly #shell = new Opened(() => this.#seenShell());
  readonly #launching = new Opened(() => this.#openShell());
  readonly #search = new Opened(() => this.#makeSearch());
  readonly #journal = new Opened(() => this.#makeJournal());
  /** Directories whose names changed since the last barrier. */
  #dirty = new Set<string>();
  readonly #entered = new Set<string>();

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.claims = new SessionClaims(options);
    this.syntax = new SyntaxWatch(options.disk);
    this.#objects = createObjectStore(options.disk, join(options.state, "checkpoints", "objects"));
    this.#addDirs = options.options.addDirs ?? [];
    this.spillDir = join(options.state, "spill", options.session);
    this.aside = new PutAside(options.disk, this.spillDir);
    this.languages = new SessionLanguages(options, (hash) => this.#objects.get(hash));
    this.held = new Rewriting({
      ...options,
      outcomes: () => this.#past(),
      seen: this.#seen,
      directory: this.spillDir,
      ground: (call) => ({
        disk: options.disk,
        dirty: (directory) => this.#dirty.add(directory),
        preImage: (...image) => this.#keepBefore(call, ...image),
      }),
    });
  }

  /** What withheld files say, for the redactor. */
  readonly #inventory = once(async () => {
    const { root, disk, env, permissions } = this.#options;
    const { Inventory } = await loadInventory();
    this.#withheld = new Inventory({
      disk,
      root,
      bases: [root, ...this.#addDirs].map((path) => resolvePath(disk, "/", path).path),
      known: knownSecrets,
      concealing: () => permissions.concealing(),
      isKnown: (path) => this.#seen.last(path) !== undefined,
      versions: async (...asked) => (await loadVersions()).versionsIn({ disk, env }, ...asked),
    });
    return this.#withheld;
  });
  #withheld: Inventory | undefined;

  /** The outcomes so far, whose files are then known as seen. */
  #past = this.#recalling();

  #recalling(): () => readonly Entry<"outcome">[] {
    return once(() => {
      const outcomes = this.#options.outcomes();
      for (const { data } of outcomes) this.#seen.restore(data.files.filter(isShown));
      return outcomes;
    });
  }

  /** The conversation goes on elsewhere: what was seen is what the outcomes there say, and files may have changed on the way. */
  async restart(): Promise<void> {
    await this.flush();
    this.#journal.forget();
    this.#seen.clear();
    this.#past = this.#recalling();
  }

  /** Looks at the project before and after commands; made when the first of them is about to run. */
  readonly witness: Witness = {
    begin: () => this.#beginJournal(),
    before: async (call, signal) => (await this.#journal.open()).before(call, signal),
    atRisk: async (paths, signal) => (await this.#journal.open()).atRisk(paths, signal),
    after: async (call) => (await this.#journal.open()).after(call),
  };

  /** In plan mode no command changes anything. What goes wrong here goes wrong again in `before`, which says so. */
  #beginJournal(): void {
    if (this.#options.settings.permissions.mode === "plan") return;
    this.#journal.open().then(
      (journal) => journal.begin(),
      () => {},
    );
  }

  async #makeJournal(): Promise<Journal> {
    this.#past();
    const { sessionJournal } = await loadJournal();
    return sessionJournal({ ...this.#options, addDirs: this.#addDirs, objects: this.#objects, seen: this.#seen });
  }

  async ports(needs: readonly PortName[], call: CallContext): Promise<Partial<Ports>> {
    this.#past();
    // Only the door knows which deletions its caller would notice; whoever has other eyes finds all of them done.
    if (needs.some((need) => need !== "files") || needs.length === 0) await this.held.carryOut();
    if (needs.some((need) => showing.includes(need))) await (await this.#inventory()).refresh();
    const ports: Partial<Ports> = {};
    if (needs.includes("files")) ports.files = await this.held.guard(() => this.#files(call));
    if (needs.includes("shell")) ports.shell = await this.#shell.open();
    if (needs.includes("search")) ports.search = await this.#search.open();
    if (needs.includes("claims")) ports.claims = await this.claims.open();
    if (needs.includes("tasks")) ports.tasks = await this.#options.tasks();
    if (needs.includes("language")) ports.language = await this.languages.port();
    return ports;
  }

  async #files({ call, cut }: CallContext) {
    const { root, cwd, disk, settings } = this.#options;
    const [{ createFiles }, { observed }, { withheldFiles }, conceals, claims, rewrites] = await Promise.all([
      loadFiles(),
      loadObserved(),
      loadWithheld(),
      this.#options.permissions.concealed(),
      this.claims.open(),
      this.held.open(),
    ]);
    const images = new Map<string, Image>();
    const files = createFiles({
      claims,
      root,
      cwd,
      addDirs: this.#addDirs,
      disk,
      seen: this.#seen,
      readable: [this.spillDir],
      overwrite: settings.files.overwrite,
      placeholder: settings.files.placeholder,
      refusedOnce: this.#refusedOnce,
      rewrites,
      call,
      cut: cut === true,
      dirty: (directory) => this.#dirty.add(directory),
      enter: (directory) => this.#enter(directory),
      parses: (path, text) => this.syntax.parses(path, text),
      preImage: (path, before, mode, after, directories) => {
        this.#keepBefore(call, path, before, mode, after, directories);
        images.set(path, { before, after });
      },
    });
    const looked = observed(files, this.syntax, (path) => images.get(path));
    return withheldFiles(looked, {
      disk,
      cwd,
      seen: this.#seen,
      conceals,
      shown: (path) => this.#withheld?.release([path]),
    });
  }

  /** The first change in a directory removes what killed processes left there. */
  #enter(directory: string): void {
    if (this.#entered.has(directory)) return;
    this.#entered.add(directory);
    sweepTemps(this.#options.disk, directory);
  }

  async #seenShell(): Promise<Shell> {
    const [shell, { seenShell }] = await Promise.all([this.shell(), loadOnlooker()]);
    return seenShell(shell, { ...this.#options, seen: this.#seen });
  }

  shell(): Promise<LaunchingShell> {
    return this.#launching.open();
  }

  #openShell(): Promise<LaunchingShell> {
    const own = {
      addDirs: this.#addDirs,
      spillDir: this.spillDir,
      claims: () => this.claims.open(),
      inventory: this.#inventory,
    };
    return openShell({ ...this.#options, ...own });
  }

  async #makeSearch(): Promise<Search> {
    const { root, cwd, disk, supervision } = this.#options;
    const [{ createSearch }, { seenSearch }, { withheldSearch }, guard, conceals] = await Promise.all([
      loadPorts(),
      loadOnlooker(),
      loadWithheld(),
      supervision.open(),
      this.#options.permissions.concealed(),
    ]);
    const shown = (path: string) => this.#withheld?.release([path]);
    const view = { disk, cwd, seen: this.#seen, conceals, shown };
    return seenSearch(withheldSearch(createSearch({ root, cwd, addDirs: this.#addDirs, disk, guard }), view), view);
  }

  /** The content to come is kept as well: to take back this change alone, a later one has to be told from it. */
  #keepBefore(call: string, ...[path, bytes, mode, after, directories]: Parameters<PreImage>): void {
    const before = bytes === null ? null : this.#objects.put(bytes);
    const then = after && { hash: this.#objects.put(after), mode: null };
    const made = directories.map((directory) => ({ path: directory, before: null, mode: directoryKind }));
    this.#options.log.append("checkpoint", {
      call,
      blobs: [...made, { path, before, mode, after: then }],
      coverage: "full",
    });
  }

  /** What is at this path now; undefined when it cannot be looked at. */
  async hashOf(path: string): Promise<string | null | undefined> {
    const { PresentFiles } = await loadPresent();
    const present = new PresentFiles(this.#options.disk);
    // A file that cannot be read is one that nobody can tell of.
    await present.look([path]).catch(() => undefined);
    const now = present.has(path) ? present.at(path) : "hidden";
    return typeof now === "string" ? undefined : (now?.hash ?? null);
  }

  /** Makes names of files durable that were changed since the last barrier. */
  async settle(): Promise<void> {
    const directories = this.#dirty;
    if (directories.size === 0) return;
    this.#dirty = new Set();
    for (const directory of directories) {
      try {
        await syncDirectory(this.#options.disk, directory);
      } catch (error) {
        // A command may have removed it since; then there is no name left to keep.
        if (codeOf(error) !== "ENOENT") throw error;
      }
    }
  }

  close(): void {
    this.#withheld?.close();
    this.claims.close();
  }

  /** Makes the pre-images of the run durable. */
  async flush(): Promise<void> {
    await inTurn([async () => (await this.#journal.now)?.flush(), () => this.#objects.flush()]);
  }
}
