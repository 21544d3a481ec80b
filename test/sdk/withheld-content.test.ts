// The content of a withheld file comes out by no way: not by commands that read it under another name, from the history of a
// repository, through a link, a language server or an instruction file. What a rule lets the model read is not filtered.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.js";
import { resultText, stage, yes } from "../support/stage.js";

const key = "Zq7/pV&w2+Lr9<tK";
const old = "former-8fB2xQ-value";
const line = "the merger closes on the ninth of May";
const files: Record<string, string> = {
  ".env": `API_KEY=${key}\nPIN=4711\nNODE_ENV=production\nSHARED=same-in-the-template\n`,
  ".env.example": "API_KEY=\nSHARED=same-in-the-template\n",
  "private/plan.txt": `Draft\n${line}\n`,
  "empty/x": "",
  "a.txt": "ordinary text\n",
};
const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, stdio: "pipe" });

function lay(root: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, "links"));
  symlinkSync("../.env", join(root, "links/env"));
  symlinkSync("../private", join(root, "links/private"));
}

async function play(
  calls: readonly { name: string; input: Record<string, unknown> }[],
  { permissions = {}, sandbox = "off", ask = false }: { permissions?: object; sandbox?: string; ask?: boolean } = {},
  prepare: (root: string) => void = () => undefined,
) {
  const numbered = calls.map((call, i) => ({ id: `c${i}`, ...call }));
  const at = await stage([...numbered.map((call) => ({ calls: [call as never] })), { text: "done" }]);
  rmSync(join(at.root, ".git"), { recursive: true });
  lay(at.root);
  prepare(at.root);
  const settings = { permissions: { mode: "auto", ...permissions }, sandbox: { mode: sandbox } } as never;
  const session = await at.open({ settings, ...(ask ? { ask: yes } : {}) });
  await session.send("go");
  await session.close();
  return {
    at,
    told: numbered.map(({ id }) => resultText(at.bodies().at(-1), id)),
    sent: at.server.requests.map(({ body }) => body).join("\n"),
  };
}

const run = (command: string) => ({ name: "run_command", input: { command } });
const deny = { deny: ["Read(/private/**)"] };

function committed(root: string): void {
  git(root, "init", "-q");
  writeFileSync(join(root, ".env"), `API_KEY=${old}\n`);
  git(root, "add", "-A", "-f");
  git(root, "commit", "-qm", "one");
  writeFileSync(join(root, ".env"), files[".env"] as string);
  git(root, "commit", "-qam", "two");
}

const leaks = [
  "diff -N .env nothing || true",
  "diff a.txt .env || true",
  "diff .env empty; diff private/plan.txt empty; diff -r private empty || true",
  "grep -rh . . || true",
  "cat links/env links/private/plan.txt",
  "rg -L --hidden . || true",
  "git log -p -- .env; git log -p",
  "git cat-file -p HEAD:.env; git cat-file -p HEAD~1:.env; git show HEAD~1:private/plan.txt",
  "git grep -h . HEAD~1; git grep -h .",
  "base64 .env; base64 -w 20 private/plan.txt | sed 's/^/    /'; base64 -w 12 .env",
  `python3 -c 'import json,urllib.parse as u;t=open(".env").read();print(json.dumps(t),json.dumps(t).replace("/","\\\\/"),json.dumps(t).replace("&","\\\\u0026").replace("<","\\\\u003c"),u.quote(t,safe=""))'`,
  "cp .env copy.txt; cat copy.txt; cat .env > b; tail -n 1 b; head -c 30 b",
];

function noneIn(text: string): void {
  for (const secret of [key, old, line, encodeURIComponent(key), key.replaceAll("/", "\\/")]) {
    expect(text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)), secret).toBe(false);
  }
  const joined = text.replace(/\\n\s*|\s+/g, "");
  for (const secret of [key, line]) {
    for (const before of [0, 1, 2]) {
      const bytes = Buffer.from(`${"x".repeat(before)}${secret}`);
      expect(joined).not.toContain(bytes.toString("base64").slice(4, 4 + Math.floor((secret.length * 4) / 3) - 8));
    }
  }
}

