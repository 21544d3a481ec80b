import { expect, test } from "vitest";
import { childEnvironment } from "./environment.js";

test("keeps what a program needs and drops what looks like a secret", () => {
  const env = childEnvironment({
    PATH: "/bin",
    HOME: "/home/u",
    ANTHROPIC_API_KEY: "s",
    GITHUB_TOKEN: "s",
    aws_secret_access_key: "s",
    DB_PASSWORD: "s",
    GOOGLE_APPLICATION_CREDENTIALS: "s",
    UNSET: undefined,
  });
  expect(env).toMatchObject({
    PATH: "/bin",
    HOME: "/home/u",
    CINCH: "1",
    PAGER: "cat",
    GIT_EDITOR: "true",
    EDITOR: "true",
  });
  expect(Object.values(env)).not.toContain("s");
  expect("UNSET" in env).toBe(false);
});

test("a passed name is kept, a blocked one dropped, also when both", () => {
  const given = { GITHUB_TOKEN: "t", NPM_TOKEN: "n", MY_HOST: "h", MY_PORT: "p" };
  const env = childEnvironment(given, { pass: ["GITHUB_TOKEN", "NPM_TOKEN"], block: ["MY_*", "NPM_TOKEN"] });
  expect(env["GITHUB_TOKEN"]).toBe("t");
  expect(["NPM_TOKEN", "MY_HOST", "MY_PORT"].filter((name) => name in env)).toEqual([]);
});

test("keys that Cinch uses never reach a child, whatever they are called", () => {
  const env = childEnvironment({ CORP_LLM: "s" }, { keys: ["CORP_LLM"], pass: ["CORP_LLM"] });
  expect("CORP_LLM" in env).toBe(false);
});

test("nothing makes the shell read files or functions first", () => {
  const env = childEnvironment({ BASH_ENV: "x", ENV: "x", "BASH_FUNC_ls%%": "() { :; }" });
  expect(["BASH_ENV", "ENV", "BASH_FUNC_ls%%"].filter((name) => name in env)).toEqual([]);
});
