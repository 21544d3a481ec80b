// Where Cinch keeps its own files (CONTRACT §3). Pure: environment and home directory in, three paths out.
// Invariant: nothing here depends on the project, so no project can move the user's settings, trust or sessions.

import { isAbsolute, join, resolve } from "node:path";

/** Absolute directories; none of them has to exist. */
export interface HomeDirs {
  /** settings.json, trust.json, lsp.json, mcp.json, agents/, skills/, commands/, plugins/ */
  config: string;
  /** sessions/, tasks/, builds/, checkpoints/, spill/ */
  state: string;
  cache: string;
}

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * `CINCH_HOME` holds everything: config and state are that directory itself, the cache is `cache` in it.
 * Otherwise XDG; as its specification says, a relative XDG path counts as unset.
 */
export function homeDirs(env: Env, userHome: string): HomeDirs {
  const own = env["CINCH_HOME"];
  if (own) return under(own);
  const xdg = (name: string, fallback: string) => {
    const set = env[name];
    return join(set && isAbsolute(set) ? set : join(userHome, fallback), "cinch");
  };
  return {
    config: xdg("XDG_CONFIG_HOME", ".config"),
    state: xdg("XDG_STATE_HOME", ".local/state"),
    cache: xdg("XDG_CACHE_HOME", ".cache"),
  };
}

/** Everything under one directory, as `CINCH_HOME` and the SDK's `home` do. */
export function under(home: string): HomeDirs {
  const root = resolve(home);
  return { config: root, state: root, cache: join(root, "cache") };
}
