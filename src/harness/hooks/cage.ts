// Where hooks run: a project's in the sandbox of commands, its approved copies readable; the user's own as they are.
// Without a sandbox nothing is caged: what runs then is what the user has approved, and no more is promised.

import type { HookSurroundings } from "../../hooks/run.js";
import type { SessionPermissions } from "../permissions/permissions.js";
import type { Surroundings } from "../surroundings.js";

export type CagePermissions = Pick<SessionPermissions, "concealed" | "guarded">;

export function hookCage({ sandboxing, root }: Surroundings, permissions: CagePermissions): HookSurroundings["cage"] {
  return async (level, argv, env, directory) => {
    if (level !== "project") return null;
    const [confinement, conceals, guards] = await Promise.all([
      sandboxing.open(),
      permissions.concealed(),
      permissions.guarded(),
    ]);
    if (!confinement) return null;
    const readable = directory ?? root;
    const confined = await confinement.prepare({ cwd: root, readsOnly: false, readable, conceals, guards });
    return { argv: confined.argv(argv), env: confined.env(env), settle: () => confined.settle() };
  };
}
