// What a command that nobody approved can reach: attacks on the sandbox from inside, each looked for where it would have hit.
// The home directory of these tests lies in shared memory, because what is in temp is out of sight anyway.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Confinement } from "../../src/harness/shell/confinement.js";
import { Supervision } from "../../src/harness/shell/supervision.js";
import { nodeFs } from "../../src/lib/fs.js";
import { type Played, play, sandboxed } from "../support/confined.js";
import { tempDir } from "../support/run.js";
import { resultText, stage } from "../support/stage.js";

/** A home directory with these files. */
function homeWith(files: Record<string, string>): string {
  const home = mkdtempSync("/dev/shm/cinch-home-");
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode: 0o755 });
  }
  return home;
}

/** A program of somebody else that takes connections at a Unix socket. */
async function listenAt(path: string): Promise<{ calls(): number }> {
  let calls = 0;
  mkdirSync(dirname(path), { recursive: true });
  const server = createServer((socket) => {
    calls++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return { calls: () => calls };
}

const connect = (path: string) =>
  `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("${path}"); print("connected")'`;

sandboxed(
  "of the home directory only toolchains, caches and git's settings are there, and nothing can be written",
  async () => {
    const home = homeWith({
      "notes.txt": "CANARY",
      ".config/app/token": "CANARY",
      ".unheard-of-agent/credentials": "CANARY",
      ".gitconfig": "[user]\n\tname = somebody\n",
      ".local/bin/mine": "#!/bin/sh\necho mine\n",
      ".npm/cached": "c",
    });
    const at = await play(
      [
        `cat ~/notes.txt ~/.config/app/token ~/.unheard-of-agent/credentials; ls -A ~; git config user.name; ~/.local/bin/mine`,
        "for f in ~/x ~/.local/bin/mine ~/.gitconfig ~/.bashrc; do echo evil >> $f; done; echo ok >> ~/.npm/made",
      ],
      { home },
    );
    expect(at.told[0]).not.toContain("CANARY");
    expect(at.told[0]).toMatch(/\.gitconfig\n\.local\n\.npm\nsomebody\nmine$/);
    expect(readFileSync(join(home, ".local/bin/mine"), "utf8")).not.toContain("evil");
    expect(readFileSync(join(home, ".gitconfig"), "utf8")).not.toContain("evil");
    expect([existsSync(join(home, "x")), existsSync(join(home, ".bashrc"))]).toEqual([false, false]);
    expect(readFileSync(join(home, ".npm/made"), "utf8")).toBe("ok\n");
  },
);

sandboxed("no Unix socket of the home directory is reached", async () => {
  const home = homeWith({});
  const paths = [".colima/default/docker.sock", ".docker/run/docker.sock", ".ssh/agent.sock", "any.sock"];
  const sockets = await Promise.all(paths.map((path) => listenAt(join(home, path))));
  const at = await play([paths.map((path) => connect(join(home, path))).join("; ")], { home });
  expect(at.told[0]).not.toContain("connected");
  expect(sockets.map(({ calls }) => calls())).toEqual([0, 0, 0, 0]);
});

sandboxed("the machine cannot be set up, and has another command no say in it", async () => {
  const at = await play([
    `for f in /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger; do
       { : >> $f; } 2>/dev/null && echo "open $f"; done
     hostname cinch-evil 2>/dev/null && [ "$(hostname)" = cinch-evil ] && echo renamed
     mount -t tmpfs none /tmp 2>/dev/null && echo mounted
     mount -o remount,rw / 2>/dev/null && echo remounted
     mknod /tmp/disk b 8 0 2>/dev/null && echo device
     ls /sys/firmware /sys/class 2>/dev/null; ls -l /proc/self/fd | grep -c user:; cat /etc/shadow 2>/dev/null | wc -c`,
  ]);
  expect(at.told[0]).toBe("0\n0");
});

/** The result of one command, as it is. */
async function told(command: string, files: (root: string) => void = () => {}): Promise<string> {
  const at = await stage([{ calls: [{ id: "c", name: "run_command", input: { command } }] }, { text: "done" }]);
  files(at.root);
  const session = await at.open({ settings: { sandbox: { mode: "auto" }, permissions: { mode: "auto" } } });
  await session.send("go");
  return resultText(at.bodies()[1] as never, "c");
}

/** The network interfaces that a command sees which is taken as reading, or not. */
async function interfaces(readsOnly: boolean): Promise<string[]> {
  const base = tempDir();
  const root = join(base, "project");
  mkdirSync(root);
  const supervision = new Supervision(nodeFs, join(base, "running"), () => false);
  const where = { root, cwd: root, addDirs: [], own: [base], env: process.env, network: true, write: [], read: [] };
  const confinement = await Confinement.tryOut({ disk: nodeFs, program: "/usr/bin/bwrap", supervision, ...where });
  const about = { cwd: root, readable: base, conceals: () => false, guards: null, readsOnly };
  const { argv, settle } = await confinement.prepare(about);
  const [program = "", ...words] = argv(["/bin/cat", "/proc/self/net/dev"]);
  const text = execFileSync(program, words, { encoding: "utf8" });
  settle();
  confinement.close();
  await supervision.close();
  return text.match(/^ *[\w-]+:/gm)?.map((name) => name.trim()) ?? [];
}

sandboxed("a command that only reads has no network, another one has", async () => {
  const outside = readFileSync("/proc/self/net/dev", "utf8")
    .match(/^ *[\w-]+:/gm)
    ?.map((name) => name.trim());
  expect(await interfaces(true)).toEqual(["lo:"]);
  expect(await interfaces(false)).toEqual(outside);
});

sandboxed("`cd` and `..` go by directories: a link does not lead a command elsewhere than it was judged", async () => {
  const text = await told("cd link && cd .. && cat x", (root) => {
    mkdirSync(join(root, "deep/inner"), { recursive: true });
    writeFileSync(join(root, "deep/x"), "judged");
    writeFileSync(join(root, "x"), "by name");
    symlinkSync("deep/inner", join(root, "link"));
  });
  expect(text).toBe("judged");
});

sandboxed("`sandbox.read` shows a further place, read-only", async () => {
  const home = homeWith({ "data/a.txt": "shown" });
  const settings = (read: string[]) => ({
    sandbox: { mode: "auto" as const, read },
    permissions: { mode: "auto" as const },
  });
  const script = "cat ~/data/a.txt; echo evil >> ~/data/a.txt";
  const shown = async (read: string[]): Promise<Played> => play([script], { home, settings: settings(read) });
  expect((await shown(["~/data"])).told[0]).toMatch(/^shown/);
  expect((await shown([])).told[0]).not.toContain("shown");
  expect(readFileSync(join(home, "data/a.txt"), "utf8")).toBe("shown");
});

sandboxed("in a work tree of git its repository is read, and a forged link to elsewhere leads nowhere", async () => {
  const main = homeWith({ a: "1" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "pipe" });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "the message");
  git("worktree", "add", "-q", join(main, "tree"));
  const at = await play(["git log --format=%s; echo evil >> $(git rev-parse --git-common-dir)/config"], {
    options: { cwd: join(main, "tree") },
    at: join(main, "tree"),
    repository: false,
  });
  expect(at.told[0]).toMatch(/^the message\n.*Read-only file system/);
  const forged = await play(["cat $(sed 's/gitdir: //' .git)/HEAD"], {
    repository: false,
    files: { ".git": `gitdir: ${homeWith({ HEAD: "CANARY", commondir: "..", gitdir: "elsewhere" })}\n` },
  });
  expect(forged.told[0]).not.toContain("CANARY");
});

sandboxed("in `.git` nothing is planted that git would go by, at any depth, and everyday work goes on", async () => {
  const git = "git -c user.name=a -c user.email=a@b";
  const at = await play([
    `${git} init -q . && ${git} add -A && ${git} commit -qm one && mkdir -p a/b && cd a/b && ${git} init -q . && echo 1 > f && git add f && ${git} commit -qm inner`,
    "echo evil > .git/config.worktree; mkdir .git/rebase-merge; echo 'exec touch evil' > .git/rebase-merge/git-rebase-todo; mkdir -p .git/modules/x; echo evil > .git/modules/x/config",
    "git -C a/b config core.fsmonitor ./evil; echo evil > a/b/.git/hooks/pre-commit; echo evil > a/b/.git/config.worktree",
    `mkdir -p c/d; cd c/d; ${git} init -q .; git config core.fsmonitor ./evil`,
    "mkdir -p e/.vscode; echo evil > e/.vscode/tasks.json; echo evil > e/AGENTS.md",
    `${git} switch -qc side; echo 2 > x; git add x; ${git} commit -qm side; ${git} switch -q -; echo 3 > x; git add x; ${git} commit -qm main; ${git} rebase side; ls .git/rebase-merge/git-rebase-todo`,
  ]);
  const there = (path: string) => existsSync(join(at.root, path));
  for (const path of [".git/config.worktree", "a/b/.git/config.worktree", "c/d/.git", "e/.vscode", "e/AGENTS.md"])
    expect([path, there(path)]).toEqual([path, false]);
  expect([there(".git/modules"), there("a/b/.git/hooks/pre-commit")]).toEqual([false, false]);
  expect(at.text("a/b/.git/config")).not.toContain("evil");
  expect(at.text("a/b/f")).toBe("1\n");
  expect(at.told[1]).toContain("set-aside");
  // A rebase that stops for its user keeps its state: its steps start nothing.
  expect(at.told[5]).toMatch(/\.git\/rebase-merge\/git-rebase-todo$/m);
});

sandboxed("a Unix socket in the project is out of reach", async () => {
  const base = homeWith({});
  const socket = await listenAt(join(base, "run/app.sock"));
  const at = await play([connect(join(base, "run/app.sock"))], { options: { cwd: base }, at: base, repository: false });
  expect(at.told[0]).not.toContain("connected");
  expect(socket.calls()).toBe(0);
});
