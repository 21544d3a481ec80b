// Language servers of the shipped program: what it says about them, that a program of the project waits for trust, and that
// none is left behind, whatever ends it. What servers are asked is in test/sdk/lsp.test.ts.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type CliStage, cliStage, type Line } from "../support/cli.js";
import { heard, type Part, scripted, writeProject } from "../support/lsp.js";
import { needsProc } from "../support/needs.js";
import { root } from "../support/run.js";

/** No other server than those of the test is found. */
const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
const definition = (path: string) => ({ tool: "lsp_definition", input: { path, line: 2, column: 5 } });
const files = { "a.def": "def alpha\nuse alpha\n", "a.py": "def alpha\nuse alpha\n" };

interface LspCli extends CliStage {
  log: string;
  settings: string[];
}

function place(script: readonly object[] = []): LspCli {
  const stage = cliStage(script);
  writeProject(stage.project, files);
  const base = dirname(stage.project);
  const file = join(base, "with-servers.json");
  writeFileSync(file, '{"sandbox": {"mode": "off"}, "tools": {"declare": ["lsp"]}}');
  return { ...stage, log: join(base, "server.jsonl"), settings: ["--settings", file] };
}

/** The scripted server in the user's lsp.json. */
function withServer(stage: LspCli, part: Part = {}): void {
  writeFileSync(join(stage.home, "lsp.json"), JSON.stringify(scripted(stage.log, part)));
}

const program = "node_modules/.bin/pyright-langserver";

/** The scripted server as a program of the project that has a known name. */
function inProject(stage: LspCli): void {
  const text = [
    `#!${process.execPath}`,
    `process.argv[2] = ${JSON.stringify(JSON.stringify({ log: stage.log }))};`,
    `await import(${JSON.stringify(join(root, "test/data/lsp/scripted-server.mjs"))});`,
  ];
  mkdirSync(join(stage.project, dirname(program)), { recursive: true });
  writeFileSync(
    join(stage.project, "node_modules/package.json"),
    '{"name": "pyright", "version": "1.0.0", "type": "module"}',
  );
  writeFileSync(join(stage.project, program), `${text.join("\n")}\n`);
  chmodSync(join(stage.project, program), 0o755);
}

const started = (stage: LspCli) => heard(stage.log).flatMap(({ started }) => started ?? []);

async function isGone(pid: number): Promise<void> {
  const lives = () =>
    existsSync(`/proc/${pid}`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  await expect.poll(lives, { timeout: 50_000, interval: 20 }).toBe(false);
}

interface Server {
  name: string;
  state: string;
  source: string;
  why: string;
}

async function serversOf(stage: LspCli): Promise<Server[]> {
  const { stdout } = await stage.bare(["lsp", "status", "--json", ...stage.settings], { env });
  return (JSON.parse(stdout) as { servers: Server[] }).servers;
}

test("`cinch lsp status` and doctor say what serves which files, where it is from, and what is wrong in lsp.json", async () => {
  const stage = place();
  withServer(stage);
  expect(await serversOf(stage)).toContainEqual(
    expect.objectContaining({ name: "scripted", state: "ready", source: "lsp.json", extensions: [".def"], why: "" }),
  );
  const { exit, stdout } = await stage.bare(["lsp", "status", ...stage.settings], { env });
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^ready {5}scripted {3}\.def {3}\(lsp\.json\)$/m)]);
  expect(stdout).toMatch(/^missing {3}pyright {3}\.py \.pyi {3}\(built-in\)\n +pyright-langserver was not found$/m);
  const findings = async (...args: string[]) => {
    const doctor = await stage.bare(["doctor", "--json", ...args], { env });
    const all = (JSON.parse(doctor.stdout) as { findings: { about: string; state: string; text: string }[] }).findings;
    return all.filter(({ about }) => about === "languages");
  };
  expect(await findings()).toContainEqual(
    expect.objectContaining({ state: "ok", text: expect.stringMatching(/^scripted serves \.def with /) }),
  );
  const without = join(dirname(stage.project), "without.json");
  writeFileSync(without, '{"lsp": {"disabled": ["scripted"]}}');
  expect(await findings("--settings", without)).toContainEqual(
    expect.objectContaining({ state: "note", text: "scripted would serve .def: lsp.disabled names it" }),
  );
  writeFileSync(join(stage.home, "lsp.json"), '{"odd": {"command": "x", "extensions": [".x"]}}');
  expect(await findings()).toContainEqual(
    expect.objectContaining({ state: "wrong", text: expect.stringContaining('"odd" is left out: command must be') }),
  );
  expect((await stage.bare(["lsp", "status"], { env })).stdout).toContain('"odd" is left out');
  expect((await stage.bare(["lsp", "restart"], { env })).exit).toBe(2);
  // Nothing of this starts one.
  expect(started(stage)).toEqual([]);
});

