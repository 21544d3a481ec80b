// `cinch trust` and `/trust` of the shipped program, and the exit code of an argument that names what is not trusted.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

function place() {
  const stage = cliStage([{ text: "hello" }]);
  mkdirSync(join(stage.project, ".cinch"));
  writeFileSync(join(stage.project, "AGENTS.md"), "Be brief.");
  const allow = (...rules: string[]) =>
    writeFileSync(join(stage.project, ".cinch/settings.json"), JSON.stringify({ permissions: { allow: rules } }));
  allow("Edit(src/**)");
  return { ...stage, allow, file: join(stage.home, "trust.json") };
}

test("status, project --yes and revoke, with --json and without", async () => {
  const { bare, file, allow } = place();
  const status = async () => JSON.parse((await bare(["trust", "status", "--json"])).stdout);
  expect(await status()).toMatchObject({
    trusted: false,
    since: null,
    instructions: ["AGENTS.md"],
    resources: [{ kind: "allow rule", name: "Edit(src/**)", state: "new" }],
  });
  const asked = await bare(["trust", "project"]);
  expect([asked.exit, asked.stderr, existsSync(file)]).toEqual([2, expect.stringContaining("--yes"), false]);
  expect(asked.stdout).toMatch(/Would speak to the model: AGENTS\.md\n.*\n +new +allow rule Edit\(src/);
  expect((await bare(["trust", "project", "--yes"])).exit).toBe(0);
  expect(await status()).toMatchObject({ trusted: true, resources: [{ state: "approved" }] });
  const { rules } = JSON.parse((await bare(["permissions", "list", "--json"])).stdout);
  expect(rules).toMatchObject([{ list: "allow", text: "Edit(src/**)", state: "set" }]);
  allow("Edit(src/**)", "Bash");
  const again = await bare(["trust", "project", "--yes", "--json"]);
  expect(JSON.parse(again.stdout).resources.map(({ state }: { state: string }) => state)).toEqual([
    "approved",
    "approved",
  ]);
  expect((await bare(["trust", "revoke", "--json"])).stdout).toBe('{"revoked":true}\n');
  expect((await bare(["trust", "revoke"])).stdout).toMatch(/Nothing was on record/);
  expect(await status()).toMatchObject({ trusted: false });
});

test("A 2: what this version has no use for is listed as found, and no trust loads it", async () => {
  const { bare, project, run } = place();
  writeFileSync(join(project, ".mcp.json"), '{"mcpServers": {"one": {"command": "touch canary"}}}');
  for (const name of ["skills", "plugins", "hooks"]) mkdirSync(join(project, ".cinch", name));
  mkdirSync(join(project, ".claude"));
  writeFileSync(join(project, ".claude/settings.json"), '{"hooks": {}}');
  const paths = [".mcp.json", ".cinch/skills", ".cinch/plugins", ".claude/settings.json"];
  const status = JSON.parse((await bare(["trust", "status", "--json"])).stdout);
  expect(status.not_loaded.map(({ path }: { path: string }) => path)).toEqual(paths);
  expect((await bare(["trust"])).stdout).toMatch(/not loaded by this version.*\n {2}\.mcp\.json \(MCP servers\)/);
  for (const trust of [[], ["--trust"]]) {
    const { stdout, stderr } = await run(["-p", "x", "--output-format", "stream-json", ...trust]);
    expect(jsonLines(stdout)[0]?.["ignored"]).toEqual(expect.arrayContaining(paths));
    expect(stderr).not.toContain(".mcp.json");
  }
  expect(existsSync(join(project, "canary"))).toBe(false);
});

test("/trust project only lists; its code trusts exactly what it listed", async () => {
  const { run, file, allow } = place();
  const listed = (await run(["-p", "/trust project"])).stdout;
  const [, code = ""] = /\/trust project ([0-9a-f]{6})/.exec(listed) ?? [];
  expect([listed.includes("Edit(src/**)"), existsSync(file)]).toEqual([true, false]);
  allow("Bash");
  expect((await run(["-p", `/trust project ${code}`])).stdout).toContain("nothing was trusted");
  expect(existsSync(file)).toBe(false);
  allow("Edit(src/**)");
  expect((await run(["-p", `/trust project ${code}`])).stdout).toBe("Trusted, from the next session on.\n");
  expect((await run(["-p", "/trust"])).stdout).toMatch(/is trusted, since/);
  expect((await run(["-p", "/trust revoke"])).stdout).toMatch(/No longer trusted/);
});

test("exit 7 before the first request when an argument names a resource of the project, not when it is trusted", async () => {
  const { run, project } = place();
  writeFileSync(join(project, ".cinch/schema.json"), "{}");
  for (const named of [
    ["--settings", ".cinch/settings.json"],
    ["--json-schema", ".cinch/schema.json"],
  ]) {
    const args = ["-p", "x", ...named, "--output-format", "json"];
    const refused = await run(args);
    expect([refused.exit, jsonLines(refused.stdout)[0]?.subtype]).toEqual([7, "error_denied"]);
    expect(refused.stderr).toMatch(/^.* and this project is not trusted; --trust trusts it.* Nothing was run\.\n/);
    expect(await run([...args, "--trust"])).not.toMatchObject({ exit: 7 });
  }
});

test("a subcommand goes by no settings of a project that is not trusted either", async () => {
  const { bare, project } = place();
  const args = ["permissions", "explain", "ls", "--settings", join(project, ".cinch/settings.json")];
  const refused = await bare(args);
  expect([refused.exit, refused.stdout]).toEqual([7, ""]);
  expect(refused.stderr).toMatch(/^.*not trusted; CINCH_TRUST_PROJECT=1/);
  expect((await bare(args, { env: { CINCH_TRUST_PROJECT: "1" } })).exit).toBe(0);
});

test("A 23: the home directory cannot be trusted, and a run in it loads nothing", async () => {
  const { bare, run, project, file } = place();
  const env = { HOME: project };
  const refused = await bare(["trust", "project", "--yes"], { env });
  expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("is no project")]);
  const { stdout } = await run(["-p", "x", "--output-format", "stream-json"], { env });
  expect(jsonLines(stdout)[0]).toMatchObject({ trust: "untrusted" });
  expect(existsSync(file)).toBe(false);
});
