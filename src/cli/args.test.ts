import { describe, expect, test } from "vitest";
import { UserError } from "../core/errors.js";
import { readArgs } from "./args.js";
import { runFlags } from "./flags.js";

const commands = ["models", "sessions"];
const read = (...args: string[]) => readArgs(args, runFlags, commands);

function refusal(...args: string[]): UserError {
  try {
    read(...args);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error(`${args.join(" ")} was not refused`);
}

describe("flags", () => {
  test("long, short, attached and repeated", () => {
    const { values, words } = read(
      "-m",
      "a/b",
      "--max-turns=3",
      "--add-dir",
      "x",
      "--add-dir=y",
      "--trust",
      "-p",
      "do it",
    );
    expect(values.text("model")).toBe("a/b");
    expect(values.number("max-turns")).toBe(3);
    expect(values.list("add-dir")).toEqual(["x", "y"]);
    expect(values.has("trust")).toBe(true);
    expect(values.has("verbose")).toBe(false);
    expect(values.text("print")).toBe("do it");
    expect(words).toEqual([]);
  });

  test("`default` is the mode ask", () => {
    expect(read("--permission-mode", "default").values.text("permission-mode")).toBe("ask");
  });

  test.each([
    [["--modle", "x"], /^--modle is not a flag\. Did you mean --model\?$/, /^Flags: --model /],
    [["-z"], /^-z is not a flag\./, /--print/],
    [["--tools", "al"], /"al" is not one of .*full/, /Valid: full, coding, testing, readonly, minimal/],
    [["--output-format", "xml"], /is not one of/, /text, json, stream-json, events/],
    [["--permission-mode", "yolo"], /is not one of/, /ask, acceptEdits, auto/],
    [["--permission-mode", "Auto"], /is not one of auto/, /ask/],
    [["--permission-mode", "atuo"], /is not one of auto/, /plan/],
    [["--permission-mode", "bypassPermissions"], /is auto\.$/, /auto/],
    [["--max-turns", "0"], /not a whole number/, undefined],
    [["--max-turns", "1e3"], /not a whole number/, undefined],
    [["--max-turns", "-1"], /not a whole number/, undefined],
    [["--max-cost", "free"], /not a number above 0/, /0\.5/],
    [["--max-cost", "0"], /not a number above 0/, /0\.5/],
    [["--model"], /--model needs a value: <provider\/model>/, /--model=<value>/],
    [["--model", "--trust"], /--model needs a value/, /--model=<value>/],
    [["--model="], /the value is empty/, undefined],
    [["--trust=yes"], /takes no value/, undefined],
    [["-m", "a/b", "-m", "c/d"], /given twice/, undefined],
    [["--mcp-config=x"], /--mcp-config is not in this version/, /--help/],
  ])("%j is refused", (args, text, fix) => {
    const error = refusal(...args);
    expect(error.exit).toBe(2);
    expect(error.message).toMatch(text);
    if (fix) expect(error.fix).toMatch(fix);
  });

  test("every flag that CONTRACT names and this version lacks says so", () => {
    for (const flag of ["mcp-config"]) {
      expect(refusal(`--${flag}`, "x").message).toBe(`--${flag} is not in this version.`);
    }
  });

  test("a value that begins with a dash and is no flag is a value", () => {
    expect(read("--append-system-prompt", "- be brief").values.text("append-system-prompt")).toBe("- be brief");
    expect(read("--append-system-prompt=--trust").values.text("append-system-prompt")).toBe("--trust");
  });
});

describe("the prompt", () => {
  const spellings = runFlags.flatMap(({ name, short }) => [
    `--${name}`,
    `--${name}=x`,
    ...(short ? [`-${short}`] : []),
  ]);

  test.each(spellings)("-p %s: the argument after -p is the prompt, never a flag", (spelling) => {
    const { values, words } = read("-p", spelling);
    expect(values.text("print")).toBe(spelling);
    expect(runFlags.filter(({ name }) => values.has(name)).map(({ name }) => name)).toEqual(["print"]);
    expect(words).toEqual([]);
  });

  test("-p at the end, and before --, has no value of its own", () => {
    expect(read("do it", "-p")).toMatchObject({ words: ["do it"] });
    const { values, words } = read("-p", "--", "--trust");
    expect([values.has("print"), values.text("print"), words]).toEqual([true, undefined, ["--trust"]]);
    expect(values.has("trust")).toBe(false);
  });

  test("after -- everything is a word", () => {
    expect(read("--", "models", "--help").words).toEqual(["models", "--help"]);
  });
});

describe("subcommands", () => {
  test("a first word that names one is one, and what follows is its own", () => {
    expect(read("models", "--json")).toMatchObject({ command: "models", rest: ["--json"] });
    const line = read("--verbose", "sessions", "list");
    expect([line.command, line.rest, line.values.has("verbose")]).toEqual(["sessions", ["list"], true]);
  });

  test("not after -p, not after another word, not after --", () => {
    expect(read("-p", "models").command).toBeUndefined();
    expect(read("fix", "models").command).toBeUndefined();
    expect(read("--", "models").command).toBeUndefined();
    expect(read("models please").words).toEqual(["models please"]);
  });
});
