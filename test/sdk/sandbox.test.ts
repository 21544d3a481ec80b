// Commands in a real bubblewrap, through the public face: SPEC 1.11-1.13, the escapes of SECURITY §1. What a command did is
// looked for on the disk. Where bubblewrap is installed and cannot start, these fail.

import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeFs } from "../../src/lib/fs.js";
import { type Played, play, type Settings, sandboxed } from "../support/confined.js";
import { running } from "../support/processes.js";
import { tempDir } from "../support/run.js";
import { resultText, stage } from "../support/stage.js";

sandboxed("the project and temp are written, and nothing else", async () => {
  const outside = tempDir("cinch-outside-");
  const at = await play([
    `echo in > made.txt; echo t > /tmp/kept.txt; echo out > ${outside}/made.txt; echo x > ~/cinch-test; echo x > /etc/cinch-test`,
    "cat /tmp/kept.txt",
  ]);
  expect(at.text("made.txt")).toBe("in\n");
  expect(at.told[1]).toBe("t");
  expect(at.told[0]).toContain("/etc/cinch-test: Read-only file system");
  // Temp is its own: what others keep there is not even seen.
  expect(readdirSync(outside)).toEqual([]);
  expect(existsSync("/etc/cinch-test")).toBe(false);
});

const governed = {
  ".cinch/settings.json": "{}",
  "AGENTS.md": "be good",
  ".git/config": "[core]\n",
  ".git/hooks/a": "",
};

sandboxed("a governing file is not changed, removed, replaced by a link or moved away with its directory", async () => {
  const at = await play(
    [
      "echo evil > .cinch/settings.json; rm -f .cinch/settings.json; ln -sfn /tmp .cinch; mv .cinch gone",
      "mkdir /tmp/e; echo evil > /tmp/e/AGENTS.md; mv /tmp/e/AGENTS.md AGENTS.md; rm AGENTS.md; ln -sf /tmp/e/AGENTS.md AGENTS.md",
      "mv .git g; rm -rf .git; cp -r g .git; echo evil > .git/config; echo evil > .git/hooks/pre-commit; mv .git/hooks h",
      'mv ../project ../p; cd ..; rm -rf project/.cinch; python3 -c \'import os; os.rename("project", "q")\'',
    ],
    { files: { ...governed, ".git/index": "old" } },
  );
  for (const [path, text] of Object.entries(governed)) expect(at.text(path)).toBe(text);
  expect(readdirSync(at.root).sort()).not.toContain("gone");
  expect(readdirSync(join(at.root, ".git", "hooks"))).toEqual(["a"]);
  expect(at.told[0]).toMatch(/Read-only file system|Device or resource busy/);
});

sandboxed("the rest of .git is written, so that a commit works", async () => {
  const git = "git -c user.name=a -c user.email=a@b";
  const at = await play([
    `git init -q . && git add -A && ${git} commit -qm one`,
    `echo 2 >> x; git add x; ${git} commit -qm two`,
    "git log --format=%s",
  ]);
  expect(at.told[2]).toBe("two\none");
});

sandboxed("a missing governing file is not made, and nothing is left in its place", async () => {
  const at = await play([
    "mkdir .claude; echo '{}' > .mcp.json; rm -rf .mcp.json; echo '{}' > .cinch/settings.json; touch .vscode/tasks.json; ls -A | wc -l",
  ]);
  expect(at.told[0]).toMatch(/\.claude.*File exists/);
  expect(readdirSync(at.root).sort()).toEqual([".git", "c0.sh"]);
});

sandboxed("what cannot be held is set aside after the command, and the model is told", async () => {
  const at = await play(
    [
      "echo evil > AGENTS.md; rm .codex; mkdir .codex; echo evil > .codex/config.toml; echo ../elsewhere > .git/commondir",
    ],
    { files: { ".git/HEAD": "ref: refs/heads/main", "real/config.toml": "good" }, links: { ".codex": "real" } },
  );
  expect(existsSync(join(at.root, "AGENTS.md"))).toBe(false);
  expect(existsSync(join(at.root, ".git/commondir"))).toBe(false);
  expect(at.text(".codex/config.toml")).toBe("good");
  expect(at.text("AGENTS.md.set-aside-1")).toBe("evil\n");
  expect(at.told[0]).toContain("AGENTS.md.set-aside-1");
});

sandboxed("a repository that a command makes stays if git runs nothing in it, and not otherwise", async () => {
  const aside = async (command: string) => {
    const at = await play([command], { repository: false });
    return [existsSync(join(at.root, ".git/HEAD")), existsSync(join(at.root, ".git.set-aside-1/HEAD"))];
  };
  expect(await aside("git init -q .")).toEqual([true, false]);
  expect(await aside("git init -q . && git config core.fsmonitor ./evil")).toEqual([false, true]);
  expect(await aside("git init -q . && echo evil > .git/hooks/pre-commit")).toEqual([false, true]);
});

sandboxed("secrets are hidden: those of the home directory, Cinch's own, and those of the project", async () => {
  const files = {
    ...{ "me/.ssh/id_ed25519": "CANARY", "me/.netrc": "CANARY", "me/.gitconfig": "plain" },
    ...{ ".env": "CANARY", "deploy.pem": "CANARY", ".env.example": "sample" },
  };
  const script =
    "cat me/.ssh/id_ed25519 me/.netrc me/.gitconfig .env deploy.pem .env.example; ls ../home; echo x > me/.ssh/y";
  // The home directory lies in the project because another one would be in temp, of which nothing is seen.
  const at = await play([script], { files, home: "me" });
  expect(at.told[0]).not.toContain("CANARY");
  expect(at.told[0]).toMatch(/plain.*sample/s);
  expect(at.told[0]).toContain("ls: cannot access '../home'");
  expect(at.told[0]).toContain("[it ran in a sandbox: ");
  expect(existsSync(join(at.root, "me/.ssh/y"))).toBe(false);
  const rules = { sandbox: { mode: "auto" as const }, permissions: { mode: "auto" as const, allow: ["Read(/.env)"] } };
  const named = await play(["cat .env"], { files, settings: rules });
  expect(named.told[0]).toBe("CANARY");
});

