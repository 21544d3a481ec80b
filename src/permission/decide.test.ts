// The table of decide.ts, row by row, and that tightening never loosens. Acts and rules are written as texts, see
// test/support/permission.ts; what is offered as "always" is offer.test.

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  command,
  facts,
  type PartSpec,
  policy,
  type Rules,
  read,
  toolBy,
  verdict,
  write,
} from "../../test/support/permission.js";
import type { CommandAnalysis } from "../core/command.js";
import type { Effect } from "../core/plan.js";
import { modes, profileEffects as profiles } from "../core/policy.js";
import { type Act, decide, type Facts, type Policy, showable } from "./decide.js";

const ranks = { allow: 0, ask: 1, deny: 2 };

describe("row 8, modes", () => {
  const effects: Effect[] = ["read", "write", "exec", "net", "ask", "spawn"];
  const verdicts = {
    plan: ["allow", "deny", "deny", "deny", "allow", "allow"],
    ask: ["allow", "ask", "ask", "ask", "allow", "allow"],
    acceptEdits: ["allow", "allow", "ask", "ask", "allow", "allow"],
    auto: ["allow", "allow", "allow", "allow", "allow", "allow"],
  };
  it.each(modes)("%s", (mode) => {
    expect(effects.map((effect) => verdict({ ...write("/p/a"), effect }, mode))).toEqual(verdicts[mode]);
  });
  it("acceptEdits runs an analysed command in a full sandbox", () => {
    expect(verdict(command([["make"]]), "acceptEdits", {}, { sandboxed: true })).toBe("allow");
  });
});

it("row 1: a profile denies in every mode what it does not hold", () => {
  for (const mode of modes) {
    for (const [profile, allowed] of Object.entries(profiles)) {
      for (const effect of ["read", "write", "exec", "net", "ask", "spawn"] as const) {
        if ((allowed as readonly Effect[]).includes(effect)) continue;
        const rules = policy(mode, { allow: ["Edit", "Bash", "Read"] }, profile as keyof typeof profiles);
        expect(decide({ ...write("/p/a"), effect }, rules, facts).verdict).toBe("deny");
      }
    }
  }
});

