// A copy of the project for one agent: a clone of its repository at the commit that is checked out, and what was changed in it
// as a patch.
// Invariants: nothing of the repository is changed, and nothing that its configuration names is run: a clone has a
// configuration of its own, and what an agent may have written into that is put right before git looks at it again.
// A copy is named for its task, and stays while that may go on; those of tasks that have ended go when the next one is made.
// Deliberately no `git worktree`: that writes into the user's .git, and a crash would leave it there.

import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Refusal } from "../../core/errors.js";
import { replaceFile } from "../../lib/atomic-file.js";
import { sha256 } from "../../lib/hash.js";
import { within } from "../../lib/paths.js";
import { loadProcess } from "../lazy.js";
import type { Surroundings } from "../surroundings.js";

export interface ProjectCopy {
  root: string;
  cwd: string;
  /** "" = nothing was changed. */
  patch(): Promise<string>;
  remove(): void;
}

const config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";
/** Bytes of a patch. */
const largest = 16 * 1024 * 1024;

interface CopyOf {
  task: string;
  /** It was interrupted, and goes on in the copy that it had. */
  goesOn: boolean;
  /** May this task still go on? Then its copy is kept. */
  isOpen(task: string): boolean;
}

/** @throws Refusal when there is nothing that could be copied, or the copy it had is gone */
export async function copyProject(at: Surroundings, { task, goesOn, isOpen }: CopyOf): Promise<ProjectCopy> {
  const { disk, state } = at;
  const folder = disk.realpathSync(tmpdir());
  // Several homes may share a temporary directory.
  const prefix = `cinch-copy-${sha256(state).slice(0, 8)}-`;
  const copy = join(folder, `${prefix}${task}`);
  if (goesOn) return kept(at, copy);
  for (const name of disk.readdirSync(folder)) {
    const [id = ""] = name.startsWith(prefix) ? name.slice(prefix.length).split(".") : [];
    if (id !== "" && !isOpen(id)) disk.rmSync(join(folder, name), { recursive: true, force: true });
  }
  return fresh(at, copy);
}

function kept(at: Surroundings, copy: string): ProjectCopy {
  const { disk } = at;
  const mine = process.getuid?.();
  const stat = disk.lstatSync(copy, { throwIfNoEntry: false });
  const noted = disk.lstatSync(noteOf(copy), { throwIfNoEntry: false });
  const isOurs =
    stat?.isDirectory() && noted?.isFile() && (mine === undefined || [stat, noted].every(({ uid }) => uid === mine));
  const base = isOurs ? disk.readFileSync(noteOf(copy), "utf8") : "";
  if (/^[0-9a-f]{40,64}$/.test(base)) return copyAt(at, copy, base);
  throw new Refusal(
    "missing",
    `Its copy of the project, ${copy}, is gone, and with it what it had changed there. Its conversation is kept. Give the task again.`,
  );
}

/** The commit that the copy began with, out of the agent's way. */
const noteOf = (copy: string) => `${copy}.base`;

async function fresh(at: Surroundings, copy: string): Promise<ProjectCopy> {
  const { disk, root } = at;
  if (!disk.lstatSync(join(root, ".git"), { throwIfNoEntry: false })?.isDirectory()) {
    throw new Refusal(
      "missing",
      `${root} is no git repository of its own (a directory .git), so there is nothing to copy.`,
    );
  }
  // Of the same task, whose conversation is gone: it begins anew.
  disk.rmSync(copy, { recursive: true, force: true });
  disk.mkdirSync(copy, { mode: 0o700 });
  try {
    const git = gitOf(at);
    await git(root, ["clone", "--quiet", "--shared", "--no-checkout", "--", root, copy]);
    const base = (await git(copy, ["rev-parse", "--verify", "HEAD^{commit}"])).trim();
    await git(copy, ["checkout", "--quiet", base]);
    await replaceFile(disk, noteOf(copy), base, { mode: 0o600, sync: false });
    const made = copyAt(at, copy, base);
    // The working directory may hold nothing that is committed.
    disk.mkdirSync(made.cwd, { recursive: true });
    return made;
  } catch (error) {
    copyAt(at, copy, "").remove();
    throw error;
  }
}

function copyAt(at: Surroundings, copy: string, base: string): ProjectCopy {
  const { disk, root, cwd } = at;
  return {
    root: copy,
    cwd: within(root, cwd) ? join(copy, relative(root, cwd)) : copy,
    async patch() {
      if (!disk.lstatSync(join(copy, ".git"), { throwIfNoEntry: false })?.isDirectory()) {
        throw new Refusal(
          "missing",
          "Its copy of the project has no repository any more, so what it changed is not known.",
        );
      }
      const git = gitOf(at);
      await replaceFile(disk, join(copy, ".git", "config"), config, { mode: 0o600, sync: false });
      await git(copy, ["add", "--all"]);
      return git(copy, ["diff", "--cached", "--binary", "--no-ext-diff", "--no-textconv", base]);
    },
    remove() {
      disk.rmSync(copy, { recursive: true, force: true });
      disk.rmSync(noteOf(copy), { force: true });
    },
  };
}

function gitOf({ env, disk, root, supervision }: Surroundings) {
  const directories = (env["PATH"] ?? "").split(":").filter((each) => each.startsWith("/") && !within(root, each));
  const program = directories.map((each) => join(each, "git")).find((path) => disk.existsSync(path));
  const own = { PATH: directories.join(":"), HOME: env["HOME"] ?? "", LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };
  const never = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
  return async (cwd: string, args: readonly string[]): Promise<string> => {
    if (program === undefined) throw new Refusal("missing", "git was not found, and it makes the copy of the project.");
    await supervision.hide();
    const { runProgram } = await loadProcess();
    const printed: Buffer[] = [];
    let bytes = 0;
    const { exit, stderr, stopped } = await runProgram(program, [...never, ...args], {
      cwd,
      env: own,
      signal: AbortSignal.timeout(120_000),
      onChunk(chunk) {
        printed.push(chunk);
        bytes += chunk.length;
        return bytes <= largest;
      },
    });
    if (exit === 0 && !stopped) return Buffer.concat(printed).toString("utf8");
    const why = stopped ? "it took too long or printed too much" : stderr.trim().split("\n").at(-1);
    throw new Refusal("missing", `git ${args[0]} failed in ${cwd}: ${why}.`);
  };
}
