// Permissions through the public face: SECURITY group B, C 82 and 83, SEEDS D 76, 77 and 79. A denial is looked for on the
// disk. How a question is put and answered is approvals.test.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Approval } from "../../src/index.js";
import { pathCases } from "../support/path-cases.js";
import { type Ask, done, play, run, type Settings, write } from "../support/permissions.js";
import { type Stage, stage } from "../support/stage.js";

const stateFiles = ({ home }: Stage) => {
  const dir = join(home, "permissions");
  return existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : [];
};

describe("D 76: modes without anybody to ask", () => {
  it.each([
    ["ask", false, false, 7],
    ["acceptEdits", true, false, 7],
    ["auto", true, true, 0],
    ["plan", false, false, 0],
  ] as const)("%s", async (mode, wrote, ran, exit) => {
    const at = await play([write("a.txt"), run("touch b.txt")], { permissions: { mode } });
    const result = await at.go();
    expect([at.has("a.txt"), at.has("b.txt"), result.exit_code]).toEqual([wrote, ran, exit]);
  });
});

describe("SPEC 1.19: what would have allowed it is named", () => {
  it.each([
    [write("a.txt"), "ask", "--permission-mode acceptEdits"],
    [write("a.txt"), "ask", "--allow 'Edit(/a.txt)'"],
    [run("touch b"), "acceptEdits", "--permission-mode auto"],
    [write(".mcp.json"), "auto", "--input-format stream-json"],
  ] as const)("%j in %s: %s", async (call, mode, flag) => {
    const result = await (await play([call], { permissions: { mode } })).go();
    expect([result.exit_code, result.detail]).toEqual([7, expect.stringContaining(flag)]);
  });
});

describe("rules", () => {
  it("B 36: deny beats allow and every mode; a link is judged by where it leads", async () => {
    const permissions = { mode: "auto", allow: ["Edit"], deny: ["Edit(locked/**)", "Bash(touch *)"] } as const;
    const settings: Settings = { permissions: { ...permissions, allow: ["Edit"], deny: [...permissions.deny] } };
    const at = await play([write("locked/a"), write("free/a"), write("link/b"), run("touch c")], settings);
    mkdirSync(join(at.root, "locked"));
    symlinkSync("locked", join(at.root, "link"));
    await at.go();
    expect(["locked/a", "free/a", "locked/b", "c"].map(at.has)).toEqual([false, true, false, false]);
    expect(at.told(0)).toContain("deny Edit(locked/**)");
  });

  it("an allow rule answers without a question; an ask rule asks in auto", async () => {
    const at = await play([write("src/a"), write("b")], { permissions: { mode: "ask", allow: ["Edit(src/**)"] } });
    await at.go();
    expect([at.has("src/a"), at.has("b")]).toEqual([true, false]);
    const asks = await play([write("src/a")], { permissions: { mode: "auto", ask: ["Edit(src/**)"] } });
    expect((await asks.go()).exit_code).toBe(7);
  });

  it("rules of a project: deny counts, allow waits for trust, mode never", async () => {
    const calls = [write("src/a"), write("no/b")];
    for (const trust of [false, true]) {
      const at = await play(calls, { permissions: { mode: "ask" } });
      mkdirSync(join(at.root, ".cinch"));
      const own = { permissions: { mode: "auto", allow: ["Edit"], deny: ["Edit(no/**)"] } };
      writeFileSync(join(at.root, ".cinch/settings.json"), JSON.stringify(own));
      const session = await at.open({ settings: { permissions: { mode: "ask" } }, trust });
      await session.send("go");
      expect([at.has("src/a"), at.has("no/b"), session.init.permission_mode]).toEqual([trust, false, "ask"]);
      expect(session.init.notices.join("\n")).toContain("permissions.mode cannot be set by a project");
      expect(session.init.ignored).toEqual(trust ? [] : ["allow rule Edit"]);
    }
  });

  it("a bad rule is exit 2 with the tools there are", async () => {
    const { open } = await stage([done]);
    await expect(open({ settings: { permissions: { deny: ["Wirte"] } } })).rejects.toMatchObject({
      exit: 2,
      message: expect.stringMatching(/no tool Wirte; tools are Write, /),
    });
  });

  it("what may not be read is not found by searching either", async () => {
    const search = { id: "s", name: "search_text", input: { pattern: "needle" } };
    const read = { id: "q", name: "read_file", input: { path: "private/a" } };
    const at = await play([search, read], { permissions: { mode: "auto", deny: ["Read(private/**)"] } });
    mkdirSync(join(at.root, "private"));
    writeFileSync(join(at.root, "private/a"), "needle canary\n");
    writeFileSync(join(at.root, "b"), "needle open\n");
    await at.go();
    expect(at.told(0)).toContain("needle open");
    expect(at.server.requests.map(({ body }) => body).join("")).not.toContain("canary");
  });
});