test("a server in node_modules/.bin starts only with trust, and no longer when it is another program", async () => {
  const stage = place([{ calls: [definition("a.py")] }, { text: "done" }]);
  inProject(stage);
  const go = (...args: string[]) =>
    stage.run(["-p", "go", "--output-format", "stream-json", ...stage.settings, ...args], { env });
  const pyright = async () => (await serversOf(stage)).find(({ name }) => name === "pyright");
  expect(await pyright()).toMatchObject({
    state: "untrusted",
    why: expect.stringMatching(/^its program lies in the project; `cinch trust project` shows and approves it/),
  });
  await go();
  expect(started(stage)).toEqual([]);

  expect((await stage.bare(["trust", "project", "--yes"], { env })).stdout).toContain("pyright");
  expect(await pyright()).toMatchObject({ state: "ready" });
  expect((await go()).stdout).toContain("1 definition in 1 file\\na.py\\n  1:5: def alpha");
  expect(started(stage)).toHaveLength(1);

  writeFileSync(join(stage.project, program), `${readFileSync(join(stage.project, program), "utf8")}// another\n`);
  expect(await pyright()).toMatchObject({ state: "untrusted" });
  await go();
  expect(started(stage)).toHaveLength(1);
});

test("a server starts with a directory on PATH that can't be examined", async () => {
  const stage = place([{ calls: [definition("a.def")] }, { text: "{{result:-1}}" }]);
  withServer(stage);
  const PATH = `${join(stage.home, "n".repeat(300))}:${process.env["PATH"]}`;
  const { stdout } = await stage.run(["-p", "go", ...stage.settings], { env: { ...env, PATH } });
  expect(stdout).not.toContain("internal error");
  expect(started(stage)).toHaveLength(1);
});

test("an approved program that is changed while the session is open is not started", async () => {
  const change = { tool: "run_command", input: { command: `echo '// another' >> ${program}` } };
  const stage = place([{ calls: [change] }, { calls: [definition("a.py")] }, { text: "done" }]);
  inProject(stage);
  await stage.bare(["trust", "project", "--yes"], { env });
  const args = ["-p", "go", "--permission-mode", "auto", "--output-format", "stream-json", ...stage.settings];
  const { stdout } = await stage.run(args, { env });
  expect(stdout).toContain("The language server pyright was not started: it has changed since it was approved");
  expect(started(stage)).toEqual([]);
});

for (const ending of ["SIGKILL", "SIGTERM"] as const)
  needsProc(`${ending} of Cinch leaves no server, not even one that does not want to end`, async () => {
    const wait = { tool: "run_command", input: { command: "touch asked; sleep 300" } };
    const stage = place([{ calls: [definition("a.def")] }, { calls: [wait] }, { text: "done" }]);
    withServer(stage, { stays: true });
    const cli = stage.start(["-p", "go", "--permission-mode", "auto", ...stage.settings]);
    await expect.poll(() => existsSync(join(stage.project, "asked")), { timeout: 40_000 }).toBe(true);
    const [pid = 0] = started(stage);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    cli.child.kill(ending);
    await cli.done;
    await isGone(pid);
  });

needsProc("a run that ends leaves no server, and one that exits by itself is told and leaves nothing", async () => {
  const stage = place([{ calls: [definition("a.def")] }, { calls: [definition("a.def")] }, { text: "done" }]);
  withServer(stage, { faults: { "textDocument/definition": "crash" } });
  const cli = stage.start(["-p", "go", "--output-format", "stream-json", ...stage.settings]);
  const results = (line: Line) => JSON.stringify(line).includes("is gone: it ended with exit code 7");
  await cli.line(results);
  expect((await cli.done).stdout).toContain("1 definition in 1 file");
  expect(started(stage)).toHaveLength(2);
  for (const pid of started(stage)) await isGone(pid);
});

test("`cinch undo` takes a rename back in every file", async () => {
  const rename = { tool: "lsp_rename", input: { path: "a.def", symbol: "alpha", new_name: "omega" } };
  const stage = place([{ calls: [definition("b.def")] }, { calls: [rename] }, { text: "done" }]);
  const texts = { "a.def": "def alpha\nuse alpha\n", "b.def": "def beta\nuse alpha\n" };
  writeProject(stage.project, texts);
  withServer(stage);
  const now = () => Object.keys(texts).map((name) => readFileSync(join(stage.project, name), "utf8"));
  const { exit, stderr } = await stage.run(["-p", "go", "--permission-mode", "auto", ...stage.settings], { env });
  expect(exit, stderr).toBe(0);
  expect(now()).toEqual(["def omega\nuse omega\n", "def beta\nuse omega\n"]);
  const { stdout } = await stage.bare(["undo", "--yes"]);
  expect(stdout).toMatch(/restore {2}a\.def\n {2}restore {2}b\.def/);
  expect(now()).toEqual(Object.values(texts));
});
