// Where the configuration of a repository lies is found as git finds it (SECURITY A 9–11): each layout is shown to git as
// well, which then runs what the configuration names.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { plainDir } from "../../../test/support/run.js";
import { nodeFs } from "../../lib/fs.js";
import { createGround } from "./survey.js";

interface Layout {
  root: string;
  put(name: string, text: string): void;
  git(...args: string[]): void;
  /** Copies the repository as it was made, with a configuration that runs something; `more`: other keys of [core]. */
  evil(to: string, more?: string): void;
  /** Such a configuration. */
  bad(more?: string): string;
}

function repository(): Layout & { canary: string } {
  const base = plainDir();
  const [root, canary] = [join(base, "repo"), join(base, "canary")];
  mkdirSync(root);
  const git = (...args: string[]) => void execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
  git("init", "-q");
  git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "first");
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const bad = (more = "") => {
    const run = `"touch ${canary}; false"`;
    return `[core]\n\trepositoryformatversion = 0\n${more}\tfsmonitor = ${run}\n[alias]\n\tspring = !${run}\n`;
  };
  const evil = (to: string, more?: string) => {
    cpSync(join(root, ".git"), join(root, to), { recursive: true });
    put(`${to}/config`, bad(more));
  };
  return { root, canary, put, git, evil, bad };
}

function troubleAt(root: string, directory: string): string | null {
  const ground = createGround({ disk: nodeFs, root, bases: [root], home: "/nowhere", path: "/usr/bin:/bin" });
  return ground.gitTrouble(directory);
}

test("a plain repository, a directory in it and a worktree of it have none, nor has a submodule that is not there", () => {
  const { root, git, put } = repository();
  for (let n = 0; n < 50; n++) put(`src/${"long/".repeat(n)}file-${"n".repeat(n)}`, "");
  cpSync(join(root, ".git"), join(root, "sub/.git"), { recursive: true });
  git("add", "-A");
  rmSync(join(root, "sub/.git"), { recursive: true });
  git("worktree", "add", "-q", "tree");
  for (const directory of [".", "src", "tree"]) expect(troubleAt(root, join(root, directory)), directory).toBeNull();
});

const layouts: Record<string, (at: Layout) => string> = {
  "a configuration that runs something": ({ evil }) => {
    evil("made/.git");
    return "made";
  },
  "a configuration of a worktree's own": ({ git, put, bad }) => {
    git("worktree", "add", "-q", "tree");
    git("config", "extensions.worktreeConfig", "true");
    put(".git/worktrees/tree/config.worktree", bad());
    return "tree";
  },
  "a .git that is a link": ({ root, evil }) => {
    evil("kept");
    mkdirSync(join(root, "made"));
    symlinkSync("../kept", join(root, "made/.git"));
    return "made";
  },
  "a .git file that leads to some directory": ({ put, evil }) => {
    evil("kept");
    put("made/.git", "gitdir: ../kept\n");
    return "made";
  },
  "a .git file that leads to what is called a module": ({ put, evil }) => {
    evil("kept/.git/modules/m");
    put("made/.git", "gitdir: ../kept/.git/modules/m\n");
    return "made";
  },
  "a repository kept elsewhere": ({ root, put, evil }) => {
    evil("kept");
    cpSync(join(root, ".git"), join(root, "made/.git"), { recursive: true });
    put("made/.git/commondir", "../../kept\n");
    return "made";
  },
  "a worktree of another repository than it lies in": ({ root, put, evil }) => {
    evil("kept");
    cpSync(join(root, ".git"), join(root, "shown/.git"), { recursive: true });
    put("shown/.git/worktrees/y/HEAD", "ref: refs/heads/none\n");
    put("shown/.git/worktrees/y/commondir", "../../../../kept\n");
    put("made/.git", "gitdir: ../shown/.git/worktrees/y\n");
    return "made";
  },
  "a worktree within what is called a module": ({ root, put, evil }) => {
    evil("kept");
    cpSync(join(root, ".git"), join(root, "shown/.git/modules/.git"), { recursive: true });
    put("shown/.git/modules/.git/worktrees/y/HEAD", "ref: refs/heads/none\n");
    put("shown/.git/modules/.git/worktrees/y/commondir", join(root, "kept"));
    put("made/.git", "gitdir: ../shown/.git/modules/.git/worktrees/y\n");
    return "made";
  },
  "a submodule with a configuration of its own": ({ root, git, evil }) => {
    evil("sub/.git");
    git("add", "sub");
    rmSync(join(root, "../canary"), { force: true });
    return ".";
  },
  "a submodule that a worktree names": ({ root, git, evil }) => {
    evil("sub/.git");
    git("worktree", "add", "-q", "tree");
    evil("tree/sub/.git");
    execFileSync("git", ["-C", join(root, "tree"), "add", "sub"], { stdio: "ignore" });
    return "tree";
  },
  "a bare repository": ({ evil }) => {
    evil("made", "\tworktree = ..\n");
    return "made";
  },
  "a bare repository whose objects are elsewhere": ({ root, put, evil }) => {
    evil("kept");
    put("made/HEAD", "ref: refs/heads/none\n");
    put("made/commondir", "../kept\n");
    renameSync(join(root, ".git"), join(root, "../away"));
    return "made";
  },
};

describe("what git would obey is found", () => {
  it.each(Object.keys(layouts))("%s", (name) => {
    const at = repository();
    const directory = join(at.root, layouts[name]?.(at) ?? "");
    expect(troubleAt(at.root, directory)).not.toBeNull();
    rmSync(at.canary, { force: true });
    for (const word of ["status", "spring"])
      spawnSync("git", ["-c", "safe.bareRepository=all", word], { cwd: directory, stdio: "ignore" });
    expect(existsSync(at.canary), "git runs it").toBe(true);
  });
});
