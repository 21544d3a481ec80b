// What of a project is loaded, through the public face: SECURITY A and SEEDS D 72–75 that are about trust.

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createHarness, type HarnessOptions } from "../../src/index.js";
import { stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const write: WireReply = { calls: [{ name: "write_file", input: { path: "a.txt", content: "a\n" } }] };
const rules = (...allow: string[]) => JSON.stringify({ permissions: { allow } });

async function place(replies: WireReply[] = [{ text: "ok" }]) {
  const at = await stage(replies);
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(at.root, name)), { recursive: true });
    writeFileSync(join(at.root, name), text);
  };
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: at.server.url, PATH: process.env["PATH"] };
  const harness = (options: Partial<HarnessOptions> = {}) =>
    createHarness({ cwd: at.root, home: at.home, env, ...options });
  const trust = async (options: Partial<HarnessOptions> = {}) => {
    const { trust: decisions } = harness(options);
    return decisions.approve(await decisions.status());
  };
  const init = async (options: Partial<HarnessOptions> = {}) => (await at.open({ settings: {}, ...options })).init;
  const file = join(at.home, "trust.json");
  return { ...at, put, harness, trust, init, file, env };
}

test("D 72, A 21: an unknown project runs, loads nothing of its own, and nothing is stored", async () => {
  const at = await place([write, { text: "ok" }]);
  at.put("AGENTS.md", "Say banana.");
  at.put(".cinch/settings.json", rules("Edit"));
  const session = await at.open({ settings: {} });
  expect(session.init).toMatchObject({ trust: "untrusted", ignored: ["AGENTS.md", "allow rule Edit"] });
  expect((await session.send("go")).permission_denials).toHaveLength(1);
  expect(JSON.stringify(at.bodies())).not.toContain("banana");
  expect(existsSync(at.file)).toBe(false);
});

test("a recorded project speaks and its rules count, without a flag", async () => {
  const at = await place([write, { text: "ok" }]);
  at.put("AGENTS.md", "Say banana.");
  at.put(".cinch/settings.json", rules("Edit"));
  expect(await at.trust()).toBeNull();
  const session = await at.open({ settings: {} });
  expect(session.init).toMatchObject({ trust: "trusted", ignored: [] });
  expect((await session.send("go")).permission_denials).toEqual([]);
  expect(JSON.stringify(at.bodies()[0])).toContain("banana");
});

test("A 3, 4: endpoint, key, model and mode of a project count in no state", async () => {
  const at = await place();
  const own = {
    permissions: { mode: "auto" },
    model: "openai/x",
    models: { anthropic: { baseUrl: "http://127.0.0.1:9" } },
  };
  at.put(".cinch/settings.json", JSON.stringify({ ...own, env: { pass: ["MY_KEY"] } }));
  for (const trust of [false, true]) {
    const session = await at.open({ settings: {}, trust });
    expect(session.init).toMatchObject({ permission_mode: "ask", model: "anthropic/claude-sonnet-4-5" });
    expect((await session.send("go")).subtype).toBe("success");
    const told = session.init.notices.join("\n");
    for (const key of ["permissions.mode", "model", "models.anthropic.baseUrl", "env.pass"])
      expect(told).toContain(`${key} cannot be set by a project`);
    await session.close();
  }
});

test("D 73, A 5: a .env of the project is never read, so it can neither trust nor move the home", async () => {
  const at = await place();
  at.put("AGENTS.md", "Say banana.");
  at.put(".env", "CINCH_TRUST_PROJECT=1\nCINCH_HOME=.\n");
  expect(await at.init()).toMatchObject({ trust: "untrusted" });
  expect(await at.init({ env: { ...at.env, CINCH_TRUST_PROJECT: "1" } })).toMatchObject({ trust: "trusted" });
  expect(await at.init({ trust: true, env: { ...at.env, CINCH_TRUST_PROJECT: "0" } })).toMatchObject({
    trust: "untrusted",
  });
  expect(existsSync(at.file)).toBe(false);
});

test("D 74: a resource that is new or changed waits; what was approved goes on counting", async () => {
  const at = await place();
  at.put(".cinch/settings.json", rules("Edit"));
  await at.trust();
  at.put(".cinch/settings.json", rules("Edit", "Bash"));
  const init = await at.init();
  expect(init).toMatchObject({ trust: "trusted", ignored: ["allow rule Bash"] });
  expect(init.notices.join("\n")).toMatch(/allow rule Bash.*cinch trust project/);
  const { resources } = await at.harness().trust.status();
  expect(resources.map(({ name, state }) => [name, state])).toEqual([
    ["Edit", "approved"],
    ["Bash", "new"],
  ]);
});

test("D 75, A 22: 0600, and a link to the project is the project", async () => {
  const at = await place();
  at.put("AGENTS.md", "x");
  const link = join(dirname(at.root), "link");
  symlinkSync(at.root, link);
  await at.trust({ cwd: link });
  expect(statSync(at.file).mode & 0o777).toBe(0o600);
  expect(Object.keys(JSON.parse(readFileSync(at.file, "utf8")).projects)).toEqual([at.root]);
  expect((await at.init()).trust).toBe("trusted");
});