describe("rows 2, 6 and 7, rules", () => {
  test.each<[string, Act, Rules, string]>([
    ["allow one path", write("/p/src/a"), { allow: ["Edit(src/**)"] }, "allow"],
    ["allow needs every path", write("/p/src/a", "/p/b"), { allow: ["Edit(src/**)"] }, "ask"],
    ["allow by two rules", write("/p/src/a", "/p/b"), { allow: ["Edit(src/**)", "Edit(/b)"] }, "allow"],
    ["deny needs one path", write("/p/src/a", "/p/b"), { allow: ["Edit"], deny: ["Edit(/b)"] }, "deny"],
    ["ask beats allow", write("/p/src/a"), { allow: ["Edit"], ask: ["Edit(src/**)"] }, "ask"],
    ["deny beats ask", write("/p/src/a"), { ask: ["Edit"], deny: ["Edit"] }, "deny"],
    ["deny of reading", read("/p/src/a"), { deny: ["Read(src/**)"] }, "deny"],
    [
      "a command with a path that may not be read",
      command([["cat src/a", "readonly"]], ["/p/src/a"]),
      { deny: ["Read(src/**)"] },
      "deny",
    ],
    [
      "reading is not changing",
      command([["cat src/a", "readonly"]], ["/p/src/a"]),
      { allow: ["Bash(cat *)"], deny: ["Edit(src/**)"] },
      "allow",
    ],
    [
      "a command that changes what may not be changed",
      command([["touch src/a"]], ["/p/src/a"]),
      { allow: ["Bash"], deny: ["Edit(src/**)"] },
      "deny",
    ],
    ["allow one command", command([["npm test"]]), { allow: ["Bash(npm test)"] }, "allow"],
    ["allow needs every part", command([["npm test"], ["make x"]]), { allow: ["Bash(npm test)"] }, "ask"],
    ["a redirection is a part", command([["npm test"], ["> out"]]), { allow: ["Bash(npm test)"] }, "ask"],
    ["deny needs one part", command([["npm test"], ["rm x"]]), { allow: ["Bash"], deny: ["Bash(rm *)"] }, "deny"],
    ["deny sees the program's directory", command([["/bin/rm x"]]), { allow: ["Bash"], deny: ["Bash(rm *)"] }, "deny"],
    ["a deny of what only reads", command([["ls x", "readonly"]]), { deny: ["Bash(ls *)"] }, "deny"],
  ])("%s", (_name, act, rules, expected) => {
    expect(verdict(act, "ask", rules)).toBe(expected);
  });

  it("what only tables call reading is nobody's yes outside of a full sandbox; what Cinch answers needs none", () => {
    const awk = command([["awk 1 a", "readonly"]]);
    const cat = command([["cat a", "readonly"]]);
    const answered: Act = { ...cat, command: { ...(cat.command as CommandAnalysis), answered: true } };
    for (const mode of modes) {
      expect([mode, verdict(awk, mode)]).toEqual([mode, mode === "auto" ? "allow" : "ask"]);
      expect([mode, verdict(awk, mode, {}, { sandboxed: true })]).toEqual([mode, "allow"]);
      expect([mode, verdict(answered, mode)]).toEqual([mode, "allow"]);
    }
    expect(verdict(awk, "ask", { allow: ["Bash(awk *)"] })).toBe("allow");
  });

  it("parts that only read need no rule beside one that has one: in a full sandbox, or if Cinch could answer them", () => {
    const mixed = command([["awk 1 a", "readonly"], ["npm test"]]);
    const rules = { allow: ["Bash(npm test)"] };
    expect(verdict(mixed, "ask", rules, { sandboxed: true })).toBe("allow");
    expect(verdict(mixed, "ask", rules)).toBe("ask");
    const parts = mixed.command?.parts.map((part, i) => (i === 0 ? { ...part, answered: true as const } : part)) ?? [];
    expect(verdict({ ...mixed, command: { ...(mixed.command as CommandAnalysis), parts } }, "ask", rules)).toBe(
      "allow",
    );
  });

  it("B 37: one part of 61 is enough to deny", () => {
    const chain = Array.from({ length: 61 }, (_, i): PartSpec => [i === 60 ? "rm x" : `echo ${i}`]);
    expect(verdict(command(chain), "auto", { allow: ["Bash"], deny: ["Bash(rm:*)"] })).toBe("deny");
  });
});

describe("row 3, protected paths", () => {
  it.each(modes.filter((mode) => mode !== "plan"))("B 52: ask in %s, whatever is allowed", (mode) => {
    for (const path of ["/p/.git/config", "/p/.cinch/settings.json", "/p/AGENTS.md", "/home/u/.config/cinch/x"]) {
      expect([path, verdict(write(path), mode, { allow: ["Edit"] })]).toEqual([path, "ask"]);
      expect([path, verdict(command([["touch x"]], [path]), mode, { allow: ["Bash"] })]).toEqual([path, "ask"]);
    }
    expect(verdict(write("/p/deploy/x"), mode, { allow: ["Edit"], protect: ["deploy/"] })).toBe("ask");
  });
  it("are read freely, and where the project itself lies does not matter", () => {
    expect(verdict(read("/p/.git/config"), "ask")).toBe("allow");
    const inside = { ...facts, bases: ["/home/u/.vscode/p"] };
    expect(decide(write("/home/u/.vscode/p/a"), policy("auto"), inside).verdict).toBe("allow");
  });
});

