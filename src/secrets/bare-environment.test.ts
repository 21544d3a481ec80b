import { expect, test } from "vitest";
import { bareEnvironment } from "./bare-environment.js";

const inProject = { isInside: (directory: string) => directory.startsWith("/work/project") };

test("of the user's variables only those that say who, where and in which language", () => {
  const env = bareEnvironment(
    {
      HOME: "/home/u",
      LANG: "C.UTF-8",
      LC_ALL: "C",
      TZ: "UTC",
      TMPDIR: "/tmp",
      ANTHROPIC_API_KEY: "s",
      NODE_OPTIONS: "--require ./evil.cjs",
      LD_PRELOAD: "./evil.so",
      BASH_ENV: "./evil.sh",
      RIPGREP_CONFIG_PATH: ".ripgreprc",
      LESSOPEN: "|evil %s",
      GIT_DIR: "/work/project/.git",
      GIT_EXTERNAL_DIFF: "evil",
      GIT_SSH_COMMAND: "evil",
      GREP_OPTIONS: "-r",
      PYTHONPATH: ".",
      LC_EVIL_1: "x",
      XHOME: "x",
    },
    inProject,
  );
  const own = /^(CINCH|TERM|PAGER|PATH|GIT_(PAGER|EDITOR|TERMINAL_PROMPT|OPTIONAL_LOCKS|NO_LAZY_FETCH|CONFIG_\w+))$/;
  expect(Object.keys(env).filter((name) => !own.test(name))).toEqual(["HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"]);
});

test.each([
  ["/usr/bin:/bin", "/usr/bin:/bin"],
  ["/work/project/node_modules/.bin:/usr/bin", "/usr/bin"],
  [".::bin:/usr/bin:node_modules/.bin", "/usr/bin"],
  ["/work/project/bin:.", "/usr/local/bin:/usr/bin:/bin"],
  [undefined, "/usr/local/bin:/usr/bin:/bin"],
])("A 7, 8: PATH %s is %s", (path, bare) => {
  expect(bareEnvironment({ PATH: path }, inProject)["PATH"]).toBe(bare);
});

test("A 9, 11: git is told over the repository's own configuration to run nothing", () => {
  const env = bareEnvironment(
    { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.pager", GIT_CONFIG_VALUE_0: "evil" },
    inProject,
  );
  const told = Array.from({ length: Number(env["GIT_CONFIG_COUNT"]) }, (_, n) => {
    return [env[`GIT_CONFIG_KEY_${n}`], env[`GIT_CONFIG_VALUE_${n}`]];
  });
  expect(Object.fromEntries(told)).toEqual({
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "safe.bareRepository": "explicit",
    "protocol.ext.allow": "never",
    "log.showSignature": "false",
  });
  expect(env).toMatchObject({ GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", PAGER: "cat" });
});
