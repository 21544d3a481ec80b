import { describe, expect, test } from "vitest";
import { homeDirs } from "./home.js";

describe("homeDirs", () => {
  test("CINCH_HOME holds everything", () => {
    const env = { CINCH_HOME: "/c", XDG_CONFIG_HOME: "/x" };
    expect(homeDirs(env, "/home/me")).toEqual({ config: "/c", state: "/c", cache: "/c/cache" });
  });

  test("XDG, each on its own", () => {
    const env = { XDG_CONFIG_HOME: "/x/config", XDG_STATE_HOME: "/x/state" };
    expect(homeDirs(env, "/home/me")).toEqual({
      config: "/x/config/cinch",
      state: "/x/state/cinch",
      cache: "/home/me/.cache/cinch",
    });
  });

  test("empty and relative values count as unset", () => {
    const env = { CINCH_HOME: "", XDG_CONFIG_HOME: "relative", XDG_CACHE_HOME: "" };
    const config = "/home/me/.config/cinch";
    expect(homeDirs(env, "/home/me")).toEqual({
      config,
      state: "/home/me/.local/state/cinch",
      cache: "/home/me/.cache/cinch",
    });
  });
});