describe("B 52: protected names (P084 to P103)", () => {
  const rows = pathCases.filter((row) => row.protected_write);
  it("are asked about in auto, and nothing is written without an answer", async () => {
    const set = await stage([{ calls: rows.map(({ path, id }) => write(path, id)) }, done]);
    const session = await set.open({ settings: { permissions: { mode: "auto", allow: ["Edit", "Write"] } } });
    const result = await session.send("go");
    expect(result.permission_denials.map(({ tool_use_id }) => tool_use_id)).toEqual(rows.map(({ id }) => id));
    expect(rows.filter(({ path }) => existsSync(join(set.root, path)))).toEqual([]);
  });

  it("are written with a yes, which is not remembered", async () => {
    const asked: Approval[] = [];
    const at = await play(
      [write(".mcp.json", "a"), write(".npmrc", "b")],
      { permissions: { mode: "acceptEdits" } },
      async (question) => {
        asked.push(question);
        return { decision: "allow", remember: true };
      },
    );
    await at.go();
    expect([at.has(".mcp.json"), at.has(".npmrc")]).toEqual([true, true]);
    expect(asked.map(({ rule }) => rule)).toEqual([null, null]);
    expect(stateFiles(at)).toEqual([]);
  });
});

describe("C 82, 83: secret files", () => {
  const read = { id: "q", name: "read_file", input: { path: ".env" } };
  const search = { id: "s", name: "search_text", input: { pattern: "KEY" } };
  const edit = { id: "e", name: "edit_file", input: { path: ".env", old_string: "a", new_string: "b" } };
  const append = { id: "p", name: "append_file", input: { path: ".env", content: "B=1\n" } };
  const over = { id: "o", name: "write_file", input: { path: ".env", content: "A=1\n" } };
  const clobber = run("echo C=2 >> .env");
  const plant = (at: Stage) => {
    writeFileSync(join(at.root, ".env"), "KEY=canary-1234\nOTHER=2\n");
    writeFileSync(join(at.root, ".gitignore"), "");
  };

  it("no tool brings their content to the model without a yes", async () => {
    const at = await play([read, search, edit, over, append, clobber], { permissions: { mode: "auto" } });
    plant(at);
    await at.go();
    expect(at.told(0)).toMatch(/^Denied \(secret\): .*withheld/);
    expect(at.server.requests.map(({ body }) => body).join("")).not.toContain("canary");
    expect(readFileSync(join(at.root, ".env"), "utf8")).toContain("canary-1234\nOTHER=2\nB=1\n");
  });

  it("a yes shows it, and so does a rule with its path", async () => {
    const asked = await play([read], { permissions: { mode: "auto" } }, async () => ({ decision: "allow" }));
    plant(asked);
    await asked.go();
    expect(asked.told(0)).toContain("canary");
    const ruled = await play([read, search], { permissions: { mode: "ask", allow: ["Read(/.env)"] } });
    plant(ruled);
    await ruled.go();
    expect(ruled.told(0)).toContain("canary");
    expect(ruled.told(1)).toContain("canary");
  });
});

