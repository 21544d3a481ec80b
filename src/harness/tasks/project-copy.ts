// A copy of the project for one agent: the commit that is checked out, as a repository of its own, and what was changed in it
// as a patch.
// Invariants: nothing of the repository is changed, and nothing that it, the copy or a repository inside of it configures is
// run: git works on a private directory beside the copy, which keeps the commit that the agent began with (plain-git.ts).
// A copy is named for its task, and stays while that may go on; those of tasks that have ended go when the next one is made.
// Deliberately no `git worktree` and no `git clone`: the one writes into the user's .git, the other reads its configuration.

import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Refusal } from "../../core/errors.js";
import { replaceFile } from "../../lib/atomic-file.js";
import { sha256 } from "../../lib/hash.js";
import { within } from "../../lib/paths.js";
import { layGitDir, PlainGit, type PlainRepository } from "../../lib/plain-git.js";
import type { Surroundings } from "../surroundings.js";

export interface ProjectCopy {
  root: string;
  cwd: string;
  /** "" = nothing was changed. */
  patch(): Promise<string>;
  remove(): void;
}

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
  const stats = [copy, besideOf(copy)].map((path) => disk.lstatSync(path, { throwIfNoEntry: false }));
  const isOurs = stats.every((stat) => stat?.isDirectory() && (mine === undefined || stat.uid === mine));
  if (isOurs) return copyAt(at, copy);
  throw new Refusal(
    "missing",
    `Its copy of the project, ${copy}, is gone, and with it what it had changed there. Its conversation is kept. Give the task again.`,
  );
}

/** The private directory of git, out of the agent's way. */
const besideOf = (copy: string) => `${copy}.base`;

