// Entries that are wrong, and whole files that are: each is named with file and line, what stands beside it counts, and
// nothing ever becomes looser by it. Older names of the mode are read, and said.

import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import {
  configDir,
  dir,
  freshSettings,
  load,
  type Options,
  project,
  refusal,
  user,
} from "../../test/support/settings.js";
import { defaultSettings } from "./defaults.js";
import type { SettingsInput } from "./schema.js";

beforeEach(freshSettings);

const texts = async (more: Options = {}) => (await load(more)).problems.map((problem) => problem.text);

describe("bad entries", () => {
  test("each is named with file and line, the others still count", async () => {
    user(`{
  "modle": "x",
  "limits": { "turns": "many", "calls": 4 },
  "permissions": { "mode": "yolo" },
  "retention": { "days": 3 },
  "permissions": { "mode": "auto" }
}`);
    const loaded = await load();
    const file = join(configDir, "settings.json");
    expect(loaded.problems.map((problem) => problem.text)).toEqual([
      expect.stringContaining(`${file}:2: "modle" is not a setting. Did you mean model? Valid at the top: model, `),
      `${file}:3: limits.turns is "many"; it must be a whole number of at least 1.`,
      expect.stringMatching(/:4: permissions\.mode: "yolo" is not one of .*ask/),
      `${file}:5: retention is not in this version; take it out, it would have no effect.`,
      `${file}:6: permissions is there twice, first in line 4; only that one counts.`,
    ]);
    expect(loaded.settings.limits.calls).toBe(4);
    expect(loaded.settings.permissions.mode).toBe("ask");
  });

  test("a setting that would be ignored is refused by its name", async () => {
    user('{"retention": {"days": 2}}');
    const error = await refusal({ interactive: false });
    expect(error.exit).toBe(2);
    expect(error.message).toContain("retention is not in this version");
  });

  test("interactive, a harmless problem of the user's file is a notice; a guarding one is not", async () => {
    user('{"limits": {"turns": 0}}');
    expect((await load({ interactive: true })).problems).toHaveLength(1);
    await refusal({ interactive: false });
    user('{"permissions": {"mode": 1}}');
    await refusal({ interactive: true });
  });

  test.each([
    [{ permissions: { mode: "bypassPermissions" } }, /the one that runs everything without asking is auto/],
    [{ permissions: { mode: "atuo" } }, /"atuo" is not one of auto, /],
    [{ limits: { turns: 1.5 } }, /limits\.turns is 1\.5; it must be a whole number of at least 1/],
    [{ limits: { cost: -1 } }, /above 0/],
    [{ hookRetries: 0 }, /from 1 to 100/],
    [{ models: { prices: { "a/b": { input: 1 } } } }, /US dollars per million tokens/],
    [{ models: { windows: { "a/b": { windw: 1 } } } }, /tokens/],
    [{ env: { pass: "A" } }, /list of strings/],
    [{ files: { twoStage: "claude*" } }, /files\.twoStage is "claude\*"; it must be true, false or a list of patterns/],
    [{ nonsense: 1 }, /"nonsense" is not a setting/],
  ])("flags %j: exit 2", async (flags, text) => {
    const error = await refusal({ flags: flags as SettingsInput, interactive: true });
    expect(error.message).toMatch(text);
    expect(error.exit).toBe(2);
  });

  test("`default` is `ask`", async () => {
    const { settings } = await load({ flags: { permissions: { mode: "default" } }, interactive: false });
    expect(settings.permissions.mode).toBe("ask");
  });

  test("a provider nobody knows is an error that lists the known ones", async () => {
    user('{"models": {"antropic": {"baseUrl": "http://x"}}}');
    const [text] = await texts({ providers: ["anthropic", "openai"] });
    expect(text).toContain('"models.antropic" is not a setting. Did you mean models.anthropic?');
  });

  test("a missing --settings file is exit 2", async () => {
    const error = await refusal({ settingsFile: join(dir, "none.json"), interactive: true });
    expect(error.message).toContain("there is no such file");
  });

  test("__proto__ is an unknown key and pollutes nothing", async () => {
    user(
      '{"__proto__": {"polluted": 1}, "models": {"__proto__": {"baseUrl": "x"}, "prices": {"__proto__": {"input": 1, "output": 1}}}}',
    );
    const { settings, problems } = await load();
    expect(problems).toHaveLength(3);
    expect(settings).toEqual(defaultSettings());
    expect(Object.getPrototypeOf(settings.models)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("__proto__ inside free options reaches no prototype", async () => {
    user('{"models": {"openai": {"options": {"__proto__": {"x": 1}, "y": 2}}}}');
    const { settings } = await load();
    expect(settings.models["openai"]).toEqual({ options: { y: 2 } });
    expect((settings.models["openai"] as { options: Record<string, unknown> }).options["x"]).toBeUndefined();
  });

  test("nesting of ten thousand levels is one problem", async () => {
    user(`{"models": ${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`);
    expect(await texts()).toEqual([
      expect.stringMatching(/settings\.json:1: not valid JSON: nested deeper than 64 levels/),
    ]);
  });

  test.each(["[]", '"text"', "null", "{", "{]", "\u0000", '{"a":"\u0001"}'])(
    "text that is no settings object: %j",
    async (text) => {
      user(text);
      expect((await texts()).length).toBeGreaterThan(0);
    },
  );

  test.each(["", " \n", "// nothing\n{}", "\ufeff{}"])("nothing set: %j", async (text) => {
    user(text);
    expect(await texts()).toEqual([]);
  });

  test("any text gives defaults or problems, never a throw, never a looser mode", async () => {
    const pieces = fc.constantFrom(
      '"permissions"',
      '"mode"',
      '"auto"',
      '"limits"',
      '"turns"',
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "1",
      "//x\n",
      '"',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 24 }), async (parts) => {
        project(parts.join(""));
        const { settings } = await load({ interactive: false });
        expect(settings.permissions.mode).toBe("ask");
        expect(settings.limits.turns).toBeLessThanOrEqual(2000);
      }),
      { numRuns: 300 },
    );
  });
});

describe("older names of the mode", () => {
  test.each([
    ['{"permission_mode": "AUTO"}', "auto"],
    ['{"permission_mode": "accept_edits"}', "acceptEdits"],
    ['{"yolo_mode": true}', "auto"],
    ['{"yolo_mode": false}', "ask"],
    ['{"yolo_mode": true, "permission_mode": "ask"}', "ask"],
    ['{"yolo_mode": true, "permissions": {"mode": "acceptEdits"}}', "acceptEdits"],
  ])("%s: %s, and a notice that says so", async (text, mode) => {
    user(text);
    const { settings, problems } = await load({ interactive: false });
    expect(settings.permissions.mode).toBe(mode);
    expect(problems).toEqual([expect.objectContaining({ notice: true })]);
  });

  test("an invalid one is exit 2 and never falls back to anything", async () => {
    user('{"permission_mode": "atuo", "yolo_mode": true}');
    expect((await refusal({ interactive: true })).message).toContain('"atuo" is not one of auto');
    expect((await load()).settings.permissions.mode).toBe("ask");
  });

  test("a project cannot say them", async () => {
    project('{"yolo_mode": true}');
    const { settings, problems } = await load({ interactive: false });
    expect([settings.permissions.mode, problems[0]?.text]).toEqual([
      "ask",
      expect.stringContaining("cannot be set by a project"),
    ]);
  });
});