describe("always", () => {
  it("B 53: the narrowest rule, in the user's state, 0600, for this project; the next session is not asked", async () => {
    const asked: Approval[] = [];
    const ask: Ask = async (question) => {
      asked.push(question);
      return { decision: "allow", remember: true };
    };
    const at = await play([write("a.txt"), write("b.txt", "v")], { permissions: { mode: "ask" } }, ask);
    mkdirSync(join(at.root, "src/deep"), { recursive: true });
    await at.go({ cwd: join(at.root, "src/deep") });
    expect(asked.map(({ rule }) => rule)).toEqual(["Edit(/src/deep/a.txt)", "Edit(/src/deep/b.txt)"]);
    const [file = "", ...others] = stateFiles(at);
    expect(others).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8")).rules).toHaveLength(2);
    expect(readdirSync(at.root).sort()).toEqual([".git", "src"]);
  });

  it("answers the next question of the same kind in the same run, and of a later session; not a wider one", async () => {
    const asked: string[] = [];
    const append = (id: string, path: string) => ({ id, name: "append_file", input: { path, content: "x\n" } });
    const at = await play(
      [append("1", "a"), append("2", "a"), append("3", "ab")],
      { permissions: { mode: "ask" } },
      async ({ summary }) => {
        asked.push(summary);
        return asked.length === 1 ? { decision: "allow", remember: true } : { decision: "deny" };
      },
    );
    await at.go();
    expect(asked).toHaveLength(2);
    expect([readFileSync(join(at.root, "a"), "utf8"), at.has("ab")]).toEqual(["x\nx\n", false]);
  });

  it("a file of rules that others may write, or that is damaged, grants nothing", async () => {
    const at = await play([write("a")], { permissions: { mode: "ask" } }, async () => ({
      decision: "allow",
      remember: true,
    }));
    await at.go();
    const [file = ""] = stateFiles(at);
    for (const text of ["{", JSON.stringify({ v: 1, root: "/elsewhere", rules: [{ rule: "Edit", since: "x" }] })]) {
      writeFileSync(file, text);
      const again = await stage([{ calls: [write("b")] }, done]);
      const session = await again.open({ cwd: at.root, home: at.home, settings: { permissions: { mode: "ask" } } });
      expect((await session.send("go")).exit_code).toBe(7);
      expect(again.events).toContainEqual(expect.objectContaining({ type: "notice", code: "permissions" }));
    }
  });
});

describe("D 79: tools of any kind come to the same gate", () => {
  it("behind the door as well", async () => {
    const inner = { name: "write_file", input: { path: "a", content: "x" } };
    const at = await play([{ id: "d", name: "use_tool", input: inner }], { permissions: { mode: "ask" } });
    expect((await at.go()).exit_code).toBe(7);
    expect(at.has("a")).toBe(false);
  });
});

describe("a command that cannot be told what it does, in the mode auto", () => {
  const off = { permissions: { mode: "auto" }, sandbox: { mode: "off" } } as const satisfies Settings;

  it("runs while everything in the project can be undone", async () => {
    const at = await play([run("X=touch; $X opaque.txt")], off);
    expect(await at.go()).toMatchObject({ subtype: "success" });
    expect(at.has("opaque.txt")).toBe(true);
  });

  it("is not run any more once something could not be kept", async () => {
    const tight = { ...off, files: { maxBytes: 10 } } as Settings;
    const at = await play([run("seq 100 > big.txt; touch big.txt"), run("X=touch; $X opaque.txt", "s")], tight);
    writeFileSync(join(at.root, "big.txt"), "more than ten bytes\n");
    await at.go();
    expect(at.has("opaque.txt")).toBe(false);
    expect(at.told(1)).toMatch(/^Denied \(opaque/);
  });
});