describe("row 4, danger and secrets", () => {
  const danger = command([
    ["ls", "readonly"],
    ["rm -rf /", "never-auto", "danger"],
  ]);
  it.each([
    [{}, "ask"],
    [{ allow: ["Bash"] }, "ask"],
    [{ allow: ["Bash(rm *)"] }, "ask"],
    [{ allow: ["Bash(rm -rf /)"] }, "allow"],
    [{ allow: ["Bash(rm -rf /)"], deny: ["Bash(rm *)"] }, "deny"],
  ] as [Rules, string][])("danger with %j", (rules, expected) => {
    expect(verdict(danger, "auto", rules, { sandboxed: true, undoable: true })).toBe(expected);
  });
  it("secret files are asked about in every mode, unless a rule names them", () => {
    for (const mode of modes) expect(verdict(read("/p/.env"), mode, { allow: ["Read"] })).toBe("ask");
    expect(verdict(read("/p/.env"), "ask", { allow: ["Read(/.env)"] })).toBe("allow");
    for (const wide of ["Read(**)", "Read(/*)", "Read(//p/**)"]) {
      expect([wide, verdict(read("/p/.env"), "ask", { allow: [wide] })]).toEqual([wide, "ask"]);
    }
    for (const named of ["Read(.env*)", "Read(.env.*)", "Read(//**/.env)"]) {
      const path = named.includes("env.") ? "/p/.env.local" : "/p/.env";
      expect([named, verdict(read(path), "ask", { allow: [named] })]).toEqual([named, "allow"]);
    }
    expect(verdict({ ...read("/p/.env"), tool: toolBy("search") }, "auto")).toBe("ask");
    expect(verdict({ ...read("/p/.env"), tool: toolBy("find") }, "auto")).toBe("allow");
    expect(showable("/p/.env", toolBy("read"), policy("auto"), facts)).toBe(false);
    expect(showable("/p/a", toolBy("read"), policy("auto"), facts)).toBe(true);
  });
});

describe("row 4, what lies outside", () => {
  const search = { ...read("/x/a"), tool: toolBy("search") };
  test.each<[string, Act, Rules, string]>([
    ["asks in every mode", read("/x/a"), {}, "ask"],
    ["one path of two is enough", read("/p/a", "/x/a"), {}, "ask"],
    ["also by searching", search, {}, "ask"],
    ["what was put aside is read", read("/state/spill/a"), {}, "allow"],
    ["a rule with a path lifts it", read("/x/a"), { allow: ["Read(//x/**)"] }, "allow"],
    ["for every path", read("/x/a", "/y/a"), { allow: ["Read(//x/**)"] }, "ask"],
    ["one for this tool", search, { allow: ["read_file(//x/**)"] }, "ask"],
    ["one without a path does not", read("/x/a"), { allow: ["Read"] }, "ask"],
    ["nor one below the root", read("/x/a"), { allow: ["Read(**)"] }, "ask"],
    ["a deny rule wins", read("/x/a"), { allow: ["Read(//x/**)"], deny: ["Read(//x/a)"] }, "deny"],
    ["an ask rule wins", read("/x/a"), { allow: ["Read(//x/**)"], ask: ["Read(//x/a)"] }, "ask"],
    ["the protected is read like anything", read("/home/u/.config/cinch/x"), { allow: ["Read(//**)"] }, "allow"],
    ["secrets stay secret", read("/home/u/.ssh/id_rsa"), { allow: ["Read(//**)"] }, "ask"],
    ["unless a rule names them", read("/home/u/.ssh/id_rsa"), { allow: ["Read(~/.ssh)"] }, "allow"],
  ])("%s", (_name, act, rules, expected) => {
    for (const mode of modes) expect([mode, verdict(act, mode, rules)]).toEqual([mode, expected]);
  });
  it("a hit in an allowed place is shown, wherever that is", () => {
    expect(showable("/x/a", toolBy("search"), policy("ask"), facts)).toBe(true);
    expect(showable("/x/.env", toolBy("search"), policy("ask"), facts)).toBe(false);
  });
});

