// Name, usage and doc of every slash command, for /help, completion and the documentation.

import { slashCommands } from "./index.js";
import type { Slash } from "./slash.js";

export type SlashHelp = Pick<Slash, "name" | "usage" | "doc">;

export function slashHelp(): Promise<SlashHelp[]> {
  return Promise.all(Object.values(slashCommands).map((load) => load()));
}
