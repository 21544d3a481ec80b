// Two policies at once: for every act the stricter of both, whatever each of them lets through and why.

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { command, facts, policy, read, write } from "../../test/support/permission.js";
import { modes, profiles } from "../core/policy.js";
import { type Act, decide, type Facts, type Policy } from "./decide.js";
import { intersect } from "./intersect.js";

describe("one stands for what the other does not say", () => {
  const test1 = command([["npm test"]]);
  test.each<[string, Act, Policy, Policy, string]>([
    [
      "the mode of one, a rule of the other",
      test1,
      policy("auto"),
      policy("ask", { allow: ["Bash(npm test)"] }),
      "allow",
    ],
    ["a rule of one is not enough", test1, policy("ask"), policy("ask", { allow: ["Bash"] }), "ask"],
    [
      "two rules, each for a part of the files",
      write("/p/src/a"),
      policy("ask", { allow: ["Edit(src/**)"] }),
      policy("ask", { allow: ["Edit(*)"] }),
      "allow",
    ],
    ["a deny of the parent", write("/p/a"), policy("auto", { deny: ["Edit(a)"] }), policy("auto"), "deny"],
    ["a deny of the child", write("/p/a"), policy("auto"), policy("auto", { deny: ["Edit(a)"] }), "deny"],
    ["a protection of the parent", write("/p/a"), policy("auto", { protect: ["a"] }), policy("auto"), "ask"],
    ["a narrower profile of the child", write("/p/a"), policy("auto"), policy("auto", {}, "readonly"), "deny"],
    [
      "danger that only the child names",
      command([["rm -rf /", "never-auto", "danger"]]),
      policy("auto"),
      policy("auto", { allow: ["Bash(rm -rf /)"] }),
      "ask",
    ],
  ])("%s", (_name, act, parent, child, expected) => {
    expect(decide(act, intersect(parent, child), facts).verdict).toBe(expected);
  });

  it("what runs outside the sandbox has to be named by both", () => {
    const [named, open] = [policy("ask", { allow: ["Bash(npm test)"] }), policy("auto")];
    expect(decide(test1, intersect(named, named), facts).exact).toBe(true);
    for (const both of [intersect(named, open), intersect(open, named)])
      expect([decide(test1, both, facts).verdict, decide(test1, both, facts).exact]).toEqual(["allow", undefined]);
  });
});

describe("properties", () => {
  const texts = [
    "Edit",
    "Edit(src/**)",
    "Edit(/a)",
    "Read",
    "Read(//x/**)",
    "Read(/.env)",
    "Bash",
    "Bash(rm *)",
    "Bash(rm -rf /)",
    "Bash(npm test)",
  ];
  const list = fc.uniqueArray(fc.constantFrom(...texts), { maxLength: 3 });
  const paths = fc.uniqueArray(fc.constantFrom("a", "src/", ".env"), { maxLength: 2 });
  const policies = fc
    .tuple(
      fc.constantFrom(...modes),
      fc.record({ allow: list, ask: list, deny: list, protect: paths }),
      fc.constantFrom(...profiles),
    )
    .map(([mode, rules, profile]) => policy(mode, rules, profile));
  const acts = fc.constantFrom<Act>(
    ...[write("/p/a"), write("/p/src/a"), write("/p/.git/config")],
    ...["/p/a", "/p/.env", "/x/a"].map((path) => read(path)),
    ...[command([["npm test"]]), command([["ls", "readonly"]]), command([["rm -rf /", "never-auto", "danger"]])],
    command([["eval x", "never-auto", "opaque"]]),
    ...(["net", "spawn", "ask"] as const).map((effect): Act => ({ ...write(), effect })),
  );
  const places = fc.record({ sandboxed: fc.boolean(), undoable: fc.boolean() }).map((more) => ({ ...facts, ...more }));
  const rank = (act: Act, one: Policy, at: Facts) => ["allow", "ask", "deny"].indexOf(decide(act, one, at).verdict);

  it("the decision is the stricter of both, also of three, in whatever order they came together", () => {
    fc.assert(
      fc.property(acts, places, policies, policies, policies, (act, at, one, two, three) => {
        const [a, b, c] = [one, two, three].map((each) => rank(act, each, at)) as [number, number, number];
        expect(rank(act, intersect(one, two), at)).toBe(Math.max(a, b));
        expect(rank(act, intersect(intersect(one, two), three), at)).toBe(Math.max(a, b, c));
        expect(rank(act, intersect(one, intersect(two, three)), at)).toBe(Math.max(a, b, c));
      }),
      { numRuns: 500 },
    );
  });
});
