// The tree of a session as tests read it: by what its entries say, not by their ids.

import { createHarness, type SessionTree } from "../../src/index.js";
import type { Stage } from "./stage.js";

export const sessionsOf = (set: Stage) => createHarness({ cwd: set.root, home: set.home }).sessions;

/** The entry that says this; fails where none does. */
export const withText = (tree: SessionTree, text: string) => {
  const found = tree.entries.find((entry) => entry.text === text);
  if (!found) throw new Error(`no entry says ${text}`);
  return found;
};

/** What was said on the active path. */
export const activeTexts = (tree: SessionTree) =>
  tree.entries.filter(({ active, type }) => active && type === "message").map(({ text }) => text);

/** The file of the newest session. */
export const fileOf = async (set: Stage) => (await sessionsOf(set).list())[0]?.file ?? "";
