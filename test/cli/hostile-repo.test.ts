// A repository with every trick of SECURITY §3 A (test/support/hostile-repo.ts), opened as somebody who has just cloned it
// would: a fresh home, no trust, a careless PATH. Nothing of it is executed, nothing it names is connected to, and nothing it
// says moves a home, a mode or an address. Each program is traced with everything it starts.

import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import buildDist from "../support/build.js";
import { type HostileRepo, makeHostileRepo } from "../support/hostile-repo.js";
import { needs } from "../support/needs.js";
import { bin, cleanEnv, plainDir } from "../support/run.js";

beforeAll(buildDist);

interface Place {
  repo: HostileRepo;
  home: string;
  /** Requests that reached the address the repository names. */
  trapped: string[];
  /** Runs the program where a user would, traced; what it did lies in `trace`. */
  run(args: readonly string[], options?: { cwd?: string; script?: readonly object[] }): Promise<Traced>;
}

interface Traced {
  exit: number | null;
  stdout: string;
  stderr: string;
  /** Programs started, from the first character of their path. */
  started: string[];
  /** Addresses beyond this machine. */
  reached: string[];
  /** Files of the repository that were opened, from its root. */
  opened: string[];
}

/** Where the sandbox works, it would keep much of it away: without it nothing but the decisions does. */
async function place({ sandboxed = false } = {}): Promise<Place> {
  const base = plainDir();
  const trapped: string[] = [];
  const server = await trap(trapped);
  const { port } = server.address() as AddressInfo;
  const repo = makeHostileRepo(base, `http://127.0.0.1:${port}`);
  const home = join(base, "home");
  mkdirSync(join(home, ".config/cinch"), { recursive: true });
  if (!sandboxed) writeFileSync(join(home, ".config/cinch/settings.json"), '{"sandbox": {"mode": "off"}}');
  const log = join(base, "trace");
  const env = { ...cleanEnv({ HOME: home, PATH: repo.path }) };
  for (const name of Object.keys(env)) if (name.startsWith("XDG_")) delete env[name];
  const traced = ["-f", "-qq", "-s", "300", "-e", "trace=execve,execveat,connect,sendto,open,openat", "-o", log];
  return {
    repo,
    home,
    trapped,
    run: (args, { cwd = repo.root, script } = {}) => {
      const file = join(base, "script.json");
      if (script) writeFileSync(file, JSON.stringify(script));
      const model = script ? ["-m", `scripted/${file}`] : [];
      const words = [...traced, process.execPath, bin, ...args, ...model];
      return new Promise((resolve) => {
        const child = execFile("/usr/bin/strace", words, { cwd, env }, (_error, stdout, stderr) => {
          resolve({ exit: child.exitCode, stdout, stderr, ...readTrace(readFileSync(log, "utf8"), repo.root) });
        });
        child.stdin?.end();
      });
    },
  };
}

