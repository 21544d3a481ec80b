import { expect, test } from "vitest";
import { confinedEnvironment } from "./environment.js";
import { packageCaches, secretPlaces } from "./home.js";

const placeOf = (env: Record<string, string>, variable: string) =>
  packageCaches(env, "/home/u").find((cache) => cache.variable === variable)?.path;

test.each([
  [{}, "npm_config_cache", "/home/u/.npm"],
  [{ npm_config_cache: "/big/npm" }, "npm_config_cache", "/big/npm"],
  [{ npm_config_cache: "relative" }, "npm_config_cache", "/home/u/.npm"],
  [{}, "PIP_CACHE_DIR", "/home/u/.cache/pip"],
  [{ XDG_CACHE_HOME: "/c" }, "PIP_CACHE_DIR", "/c/pip"],
  [{ XDG_CACHE_HOME: "c" }, "PIP_CACHE_DIR", "/home/u/.cache/pip"],
  [{ XDG_CACHE_HOME: "/c", PIP_CACHE_DIR: "/pip" }, "PIP_CACHE_DIR", "/pip"],
])("a cache is where its variable, XDG or habit has it: %j %s", (env, variable, path) => {
  expect(placeOf(env, variable)).toBe(path);
});

test("no cache is a place of secrets, nor around one", () => {
  const secrets = secretPlaces("/home/u");
  const around = (outer: string, inner: string) => `${inner}/`.startsWith(`${outer}/`);
  for (const { path } of packageCaches({}, "/home/u")) {
    expect(secrets.filter((secret) => around(secret, path) || around(path, secret))).toEqual([]);
  }
});

test("a confined command knows no way to those who would act for it outside", () => {
  const doors = {
    SSH_AUTH_SOCK: "s",
    DBUS_SESSION_BUS_ADDRESS: "s",
    TMUX: "s",
    DISPLAY: "s",
    VSCODE_IPC_HOOK_CLI: "s",
  };
  const env = confinedEnvironment({ ...doors, PATH: "/bin", HOME: "/home/u", TMPDIR: "/scratch" }, ["PIP_CACHE_DIR"]);
  expect(env).toEqual({ PATH: "/bin", HOME: "/home/u", TMPDIR: "/tmp", PIP_CACHE_DIR: "/tmp/cache-pip_cache_dir" });
});
