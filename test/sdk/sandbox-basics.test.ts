// What holds for every command holds inside the sandbox: time-outs, floods, input, directories, environment, undo, git, npm.
// The same promises are tested without it elsewhere; here each is one row.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { needs } from "../support/needs.js";
import { tempDir } from "../support/run.js";
import { resultText, stage } from "../support/stage.js";
import { undo } from "../support/undo.js";

const sandboxed = needs("bwrap", "git", "npm");

interface Row {
  /** Each a script of its own, run in order. */
  scripts: string[];
  input?: { cwd?: string; timeout_seconds?: number };
  files?: Record<string, string>;
  /** What the answer to the last of them begins with, or fits. */
  told?: string | RegExp;
  /** Files afterwards; null = none. */
  left?: Record<string, string | null>;
}

const git = "git -c user.name=a -c user.email=a@b";
const manifest = JSON.stringify({ name: "p", version: "1.0.0", scripts: { test: "node test.js" } });

const rows: Record<string, Row> = {
  "output and exit code": { scripts: ["echo out; echo err >&2; exit 3"], told: "out\nerr\n[exit code 3]" },
  "killed by a signal": { scripts: ["kill -TERM $$"], told: "(no output)\n[exit code 143]" },
  "a time-out": {
    scripts: ["echo begun; sleep 300"],
    input: { timeout_seconds: 1 },
    told: /^begun\n\[timed out after 1 s/,
  },
  "a flood stays bounded": { scripts: ["yes | head -c 5000000"], told: /left out/ },
  "one long line": { scripts: ["head -c 3000000 /dev/zero | tr '\\0' x"], told: /left out/ },
  "bytes that are no text": { scripts: ["printf 'a\\377\\000b'"], told: /^a.*b/s },
  "input is closed": { scripts: ["cat; read x; echo end"], told: "end" },
  "no terminal": { scripts: ["test -t 0 || (: </dev/tty) 2>/dev/null || echo none"], told: "none" },
  "in a directory": { scripts: ["pwd | sed 's|.*/||'"], input: { cwd: "sub" }, files: { "sub/a": "" }, told: "sub" },
  "nothing is carried over": {
    scripts: ["cd /; export X=1; umask 0", 'echo "$(printenv X || echo none) $(umask) $(basename "$PWD")"'],
    told: "none 0022 project",
  },
  "the environment is that of commands": {
    scripts: ['echo "$COLOUR $(printenv DEPLOY_TOKEN ANTHROPIC_API_KEY || echo none)"'],
    told: "blue none",
  },
  "TMPDIR and mktemp": {
    scripts: ['f=$(mktemp) && echo x >"$f" && echo "$TMPDIR $(dirname "$f")"'],
    told: "/tmp /tmp",
  },
  "what it left in the background is gone": {
    scripts: ["(sleep 1; echo late >late) & echo now"],
    told: /^now/,
    left: { late: null },
  },
  "links, modes and directories": {
    scripts: ["mkdir -p d/e; echo x >d/e/f; chmod 755 d/e/f; ln -s e/f d/l; cat d/l; stat -c %a d/e/f"],
    told: /^x\n755/,
    left: { "d/e/f": "x\n" },
  },
  "git init, commit, branch": {
    scripts: [
      `git init -q . && ${git} add -A && ${git} commit -qm one && git switch -qc b && echo 2 >x && ${git} add x && ${git} commit -qm two && git log --format=%s`,
    ],
    told: /^two\none/,
  },
  "git stash, merge, tag in a repository that is there": {
    scripts: [
      "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one",
      `echo 1 >a; git add a; ${git} stash -q && git stash list | wc -l && ${git} stash pop -q && git tag v1 && git status --short a`,
    ],
    told: /^1\nA {2}a/,
  },
  "npm test and a write into its cache": {
    scripts: ['npm test --silent && mkdir -p "$(npm config get cache)/probe" && echo cached'],
    files: { "package.json": manifest, "test.js": 'console.log("1 passing")\n' },
    told: /1 passing\ncached/,
  },
};

for (const [name, { scripts, input = {}, files = {}, told, left = {} }] of Object.entries(rows)) {
  sandboxed(name, async () => {
    const calls = scripts.map((_, i) => ({
      id: `c${i}`,
      name: "run_command",
      input: { ...input, command: `bash ${input.cwd ? "../" : "./"}s${i}.sh` },
    }));
    const at = await stage([...calls.map((call) => ({ calls: [call] })), { text: "done" }]);
    const put = { ...files, ...Object.fromEntries(scripts.map((text, i) => [`s${i}.sh`, text])) };
    for (const [path, text] of Object.entries(put)) {
      mkdirSync(dirname(join(at.root, path)), { recursive: true });
      writeFileSync(join(at.root, path), text);
    }
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: at.server.url, PATH: process.env["PATH"] };
    // A home that is new, and not in temp, of which nothing is seen.
    const more = { HOME: tempDir("cinch-home-"), COLOUR: "blue", DEPLOY_TOKEN: "canary-0123456789", TMPDIR: "/tmp" };
    const session = await at.open({
      settings: { sandbox: { mode: "auto" }, permissions: { mode: "auto" } },
      env: { ...env, ...more },
    });
    expect(session.init.sandbox).toBe("full");
    await session.send("go");
    const answer = resultText(at.bodies()[scripts.length], `c${scripts.length - 1}`);
    await session.close();
    if (typeof told === "string") expect(answer.slice(0, told.length)).toBe(told);
    if (told instanceof RegExp) expect(answer).toMatch(told);
    for (const [path, text] of Object.entries(left))
      expect(existsSync(join(at.root, path)) ? readFileSync(join(at.root, path), "utf8") : null).toBe(text);
  });
}

sandboxed("what a command did is listed, and taken back", async () => {
  const at = await stage([
    { calls: [{ id: "c", name: "run_command", input: { command: "bash ./s.sh" } }] },
    { text: "done" },
  ]);
  for (const [name, text] of [
    ["s.sh", "echo new >a; rm b; echo c >c"],
    ["a", "old\n"],
    ["b", "b\n"],
  ] as const)
    writeFileSync(join(at.root, name), text);
  const session = await at.open({ settings: { sandbox: { mode: "auto" }, permissions: { mode: "auto" } } });
  const { files } = await session.send("go");
  await session.close();
  expect(files.map(({ path }) => path.slice(at.root.length + 1)).sort()).toEqual(["a", "b", "c"]);
  await undo(at, {});
  const text = (name: string) => (existsSync(join(at.root, name)) ? readFileSync(join(at.root, name), "utf8") : null);
  expect(["a", "b", "c"].map(text)).toEqual(["old\n", "b\n", null]);
});
