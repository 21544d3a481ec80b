import { expect, test } from "vitest";
import { UserError } from "../core/errors.js";
import { formationIn, knownFormations } from "./catalog.js";
import { readFormation } from "./formation.js";
import { routeFormation } from "./routing.js";

const agents = ["explore", "implement", "review", "test"];

test("the eleven that come with Cinch hold", () => {
  const known = knownFormations([], agents);
  expect(known.flatMap(({ problems }) => problems)).toEqual([]);
  expect(known.map(({ name }) => name)).toEqual([
    "all-hands-planning",
    "bug-investigation",
    "code-review",
    "feature-impl",
    "integration-check",
    "lightweight-feature",
    "new-project",
    "perf-optimization",
    "recovery",
    "security-review",
    "single-file",
  ]);
  const roles = known.find(({ name }) => name === "feature-impl")?.formation;
  expect(roles?.waves).toEqual([["backend-impl", "frontend-impl"], ["integrator"], ["tester"]]);
  expect(roles?.roles.map(({ tools }) => tools)).toEqual(["full", "full", "coding", "testing"]);
});

const whole = `name: pair
description: Two at once.
roles:
  - name: one
    description: Does this.
    agent: implement
    owns: [src/**]
  - name: two
    description: Does that.
    agent: test
    tools: minimal
    owns: [web/**]
waves:
  - [one, two]
`;

test("a whole one, with what was left out filled in", () => {
  const { value: formation } = readFormation(whole, agents);
  expect(formation?.roles[0]).toMatchObject({ model: "inherit", tools: "full", deny: [], owns: ["src/**"] });
  expect(formation?.roles[1]?.tools).toBe("minimal");
  expect(formation?.gate).toEqual([]);
});

test.each<[string, [string, string], number, string]>([
  ["no YAML", ["name: pair", "name: [pair"], 2, "must"],
  ["an unknown key", ["tools: minimal", "profile: minimal"], 11, 'roles.1: there is no key "profile"'],
  ["an unknown key of its own", ["waves:", "denied:\n  - Bash\nwaves:"], 13, 'there is no key "denied"'],
  [
    "a tool that is denied to nobody",
    ["tools: minimal", "deny: [Write, run_comand]"],
    11,
    "no tool run_comand; did you mean run_command?",
  ],
  [
    "a tool that is denied to all",
    ["waves:", "deny: [mcp__files]\nwaves:"],
    13,
    "no tool mcp__files; those of a server are mcp__server__tool",
  ],
  ["a name that stands for nothing", ["tools: minimal", "tools: *all"], 11, "*all stands for nothing above"],
  [
    "names that stand for too much",
    ["waves:", "x: &x [1, 2]\ny: &y [*x, *x, *x, *x, *x, *x]\nz: [*y, *y, *y, *y]\nwaves:"],
    14,
    "make far more of it than is written",
  ],
  ["an unknown agent", ["agent: test", "agent: nobody"], 10, "no agent nobody; there are: explore, implement"],
  ["an empty wave", ["- [one, two]", "- []"], 14, "a wave needs a role"],
  ["a role of no wave", ["- [one, two]", "- [one]"], 8, "the role two is in no wave"],
  ["a role that works twice", ["- [one, two]", "- [one]\n  - [one, two]"], 4, "the role one is in 2 waves"],
  ["a role that is not there", ["- [one, two]", "- [one, two, three]"], 14, "there is no role three"],
  ["two roles of one name", ["name: two", "name: one"], 8, "there are two roles one"],
  ["an unknown profile", ["tools: minimal", "tools: everything"], 11, "full"],
  ["owning the same", ["owns: [web/**]", "owns: [src/app/**]"], 14, "both own files: src/** and src/app/** overlap"],
  ["a glob that is too long", ["[web/**]", `['${"*a".repeat(501)}']`], 12, "1000 characters"],
])("%s is told with its line", (_what, [from, to], line, text) => {
  const { value: formation, problems } = readFormation(whole.replace(from, to), agents);
  expect(formation).toBeNull();
  expect(problems.map((problem) => problem.line)).toContain(line);
  expect(problems.map((problem) => problem.text).join("\n")).toContain(text);
});