describe("row 5, what cannot be analysed", () => {
  const opaque = command([["eval x", "never-auto", "opaque"]]);
  it.each([
    ["auto", {}, {}, "ask"],
    ["auto", {}, { sandboxed: true }, "allow"],
    ["auto", {}, { undoable: true }, "allow"],
    ["auto", { deny: ["Bash(rm *)"] }, { sandboxed: true }, "ask"],
    ["auto", { deny: ["Edit(x)"] }, { sandboxed: true }, "allow"],
    ["acceptEdits", {}, { sandboxed: true }, "ask"],
    ["ask", { allow: ["Bash"] }, {}, "ask"],
    ["auto", { deny: ["Bash"] }, {}, "deny"],
  ] as [Policy["mode"], Rules, Partial<Facts>, string][])("%s %j %j: %s", (mode, rules, more, expected) => {
    expect(verdict(opaque, mode, rules, more)).toBe(expected);
  });
  it("a command of which nothing is known does not slip past a rule about commands", () => {
    const unknown: Act = { tool: toolBy("run"), effect: "exec", paths: [] };
    expect([verdict(unknown, "auto"), verdict(unknown, "auto", { deny: ["Bash(rm *)"] })]).toEqual(["allow", "ask"]);
  });
});

describe("properties", () => {
  const texts = [
    "Edit",
    "Edit(src/**)",
    "Edit(/a)",
    "Write",
    "Read",
    "Read(src/**)",
    "Read(//**)",
    "Bash",
    "Bash(rm *)",
    "Bash(npm test)",
  ];
  const list = fc.uniqueArray(fc.constantFrom(...texts), { maxLength: 4 });
  const rules = fc.record({ allow: list, ask: list, deny: list });
  const acts = fc.constantFrom(
    ...[write("/p/a"), write("/p/src/x", "/p/a"), write("/p/.git/x"), read("/p/src/a"), read("/p/.env"), read("/x")],
    ...[command([["npm test"]]), command([["npm test"], ["rm x"]]), command([["cat src/a", "readonly"]], ["/p/src/a"])],
    ...[command([["rm -rf /", "never-auto", "danger"]]), command([["eval x", "never-auto", "opaque"]])],
  );
  const places = fc.record({ sandboxed: fc.boolean(), undoable: fc.boolean() });
  const rank = (act: Act, mode: Policy["mode"], given: Rules, more: Partial<Facts>) =>
    ranks[verdict(act, mode, given, more)];

  it("B 36 and 4.14 (9): one more deny, ask or protect rule never loosens, one more allow rule never tightens", () => {
    fc.assert(
      fc.property(
        acts,
        fc.constantFrom(...modes),
        rules,
        places,
        fc.constantFrom(...texts),
        (act, mode, given, more, text) => {
          const before = rank(act, mode, given, more);
          expect(rank(act, mode, { ...given, deny: [...given.deny, text] }, more)).toBeGreaterThanOrEqual(before);
          expect(rank(act, mode, { ...given, ask: [...given.ask, text] }, more)).toBeGreaterThanOrEqual(before);
          expect(rank(act, mode, { ...given, protect: ["src/", "/a"] }, more)).toBeGreaterThanOrEqual(before);
          expect(rank(act, mode, { ...given, allow: [...given.allow, text] }, more)).toBeLessThanOrEqual(before);
        },
      ),
      { numRuns: 400 },
    );
  });
  it("B 36: a deny that fits wins whatever the order of the rules", () => {
    fc.assert(
      fc.property(rules, fc.constantFrom(...modes), (given, mode) => {
        const both = policy(mode, { ...given, deny: [...given.deny, "Edit(/a)"] });
        for (const order of [both.rules, [...both.rules].reverse()])
          expect(decide(write("/p/a"), { ...both, rules: order }, facts).verdict).toBe("deny");
      }),
    );
  });
});
