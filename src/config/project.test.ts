import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../core/errors.js";
import { nodeFs } from "../lib/fs.js";
import { findProject } from "./project.js";

let top = "";
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cinch-project-")));
  mkdirSync(join(top, "home", "work", "repo", "src", "deep"), { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const at = (...parts: string[]) => join(top, "home", ...parts);
const find = (cwd: string) => findProject(nodeFs, cwd, at());

describe("findProject", () => {
  test("the nearest ancestor with .git (a directory or a file) or .cinch", () => {
    mkdirSync(at("work", "repo", ".git"));
    expect(find(at("work", "repo", "src", "deep"))).toEqual({
      cwd: at("work", "repo", "src", "deep"),
      root: at("work", "repo"),
    });
    writeFileSync(at("work", "repo", "src", ".git"), "gitdir: elsewhere");
    expect(find(at("work", "repo", "src", "deep")).root).toBe(at("work", "repo", "src"));
    mkdirSync(at("work", "repo", "src", "deep", ".cinch"));
    expect(find(at("work", "repo", "src", "deep")).root).toBe(at("work", "repo", "src", "deep"));
  });

  test("never the home directory, even when it is a repository", () => {
    mkdirSync(at(".git"));
    mkdirSync(at(".cinch"));
    expect(find(at("work", "repo")).root).toBe(at("work", "repo"));
    expect(find(at("work")).root).toBe(at("work"));
  });

  test("without any mark: the directory itself, canonical", () => {
    symlinkSync(at("work", "repo"), at("link"));
    expect(find(at("link"))).toEqual({ cwd: at("work", "repo"), root: at("work", "repo") });
  });

  test("a directory that is not one is a sentence and exit 2", () => {
    writeFileSync(at("file"), "");
    expect(() => find(at("file"))).toThrow(UserError);
    expect(() => find(at("file"))).toThrow("is not a directory.");
    expect(() => find(at("file", "below"))).toThrow("is not a directory.");
    expect(() => find(at("absent"))).toThrow("does not exist.");
  });
});