test("what is denied may be an alias, or a tool of a server that is not there yet", () => {
  const denying = whole.replace("tools: minimal", "deny: [Bash, write_file, mcp__files__remove]");
  expect(readFormation(denying, agents).value?.roles[1]?.deny).toEqual(["Bash", "write_file", "mcp__files__remove"]);
});

test("owning the same in different waves is no conflict", () => {
  const apart = whole.replace("[web/**]", "[src/**]").replace("- [one, two]", "- [one]\n  - [two]");
  expect(readFormation(apart, agents).problems).toEqual([]);
});

test("the user's takes the place of the project's and of one that comes with Cinch; a broken one is told", () => {
  const called = (name: string, what: string) =>
    whole.replace("name: pair", `name: ${name}`).replace("Two at once.", what);
  const known = knownFormations(
    [
      { level: "project", file: "/p/recovery.yaml", text: called("recovery", "The project's.") },
      { level: "project", file: "/p/own.yml", text: called("own", "The project's own.") },
      { level: "project", file: "/p/broken.yaml", text: "name: broken\n" },
      { level: "project", file: "/p/other.yaml", text: called("another", "Its file has another name.") },
      { level: "project", file: "/p/new.yaml", text: null, why: "untrusted" },
      { level: "project", file: "/p/pipe.yaml", text: null, why: "unreadable" },
      { level: "project", file: "/p/single-file.yaml", text: null, why: "untrusted" },
      { level: "project", file: "/p/a\nb.yaml", text: null, why: "untrusted" },
      { level: "user", file: "/u/recovery.yaml", text: called("recovery", "The user's.") },
    ],
    agents,
  );
  const of = (name: string) => known.find((each) => each.name === name);
  expect(of("recovery")).toMatchObject({ level: "user", formation: { description: "The user's." } });
  expect(of("own")).toMatchObject({ level: "project", formation: { description: "The project's own." } });
  expect(of("broken")?.problems.join("\n")).toContain("/p/broken.yaml:1: ");
  expect(of("other")?.problems).toEqual(["/p/other.yaml:1: the file is called other and the formation another"]);
  expect(of("new")).toMatchObject({ formation: null, problems: [expect.stringContaining("not trusted as it is")] });
  expect(of("pipe")?.problems).toEqual(["/p/pipe.yaml:1: it is no small file of its own that can be read"]);
  expect(of("a\nb")?.problems).toEqual([expect.stringMatching(/^\/p\/a\\nb\.yaml:1: not trusted/)]);
  const single = known.filter(({ name }) => name === "single-file");
  expect(single.map(({ level, formation }) => [level, formation !== null])).toEqual([
    ["built-in", true],
    ["project", false],
  ]);
  expect(formationIn("/x/y.yaml", called("another", "x"), agents)).toMatchObject({ name: "another", problems: [] });
});

test.each([
  ["routine", "small", "single-file"],
  ["routine", "medium", "lightweight-feature"],
  ["routine", "large", "lightweight-feature"],
  ["medium", "small", "lightweight-feature"],
  ["medium", "medium", "lightweight-feature"],
  ["medium", "large", "feature-impl"],
  ["complex", "small", "lightweight-feature"],
  ["complex", "medium", "feature-impl"],
  ["complex", "large", "all-hands-planning"],
  ["novel", "small", "new-project"],
  ["novel", "medium", "new-project"],
  ["novel", "large", "new-project"],
])("%s work of %s scope goes to %s", (complexity, scope, name) => {
  expect(routeFormation(complexity, scope)).toBe(name);
});

test("what is not in the table is refused with what is", () => {
  const refusal = (complexity: string, scope: string) => {
    try {
      return routeFormation(complexity, scope);
    } catch (error) {
      return error instanceof UserError ? `${error.message} ${error.fix}` : error;
    }
  };
  expect(refusal("easy", "small")).toBe('There is no complexity "easy". There are: routine, medium, complex, novel.');
  expect(refusal("novel", "tiny")).toBe('There is no scope "tiny". There are: small, medium, large.');
  expect(refusal("constructor", "small")).toContain("There is no complexity");
});