function trap(trapped: string[]): Promise<Server> {
  const server = createServer((request, response) => {
    trapped.push(`${request.method} ${request.url}`);
    response.end();
  });
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function readTrace(trace: string, root: string): Pick<Traced, "started" | "reached" | "opened"> {
  const lines = trace.split("\n");
  const found = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  return {
    started: found(/\bexecve(?:at)?\((?:AT_FDCWD, )?"([^"]*)"/),
    reached: lines.filter((line) => /AF_INET/.test(line) && !/"127\.|"::1"|"::ffff:127\./.test(line)),
    opened: found(/\bopen(?:at)?\((?:AT_FDCWD, )?"([^"]*)"/)
      .filter((path) => path.startsWith(`${root}/`) || !path.startsWith("/"))
      .map((path) => path.replace(`${root}/`, "")),
  };
}

function expectNothing({ repo, trapped }: Place, what: string, { started, reached }: Traced): void {
  expect(started.length, what).toBeGreaterThan(0);
  expect([started.filter((path) => !path.startsWith("/") || path.startsWith(repo.root)), reached], what).toEqual([
    [],
    [],
  ]);
  expect([repo.sprung(), trapped], what).toEqual([[], []]);
}

const command = (text: string) => ({ tool: "run_command", input: { command: text } });
const call = (tool: string, input: object) => ({ tool, input });

/** What an agent does first in a repository that it does not know. */
const looks = [
  {
    calls: [
      call("list_files", { path: "." }),
      call("find_files", { glob: "**/*" }),
      call("search_text", { pattern: "evil|touch" }),
      call("read_file", { path: "README.md" }),
    ],
  },
  {
    calls: [
      ...[
        "ls -la",
        "cat README.md",
        "git status",
        "git log --oneline -3",
        "git diff",
        "git show HEAD",
        "git blame README.md",
      ],
      ...["git -C linked status", "git -C bare log", "cd bare && git status", "cd linked && git diff", "git st"],
      ...[
        "rg fine",
        "grep -r fine .",
        "find . -name '*.md'",
        "head -1 README.md && git branch",
        "ls node_modules | head -2",
      ],
    ].map(command),
  },
  { calls: ["npm test", "./git status", "node index.js", "git commit -am x", "sh .cinch/hooks/start.sh"].map(command) },
  { calls: [call("write_file", { path: "made.txt", content: "made\n" })] },
  { text: "That is all." },
];

const subcommands = [
  ["doctor"],
  ["trust"],
  ["trust", "status", "--json"],
  ["sessions"],
  ["tree"],
  ["models"],
  ["config", "--explain"],
  ["permissions", "list"],
  ["permissions", "explain", "git status"],
];

async function looksAround(sandboxed: boolean): Promise<void> {
  const at = await place({ sandboxed });
  const run = await at.run(["-p", "look around", "--output-format", "stream-json"], { script: looks });
  expectNothing(at, "-p", run);
  // It did look: programs of the system ran, and what may not run unasked was denied.
  expect([run.exit, run.started.some((path) => path.endsWith("/rg"))]).toEqual([7, true]);
  const init = JSON.parse(run.stdout.split("\n")[0] ?? "");
  expect(init).toMatchObject({ trust: "untrusted", permission_mode: "ask" });
  expect(init.ignored).toEqual(
    expect.arrayContaining([
      "AGENTS.md",
      ".mcp.json",
      ".cinch/plugins",
      ".claude/settings.json",
      "allow rule Bash",
      expect.stringContaining("hook SessionStart: touch "),
    ]),
  );
  expect(existsSync(join(at.repo.root, "made.txt"))).toBe(false);
  expect(run.stderr).not.toContain("\u202e");
  // A 5: what it keeps lies where the user's environment says.
  expect(readdirSync(join(at.home, ".local/state/cinch"))).toContain("sessions");
  expect(existsSync(join(at.home, "../moved-home"))).toBe(false);
}

describe("a hostile repository that nobody trusts", () => {
  const first = "A 1 to 11, 21, 26 to 28, 30: an agent looks around in it, and nothing springs";
  needs("strace", "git")(first, () => looksAround(false));
  needs("strace", "git", "bwrap")(`${first}, in the sandbox`, () => looksAround(true));

  needs("strace", "git")(
    "A 2, 5, 6: a prompt that needs no tool starts nothing and opens only its settings and what it names of agents and servers",
    async () => {
      const at = await place();
      const run = await at.run(["-p", "hello", "--output-format", "json"], { script: [{ text: "hello" }] });
      expectNothing(at, "-p hello", run);
      expect([run.exit, run.started]).toEqual([0, [process.execPath]]);
      expect(new Set(run.opened)).toEqual(new Set([".cinch/agents", ".cinch/lsp.json", ".cinch/settings.json"]));
    },
  );

  needs("strace", "git")(
    "A 7, 8: git that may run is the system's, whatever PATH, hooks and attributes say",
    async () => {
      const at = await place();
      writeFileSync(join(at.repo.root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
      rmSync(join(at.repo.root, "sub/.git"), { recursive: true });
      const script = [
        { calls: ["git status", "git log -1", "git diff", "grep fine README.md"].map(command) },
        { text: "so" },
      ];
      const run = await at.run(["-p", "look"], { script });
      expectNothing(at, "git", run);
      // The three of the model, and those that look for earlier versions of withheld files.
      const started = run.started.filter((path) => path.endsWith("/git"));
      expect([run.exit, new Set(started).size]).toEqual([0, 1]);
      expect(started.length).toBeGreaterThanOrEqual(3);
    },
  );

  needs("strace", "git")("a submodule asks as well: git obeys its configuration and not what it was told", async () => {
    const at = await place();
    writeFileSync(join(at.repo.root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
    const run = await at.run(["-p", "look"], { script: [{ calls: [command("git status"), command("git diff")] }, {}] });
    expectNothing(at, "git status", run);
    expect(run.exit).toBe(7);
  });

  needs("strace", "git")("every command that only looks starts nothing of it", async () => {
    const at = await place();
    for (const args of subcommands) expectNothing(at, args.join(" "), await at.run(args));
  });

  needs("strace", "git")("A 10, 11: nor from inside a linked and a bare repository", async () => {
    const at = await place();
    const script = [{ calls: ["git status", "git log", "git diff"].map(command) }, { text: "so" }];
    for (const cwd of [at.repo.linked, at.repo.bare]) {
      expectNothing(at, cwd, await at.run(["-p", "look"], { cwd, script }));
      expectNothing(at, `doctor in ${cwd}`, await at.run(["doctor"], { cwd }));
    }
  });

  test("the tricks are real: git, npm and PATH do play them", () => {
    const repo = makeHostileRepo(plainDir(), "http://127.0.0.1:9");
    const run = (program: string, args: string[], cwd: string, PATH = process.env["PATH"]) =>
      spawnSync(program, args, { cwd, env: cleanEnv(PATH === undefined ? {} : { PATH }), stdio: "ignore" });
    run("git", ["status"], repo.root);
    run("git", ["status"], repo.linked);
    run("git", ["status"], repo.bare);
    run("/bin/bash", ["-c", "git status"], repo.root, repo.path);
    run("/bin/bash", ["-c", "rg fine"], repo.root, `.:${process.env["PATH"]}`);
    run(process.execPath, ["index.js"], repo.root);
    run("/bin/sh", [".cinch/hooks/start.sh"], repo.root);
    writeFileSync(join(repo.root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
    run("git", ["status"], repo.root);
    expect(repo.sprung()).toEqual(
      expect.arrayContaining([
        ...["bare-core.fsmonitor", "config-core.fsmonitor", "linked-core.fsmonitor", "sub-core.fsmonitor"],
        ...[".cinch-hooks-start.sh", "dot-rg", "path-git", "required"],
      ]),
    );
  });
});