sandboxed("it has process ids of its own: others are not seen, and nothing outlives it, whatever it does", async () => {
  const word = `cinch-${process.pid}-${Date.now()}`;
  const at = await play([
    `ls -d /proc/[0-9]* | wc -l; test -e /proc/${process.pid}/environ && grep -c . /proc/${process.pid}/environ
     env -i setsid --fork python3 -c "import time; '${word}'; time.sleep(300)"; kill -9 ${process.pid}; echo alive`,
  ]);
  expect(Number(at.told[0]?.split("\n")[0])).toBeLessThan(10);
  expect(at.told[0]).toContain("alive");
  expect(running(word)).toEqual([]);
});

sandboxed("the network is open, unless a setting closes it", async () => {
  const server = createServer((socket) => socket.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const call = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
  expect((await play([call])).told[0]).toBe("hello");
  const closed = await play([call], {
    settings: { sandbox: { mode: "auto", network: false }, permissions: { mode: "auto" } },
  });
  expect(closed.told[0]).toContain("Connection refused");
});

sandboxed("a command that only reads cannot write the project either", async () => {
  const at = await stage([
    { calls: [{ id: "c", name: "run_command", input: { command: "ls -A" } }] },
    { text: "done" },
  ]);
  const session = await at.open({ settings: { sandbox: { mode: "auto" } } });
  await session.send("go");
  // None of the names that are held while a command writes.
  expect(resultText(at.bodies()[1] as never, "c")).toBe(".git");
});

sandboxed("`sandbox.write` opens further places, also governing ones", async () => {
  const sandbox = { mode: "auto" as const, write: [".vscode", "tools/.cinch"] };
  const at = await play(["echo {} > .vscode/tasks.json"], {
    files: { ".vscode/tasks.json": "" },
    settings: { sandbox, permissions: { mode: "auto" } },
  });
  expect(at.text(".vscode/tasks.json")).toBe("{}\n");
});

const script = "echo x > .cinch/a";
const inside = { files: { ".cinch/x": "" } };
const made = (at: Played) => existsSync(join(at.root, ".cinch/a"));

sandboxed("acceptEdits: the sandbox answers for a command", async () => {
  const at = await play(["echo x > b", script], { mode: "acceptEdits", ...inside });
  expect(at.text("b")).toBe("x\n");
  expect(made(at)).toBe(false);
});

sandboxed("what a person said yes to, or names in a rule, runs outside", async () => {
  const yes = await play([script], { mode: "ask", ...inside, options: { ask: async () => ({ decision: "allow" }) } });
  expect(made(yes)).toBe(true);
  const rule = (allow: string): Settings => ({
    sandbox: { mode: "auto" },
    permissions: { mode: "ask", allow: [allow] },
  });
  expect(made(await play([script], { ...inside, settings: rule("Bash(bash ./c0.sh)") }))).toBe(true);
  expect(made(await play([script], { ...inside, settings: rule("Bash") }))).toBe(false);
});

sandboxed("auto: what cannot be analysed runs inside, what is dangerous does not run", async () => {
  const at = await stage([
    { calls: [{ id: "o", name: "run_command", input: { command: "X=touch; $X opaque.txt" } }] },
    { calls: [{ id: "d", name: "run_command", input: { command: "touch a; sudo touch danger.txt" } }] },
    { text: "done" },
  ]);
  const session = await at.open({ settings: { sandbox: { mode: "auto" }, permissions: { mode: "auto" } } });
  await session.send("go");
  expect(existsSync(join(at.root, "opaque.txt"))).toBe(true);
  expect(resultText(at.bodies()[2] as never, "d")).toContain("Denied (danger)");
  expect(existsSync(join(at.root, "a"))).toBe(false);
});

test("a sandbox that is required and not there ends the session before it begins", async () => {
  const at = await stage([{ text: "done" }]);
  const none = { ...nodeFs, existsSync: (path: string) => !path.endsWith("/bwrap") && nodeFs.existsSync(path) };
  const required = { settings: { sandbox: { required: true } } };
  await expect(at.open({ ...required, fs: none as typeof nodeFs })).rejects.toMatchObject({ exit: 2 });
  const off = { settings: { sandbox: { required: true, mode: "off" as const } } };
  await expect(at.open(off)).rejects.toThrow("sandbox.required is set and there is no sandbox: sandbox.mode is off.");
  expect(at.server.requests).toEqual([]);
});

test("in auto, a sandbox that is not there is one line at the start", async () => {
  const at = await stage([{ text: "done" }]);
  const none = { ...nodeFs, existsSync: (path: string) => !path.endsWith("/bwrap") && nodeFs.existsSync(path) };
  const open = (mode: "ask" | "auto") =>
    at.open({ settings: { sandbox: { mode: "auto" }, permissions: { mode } }, fs: none as typeof nodeFs });
  const { init } = await open("auto");
  expect([init.sandbox, init.notices.filter((text) => text.includes("sandbox"))]).toEqual([
    "none",
    [expect.any(String)],
  ]);
  expect((await open("ask")).init.notices.filter((text) => text.includes("sandbox"))).toEqual([]);
});
