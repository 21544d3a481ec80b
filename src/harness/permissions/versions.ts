// Versions of withheld files that a repository holds, read by a git that starts nothing (lib/plain-git.ts). Bounded: the newest
// 1,000 commits of all branches and the stash, 200 blobs of at most 256 KB.
// What cannot be read (a broken repository, one that lies elsewhere, no git) has no versions here.

import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, Refusal } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import { within } from "../../lib/paths.js";
import { PlainGit } from "../../lib/plain-git.js";
import type { Version } from "./inventory.js";

const limits = { commits: 1_000, blobs: 200, bytes: 256 * 1024, output: 64 * 1024 * 1024, timeoutMs: 20_000 };

interface At {
  disk: Fs;
  env: Readonly<Record<string, string | undefined>>;
}

export async function versionsIn(
  { disk, env }: At,
  root: string,
  wanted: (path: string) => boolean,
): Promise<Version[]> {
  const real = join(root, ".git");
  if (!disk.lstatSync(real, { throwIfNoEntry: false })?.isDirectory()) return [];
  const directories = (env["PATH"] ?? "").split(":").filter((each) => each.startsWith("/") && !within(root, each));
  const program = directories.map((each) => join(each, "git")).find((path) => disk.existsSync(path));
  if (program === undefined) return [];
  const { output: largest, timeoutMs } = limits;
  const git = new PlainGit({ disk, program, home: env["HOME"] ?? "", largest, timeoutMs });
  const own = join(disk.realpathSync(tmpdir()), `cinch-git-${randomBytes(8).toString("hex")}`);
  try {
    const view = await git.view(own, real);
    const named = new Map<string, string>();
    const note = (id: string, name: string) => {
      if (named.size < limits.blobs && !/^0+$/.test(id) && wanted(join(root, name))) named.set(id, join(root, name));
    };
    const log = ["log", "--all", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "--format=", "-z"];
    for (const [, before = "", after = "", name = ""] of rows(
      await git.run(view, [...log, "-n", `${limits.commits}`]),
    )) {
      note(before, name);
      note(after, name);
    }
    const index = String(await git.run(view, ["ls-files", "-s", "-z"]));
    for (const [, id = "", name = ""] of index.matchAll(/\d{6} ([0-9a-f]{40,64}) \d\t([^\0]+)\0/g)) note(id, name);
    return await texts(git, view, named);
  } catch (error) {
    if (error instanceof Refusal || codeOf(error) !== undefined) return [];
    throw error;
  } finally {
    disk.rmSync(own, { recursive: true, force: true });
  }
}

function rows(output: Buffer): IterableIterator<RegExpMatchArray> {
  return String(output).matchAll(/:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\0([^\0]+)\0/g) as never;
}

async function texts(
  git: PlainGit,
  view: Parameters<PlainGit["run"]>[0],
  named: ReadonlyMap<string, string>,
): Promise<Version[]> {
  if (named.size === 0) return [];
  const out = await git.run(view, ["cat-file", "--batch"], [...named.keys()].map((id) => `${id}\n`).join(""));
  const found: Version[] = [];
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(0x0a, at);
    if (end < 0) break;
    const [id = "", kind, size = "0"] = out.toString("latin1", at, end).split(" ");
    at = end + 1;
    // Not there: git says so in one line.
    if (kind !== "blob" && kind !== "commit") continue;
    const path = named.get(id);
    if (kind === "blob" && path !== undefined) {
      found.push({ path, text: out.toString("utf8", at, at + Math.min(Number(size), limits.bytes)) });
    }
    at += Number(size) + 1;
  }
  return found;
}