describe("without a sandbox", () => {
  it("no command that was let run shows withheld content", async () => {
    const { sent, told } = await play(leaks.map(run), { permissions: deny, ask: false }, committed);
    noneIn(sent);
    expect(told.length).toBe(leaks.length);
  });

  it("nor does one with a yes that does not name the file", async () => {
    const { sent, told } = await play(
      ["sh ./all.sh", "git log -p"].map(run),
      { permissions: deny, ask: true },
      (root) => {
        committed(root);
        writeFileSync(join(root, "all.sh"), leaks.join("\n"));
      },
    );
    noneIn(sent);
    expect(told[0]).toContain("[redacted:.env]");
    expect(told[0]).toContain("[redacted:private/plan.txt]");
    expect(told[0]).toContain("NODE_ENV=production");
    expect(told[0]).toContain("SHARED=same-in-the-template");
    // Cinch answers this one itself, and leaves out what such files were.
    expect(told[1]).toContain("diff --git a/.env b/.env\n[withheld: ");
  });
});

needs("bwrap")("in a sandbox no command shows withheld content", async () => {
  const { sent } = await play([...leaks, "sh ./all.sh"].map(run), { permissions: deny, sandbox: "auto" }, (root) => {
    committed(root);
    writeFileSync(join(root, "all.sh"), leaks.join("\n"));
  });
  noneIn(sent);
});

it("a search in a copy shows no value; what is withheld follows the file", async () => {
  const { told, sent } = await play(
    [
      { name: "search_text", input: { pattern: "API_KEY" } },
      run("sh ./change.sh"),
      { name: "search_text", input: { pattern: "API_KEY" } },
    ],
    {},
    (root) => {
      writeFileSync(join(root, "copy.txt"), `API_KEY=${key}\nAPI_KEY=another-3kL9-value\n`);
      writeFileSync(join(root, "change.sh"), "echo API_KEY=another-3kL9-value > .env\n");
    },
  );
  expect(told[0]).toContain("another-3kL9-value");
  expect(told[0]).not.toContain(key);
  expect(told[2]).not.toContain("another-3kL9-value");
  expect(sent.includes(key)).toBe(false);
});

describe("what the model may see", () => {
  it("by a rule is not filtered", async () => {
    const { told } = await play([run("cat copy.txt")], { permissions: { allow: ["Read(/.env)"] } }, (root) =>
      writeFileSync(join(root, "copy.txt"), `API_KEY=${key}\n`),
    );
    expect(told[0]).toContain(key);
  });

  it("by a yes to this file is not filtered, and neither is it afterwards", async () => {
    const read = { name: "read_file", input: { path: ".env" } };
    const { told } = await play([run("true"), read, run("sh ./show.sh")], { ask: true }, (root) =>
      writeFileSync(join(root, "show.sh"), "cat .env\n"),
    );
    expect(told[1]).toContain(key);
    expect(told[2]).toContain(key);
  });

  it("by a yes to a command that names it", async () => {
    const { told } = await play([run("cat .env")], { ask: true });
    expect(told[0]).toContain(key);
  });
});

it("an instruction file that leads to a withheld file is not loaded, and that is said", async () => {
  for (const [target, permissions] of [
    [".env", {}],
    ["private/plan.txt", deny],
  ] as const) {
    const at = await stage([{ text: "done" }]);
    lay(at.root);
    symlinkSync(target, join(at.root, "AGENTS.md"));
    const settings = { permissions: { mode: "auto", ...permissions } } as never;
    const session = await at.open({ settings, trust: true });
    await session.send("go");
    await session.close();
    const sent = at.server.requests.map(({ body }) => body).join("\n");
    expect(sent).not.toContain(line);
    expect(sent).not.toContain(JSON.stringify(key).slice(1, -1));
    expect(session.init.notices.join("\n")).toContain(
      "AGENTS.md was left out: it leads to a file whose content is withheld.",
    );
  }
});
