// What keys do to a draft, wherever one is written: in the editor and in dialogs. Actions that mean something else there are not here.

import type { Action } from "../keys.js";
import type { Draft } from "./draft.js";

const did = (act: (draft: Draft) => void) => (draft: Draft) => {
  act(draft);
  return true;
};

export const edits: Partial<Record<Action, (draft: Draft) => boolean>> = {
  left: did((draft) => draft.left()),
  right: did((draft) => draft.right()),
  wordLeft: did((draft) => draft.wordLeft()),
  wordRight: did((draft) => draft.wordRight()),
  lineStart: did((draft) => draft.lineStart()),
  lineEnd: did((draft) => draft.lineEnd()),
  erase: did((draft) => draft.erase()),
  eraseNext: did((draft) => draft.eraseNext()),
  eraseWord: did((draft) => draft.eraseWord()),
  eraseNextWord: did((draft) => draft.eraseNextWord()),
  eraseToStart: did((draft) => draft.eraseToStart()),
  eraseToEnd: did((draft) => draft.eraseToEnd()),
  putBack: did((draft) => draft.putBack()),
  undo: did((draft) => draft.undo()),
  redo: did((draft) => draft.redo()),
};

/** Keys of a list, where no list is. */
const ofLists: Partial<Record<Action, Action>> = {
  ...({ top: "lineStart", bottom: "lineEnd", drop: "eraseNext" } as const),
};

/** In a dialog, whose keys are those of a list first. False when the key does nothing to a text. */
export function typed(draft: Draft, action: Action): boolean {
  if (action === "newLine") draft.insert("\n");
  else if (action === "next" || action === "down") return draft.vertical(1);
  else if (action === "previous" || action === "up") return draft.vertical(-1);
  else return edits[ofLists[action] ?? action]?.(draft) ?? false;
  return true;
}
