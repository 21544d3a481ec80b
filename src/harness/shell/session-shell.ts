// The shell of a session: commands with their analysis, environment, sandbox, claims and supervisor, put together when the
// first of them is planned.

import type { Settings } from "../../config/schema.js";
import type { Emit } from "../../core/event.js";
import type { AgentClaims } from "../../files/claims/claims.js";
import type { Fs } from "../../lib/fs.js";
import { keyVariables } from "../../models/open.js";
import { childEnvironment } from "../../secrets/environment.js";
import { knownSecrets } from "../../secrets/known.js";
import { loadCommands, loadPorts } from "../lazy.js";
import type { Inventory } from "../permissions/inventory.js";
import type { SessionPermissions } from "../permissions/permissions.js";
import type { LaunchingShell, ShellOptions } from "../ports.js";
import type { Sandboxing } from "./sandboxing.js";
import { keysVisible, type Supervision } from "./supervision.js";

export interface SessionShellOptions {
  root: string;
  cwd: string;
  addDirs: readonly string[];
  spillDir: string;
  config: string;
  state: string;
  disk: Fs;
  env: Readonly<Record<string, string | undefined>>;
  settings: Settings;
  supervision: Supervision;
  sandboxing: Sandboxing;
  emit: Emit;
  claims(): Promise<AgentClaims>;
  permissions: Pick<SessionPermissions, "concealed" | "guarded">;
  inventory(): Promise<Inventory>;
}

export async function openShell(options: SessionShellOptions): Promise<LaunchingShell> {
  const { root, cwd, addDirs, spillDir, disk, env, settings, supervision, sandboxing, emit } = options;
  const rules = Promise.all([options.permissions.concealed(), options.permissions.guarded()]);
  const opening = [loadPorts(), loadCommands(), options.claims(), supervision.open(), rules] as const;
  const [{ createShell }, { createCommands }, claims, guard, [conceals, guards]] = await Promise.all(opening);
  if ((await supervision.hide()) === "visible") emit(keysVisible);
  const ground = { root, cwd, addDirs, disk };
  const commands = createCommands({ ...options, conceals });
  const child = childEnvironment(env, { ...settings.env, keys: keyVariables(settings.models) });
  const confine = await sandboxing.around({ readable: spillDir, conceals, guards }, emit);
  const look: ShellOptions["look"] = async ({ command, cwd, readsOnly, byHand }) => {
    const inventory = await options.inventory();
    await inventory.refresh(!readsOnly || /\bgit\b/.test(command));
    // What somebody said yes to by its name is shown.
    if (!byHand) return;
    const { parts } = await commands.analyse(command, cwd);
    inventory.release(parts.flatMap(({ paths = [] }) => paths));
  };
  const isFull = (await sandboxing.state()) === "full";
  const answering = isFull ? {} : { answering: { root, addDirs, conceals } };
  const own = { look, guard, check: claims.checkCommand.bind(claims), spillDir };
  return createShell({ ...ground, ...own, env: child, commands, redactor: knownSecrets, ...answering, ...confine });
}