async function fresh(at: Surroundings, copy: string): Promise<ProjectCopy> {
  const { disk, root } = at;
  const real = join(root, ".git");
  if (!disk.lstatSync(real, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Refusal(
      "missing",
      `${root} is no git repository of its own (a directory .git), so there is nothing to copy.`,
    );
  }
  const beside = besideOf(copy);
  // Of the same task, whose conversation is gone: it begins anew.
  for (const path of [copy, beside]) disk.rmSync(path, { recursive: true, force: true });
  for (const path of [copy, beside]) disk.mkdirSync(path, { mode: 0o700 });
  try {
    const git = await gitOf(at);
    const source = await git.view(join(beside, "source"), real);
    await layCopy(at, git, { copy, source });
    const made = copyAt(at, copy);
    // The working directory may hold nothing that is committed.
    disk.mkdirSync(made.cwd, { recursive: true });
    return made;
  } catch (error) {
    copyAt(at, copy).remove();
    throw error;
  }
}

/** Two repositories that borrow the objects of `source`: one for the agent, with its files, and one of which it knows nothing. */
async function layCopy(
  { disk, root }: Surroundings,
  git: PlainGit,
  { copy, source }: { copy: string; source: PlainRepository },
): Promise<void> {
  const head = String(await git.run(source, ["rev-parse", "--verify", "HEAD^{commit}"])).trim();
  const names = ["refs/heads", "refs/remotes", "refs/tags"];
  const refs = String(await git.run(source, ["for-each-ref", "--format=%(objectname) %(refname)", ...names]));
  const config = disk.readFileSync(join(source.gitDir, "config"), "utf8");
  const own = repositoryOf(copy);
  const agents = join(copy, ".git");
  const made = { head, config, ...(source.objects === undefined ? {} : { borrowed: source.objects }) };
  layGitDir(disk, own.gitDir, made);
  const origin = `[remote "origin"]\n\turl = ${JSON.stringify(root)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  layGitDir(disk, agents, { ...made, config: `${config}${origin}` });
  const shallow = join(source.gitDir, "shallow");
  for (const gitDir of disk.existsSync(shallow) ? [own.gitDir, agents] : []) {
    await replaceFile(disk, join(gitDir, "shallow"), disk.readFileSync(shallow), { sync: false });
  }
  const packed = refs.replace(/^(\w+) refs\/heads\//gm, "$1 refs/remotes/origin/");
  await replaceFile(disk, join(agents, "packed-refs"), unique(packed), { sync: false });
  await git.run(own, ["read-tree", "--reset", "-u", head]);
  await replaceFile(disk, join(agents, "index"), disk.readFileSync(join(own.gitDir, "index")), { sync: false });
}

/** A branch of the repository hides one of the same name that it has from elsewhere. */
function unique(refs: string): string {
  const lines = refs.split("\n").filter((line) => line !== "");
  return [...new Map(lines.reverse().map((line) => [line.replace(/^\w+ /, ""), `${line}\n`])).values()].join("");
}

function repositoryOf(copy: string): PlainRepository {
  return { gitDir: join(besideOf(copy), "git"), workTree: copy };
}

function copyAt(at: Surroundings, copy: string): ProjectCopy {
  const { disk, root, cwd } = at;
  return {
    root: copy,
    cwd: within(root, cwd) ? join(copy, relative(root, cwd)) : copy,
    async patch() {
      const git = await gitOf(at);
      const own = repositoryOf(copy);
      await takeIn(at, git, own);
      const how = ["--binary", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--submodule=short"];
      return String(await git.run(own, ["diff", "--cached", ...how, "HEAD"]));
    },
    remove() {
      for (const path of [copy, besideOf(copy)]) disk.rmSync(path, { recursive: true, force: true });
    },
  };
}

/**
 * Puts the files as they are now into the index. Not `git add --all`: that starts git in the repositories it finds below.
 * What lies in such a repository is not taken in.
 */
async function takeIn({ disk }: Surroundings, git: PlainGit, own: PlainRepository): Promise<void> {
  const { workTree: copy = "" } = own;
  const list = async (at: PlainRepository, ...more: string[]) =>
    String(await git.run(at, ["ls-files", "-z", "--cached", ...more])).split("\0");
  const index = join(copy, ".git", "index");
  const isThere = disk.lstatSync(index, { throwIfNoEntry: false })?.isFile();
  // What the agent added although it is ignored.
  const added = isThere ? await list({ ...own, index }) : [];
  const names = new Set([...(await list(own, "--others", "--exclude-standard")), ...added]);
  const links = new Map<string, boolean>();
  const isBehindLink = (directory: string): boolean => {
    if (directory === copy || !within(copy, directory)) return directory !== copy;
    const known = links.get(directory);
    if (known !== undefined) return known;
    const isLink = disk.lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    const answer = isLink || isBehindLink(dirname(directory));
    links.set(directory, answer);
    return answer;
  };
  const isKept = (name: string) => {
    const path = join(copy, name);
    if (isBehindLink(dirname(path))) return false;
    const stat = disk.lstatSync(path, { throwIfNoEntry: false });
    return stat !== undefined && (stat.isFile() || stat.isSymbolicLink() || stat.isDirectory());
  };
  const all = [...names].filter((name) => name !== "" && !name.endsWith("/"));
  const put = async (way: readonly string[], some: readonly string[]) => {
    if (some.length === 0) return;
    await git.run(own, ["update-index", ...way, "-z", "--stdin"], some.map((name) => `${name}\0`).join(""));
  };
  await put(
    ["--force-remove"],
    all.filter((name) => !isKept(name)),
  );
  await put(["--add", "--replace", "--remove"], all.filter(isKept));
}

async function gitOf({ env, disk, root, supervision }: Surroundings): Promise<PlainGit> {
  const directories = (env["PATH"] ?? "").split(":").filter((each) => each.startsWith("/") && !within(root, each));
  const program = directories.map((each) => join(each, "git")).find((path) => disk.existsSync(path));
  if (program === undefined) throw new Refusal("missing", "git was not found, and it makes the copy of the project.");
  await supervision.hide();
  return new PlainGit({ disk, program, home: env["HOME"] ?? "", largest, timeoutMs: 120_000 });
}