test("D 75, A 19: a damaged record trusts nothing, says so, and is kept aside by the next decision", async () => {
  const at = await place();
  at.put("AGENTS.md", "x");
  await at.trust();
  const sound = readFileSync(at.file, "utf8");
  for (const text of ["{", "[]", '{"v":2,"projects":{}}', sound.replace('"inode"', '"inodes"')]) {
    writeFileSync(at.file, text);
    const init = await at.init();
    expect(init.trust).toBe("untrusted");
    expect(init.notices.join("\n")).toContain(`${at.file} is damaged; no project is trusted`);
    expect(readFileSync(at.file, "utf8")).toBe(text);
  }
  const [, aside = ""] = /put aside as (.*)\.$/.exec((await at.trust()) ?? "") ?? [];
  expect(readFileSync(aside, "utf8")).toContain('"inodes"');
  expect((await at.init()).trust).toBe("trusted");
});

test("A 20: a record that others could have written is ignored, and no decision is written over it", async () => {
  const at = await place();
  at.put("AGENTS.md", "x");
  await at.trust();
  chmodSync(at.file, 0o620);
  const init = await at.init();
  expect([init.trust, init.notices.join("\n")]).toEqual([
    "untrusted",
    expect.stringContaining("others may write to it"),
  ]);
  await expect(at.trust()).rejects.toThrow(/others may write to it.*Nothing was changed/);
});

test("A 12: a project of another user is untrusted, record or not", async () => {
  const at = await place();
  at.put("AGENTS.md", "x");
  await at.trust();
  // Only root can give a directory away; everybody else knows one that is root's.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(at.root, 4711, 4711);
  const [cwd, owner] = isRoot ? [at.root, 4711] : ["/usr", 0];
  await expect(at.trust({ cwd })).rejects.toThrow(`belongs to another user (uid ${owner})`);
  if (!isRoot) return;
  const init = await at.init();
  expect([init.trust, init.notices.join("\n")]).toEqual([
    "untrusted",
    expect.stringContaining("belongs to another user"),
  ]);
  expect((await at.init({ trust: true })).trust).toBe("trusted");
});

test("A 13, 14, 18: neither a clone inside, nor one beside, nor another directory of the same name is trusted", async () => {
  const at = await place();
  at.put("AGENTS.md", "x");
  at.put("child/.git/HEAD", "");
  at.put("child/AGENTS.md", "y");
  await at.trust();
  expect((await at.init({ cwd: join(at.root, "child") })).trust).toBe("untrusted");
  const old = `${at.root}-old`;
  renameSync(at.root, old);
  expect((await at.init({ cwd: old })).trust).toBe("untrusted");
  at.put("AGENTS.md", "evil");
  at.put(".git/HEAD", "");
  const init = await at.init();
  expect([init.trust, init.notices.join("\n")]).toEqual([
    "untrusted",
    expect.stringContaining("it is another directory now"),
  ]);
});

test("a directory made anew, even one that gets the same inode, is another project", async () => {
  const at = await place();
  at.put("AGENTS.md", "x");
  await at.trust();
  rmSync(at.root, { recursive: true });
  at.put(".git/HEAD", "");
  at.put("AGENTS.md", "evil");
  expect((await at.init()).trust).toBe("untrusted");
});

test("A 23: `/` and the home directory cannot be trusted", async () => {
  const at = await place();
  await expect(at.trust({ cwd: "/" })).rejects.toThrow("/ is no project");
});

test("A 26: a huge instruction file is cut and a binary one left out, and both are said", async () => {
  const at = await place();
  at.put("AGENTS.md", `begin ${"x".repeat(2_000_000)} end`);
  at.put("sub/AGENTS.md", "text\0binary");
  const session = await at.open({ settings: {}, trust: true, cwd: join(at.root, "sub") });
  await session.send("go");
  const sent = JSON.stringify(at.bodies()[0]);
  expect(sent).toContain("[cut: the file has 2000010 bytes, 32768 are shown]");
  expect([sent.includes("xxx end"), sent.includes("binary"), sent.length < 100_000]).toEqual([false, false, true]);
  const told = session.init.notices.join("\n");
  expect(told).toContain("AGENTS.md was cut: it has 2000010 bytes");
  expect(told).toContain("sub/AGENTS.md is not text (it holds NUL) and was left out");
});

test("A 27: an include is text", async () => {
  const at = await place();
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(dirname(at.root), "id_rsa"), "hunter2");
  at.put("AGENTS.md", "@../id_rsa");
  await (await at.open({ settings: {}, trust: true })).send("go");
  const sent = JSON.stringify(at.bodies()[0]);
  expect([sent.includes("@../id_rsa"), sent.includes("hunter2")]).toEqual([true, false]);
});

test("A 28: characters that cannot be seen are shown, to the user and to the model", async () => {
  const at = await place();
  at.put("AGENTS.md", "one\ntwo\u202e \u{e0041}\u{e0042} 👩‍💻\n");
  const session = await at.open({ settings: {}, trust: true });
  await session.send("go");
  expect(session.init.notices.join("\n")).toContain("AGENTS.md holds 3 invisible characters, first in line 2");
  const sent = at
    .bodies()[0]
    ?.system.map(({ text }) => text)
    .join("\n");
  expect(sent).toContain("two\\u{202e} \\u{e0041}\\u{e0042} 👩‍💻");
  expect(sent).toContain("[3 invisible characters of this file are shown as \\u{…}]");
});

test("what was not shown is not approved", async () => {
  const at = await place();
  at.put(".cinch/settings.json", rules("Edit"));
  const { trust } = at.harness();
  const shown = await trust.status();
  at.put(".cinch/settings.json", rules("Bash"));
  await expect(trust.approve(shown)).rejects.toThrow("changed while it was looked at. Nothing was trusted.");
  expect(existsSync(at.file)).toBe(false);
});
