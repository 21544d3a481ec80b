// Rules of permission in settings: all levels count together, each rule with its line.
// What a rule means is not known here: the reader of rules is handed in.

import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { configDir, freshSettings, load, project, projectRoot, refusal, user } from "../../test/support/settings.js";

beforeEach(freshSettings);

describe("rules", () => {
  const rules = async () => (_list: string, text: string) => (text.startsWith("Bad") ? "it is bad" : null);
  const texts = ({ rules: found }: { rules: { list: string; text: string }[] }) =>
    found.map(({ list, text }) => `${list} ${text}`);

  test("of all levels count together, each with its line; allow rules of a project wait", async () => {
    user('{"permissions": {\n"allow": ["Edit(a)",\n"Edit(b)"], "deny": ["Read(c)"]}}');
    project('{"permissions": {"allow": ["Bash"], "ask": ["Edit(d)"],\n"deny": ["Edit(e)"], "protect": ["f/"]}}');
    const loaded = await load({ rules, flags: { permissions: { allow: ["Edit(g)"] } } });
    expect(loaded.problems).toEqual([]);
    expect(texts(loaded)).toEqual([
      "allow Edit(g)",
      ...["allow Edit(a)", "allow Edit(b)", "deny Read(c)"],
      ...["ask Edit(d)", "deny Edit(e)", "protect f/"],
    ]);
    const file = join(configDir, "settings.json");
    expect(loaded.rules.slice(0, 4).map(({ source }) => source)).toEqual([
      "flags",
      `${file}:2`,
      `${file}:3`,
      `${file}:3`,
    ]);
    expect(loaded.offered).toEqual([
      { list: "allow", text: "Bash", source: `${join(projectRoot, ".cinch", "settings.json")}:1` },
    ]);
    expect(loaded.settings.permissions.deny).toEqual(["Read(c)", "Edit(e)"]);
    expect(loaded.settings.permissions.allow).toEqual(["Edit(a)", "Edit(b)", "Edit(g)"]);
  });

  test("a bad one: exit 2 for flags and user, a warning for a project; those beside it count", async () => {
    user('{"permissions": {"deny": ["Edit(a)",\n"Bad(x)"]}}');
    const error = await refusal({ rules, interactive: true });
    expect(error.message).toBe(
      `${join(configDir, "settings.json")}:2: permissions.deny: "Bad(x)" is no rule: it is bad.`,
    );
    user("{}");
    expect((await refusal({ rules, flags: { permissions: { allow: ["Bad"] } }, interactive: true })).exit).toBe(2);
    project('{"permissions": {"deny": ["Bad(x)", 7, "Edit(b)"]}}');
    const loaded = await load({ rules, interactive: false });
    expect(loaded.problems).toHaveLength(2);
    expect(texts(loaded)).toEqual(["deny Edit(b)"]);
  });

  test("permissions of a project that cannot be understood drop the mode to ask", async () => {
    user('{"permissions": {"mode": "auto"}}');
    for (const text of [
      '{"permissions": {"deny": "Bash"}}',
      '{"permissions": {}, "permissions": {"deny": ["Bash"]}}',
    ]) {
      project(text);
      const { settings, problems } = await load({ interactive: false });
      expect([settings.permissions.mode, problems.length]).toEqual(["ask", 1]);
    }
  });
});
