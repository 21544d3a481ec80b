// Every key there is, in one table: what it does, where, and its words for docs/terminal.md and /help keys.
// Invariants: an action has a name that settings can give other keys to (ui.keys); within one place a key means one thing.

export type Place = "anywhere" | "editor" | "list" | "question";

export interface Binding {
  action: Action;
  place: Place;
  keys: readonly string[];
  doc: string;
}

export type Action =
  | (
      | "cancel"
      | "interrupt"
      | "exit"
      | "steer"
      | "mode"
      | "inspect"
      | "write"
      | "takeBack"
      | "queue"
      | "redraw"
      | "suspend"
    )
  | ("send" | "newLine" | "left" | "right" | "up" | "down" | "wordLeft" | "wordRight" | "lineStart" | "lineEnd")
  | (
      | "erase"
      | "eraseNext"
      | "eraseWord"
      | "eraseNextWord"
      | "eraseToStart"
      | "eraseToEnd"
      | "putBack"
      | "undo"
      | "redo"
    )
  | (
      | "attachImage"
      | "complete"
      | "choose"
      | "next"
      | "previous"
      | "pageUp"
      | "pageDown"
      | "top"
      | "bottom"
      | "fold"
      | "drop"
      | "raise"
      | "lower"
    )
  | ("allow" | "allowAlways" | "deny" | "denyWithWords");

const row = (place: Place, action: Action, keys: string, doc: string): Binding => {
  return { action, place, keys: keys.split(" "), doc };
};

export const bindings: readonly Binding[] = [
  row("anywhere", "cancel", "escape", "Ends the turn that runs; closes a list"),
  row("anywhere", "interrupt", "ctrl+c", "Empties the editor, or ends the turn that runs; twice: leaves Cinch"),
  row("anywhere", "exit", "ctrl+d", "Leaves Cinch when the editor is empty"),
  row("anywhere", "steer", "ctrl+t", "Says what is typed to the model at once, in its very next request"),
  row("anywhere", "mode", "shift+tab", "Next permission mode: ask, acceptEdits, auto, plan"),
  row("anywhere", "inspect", "ctrl+o", "The whole conversation with everything opened; Escape comes back"),
  row("anywhere", "write", "ctrl+g", "Edits the text in $VISUAL or $EDITOR"),
  row("anywhere", "takeBack", "alt+up", "Takes the newest waiting message back into the editor"),
  row("anywhere", "queue", "alt+q", "Lists what waits to be said: any of it can be changed, moved, dropped"),
  row("anywhere", "redraw", "ctrl+l", "Draws the lower part of the screen again"),
  row("anywhere", "suspend", "ctrl+z", "Stops Cinch until `fg`"),
  row("editor", "send", "enter", "Sends; while the agent works, the text waits until it is done"),
  row("editor", "newLine", "shift+enter alt+enter ctrl+j", "New line; so does Enter behind a backslash"),
  row("editor", "left", "left ctrl+b", "Character back"),
  row("editor", "right", "right ctrl+f", "Character forward"),
  row("editor", "up", "up ctrl+p", "Line up; in the first line, the message before"),
  row("editor", "down", "down ctrl+n", "Line down; in the last line, the message after"),
  row("editor", "wordLeft", "alt+left ctrl+left alt+b", "Word back"),
  row("editor", "wordRight", "alt+right ctrl+right alt+f", "Word forward"),
  row("editor", "lineStart", "home ctrl+a", "Start of the line"),
  row("editor", "lineEnd", "end ctrl+e", "End of the line"),
  row("editor", "erase", "backspace ctrl+h", "Erases the character before"),
  row("editor", "eraseNext", "delete", "Erases the character behind"),
  row("editor", "eraseWord", "ctrl+w alt+backspace ctrl+backspace", "Erases the word before"),
  row("editor", "eraseNextWord", "alt+d alt+delete", "Erases the word behind"),
  row("editor", "eraseToStart", "ctrl+u", "Erases to the start of the line"),
  row("editor", "eraseToEnd", "ctrl+k", "Erases to the end of the line"),
  row("editor", "putBack", "ctrl+y", "Puts back what was erased last"),
  row("editor", "undo", "ctrl+- ctrl+_", "Undo"),
  row("editor", "redo", "alt+-", "Redo"),
  row("editor", "complete", "tab", "Completes a command or a file"),
  row("editor", "attachImage", "ctrl+v", "Attaches the image in the clipboard"),
  row("list", "choose", "enter", "Takes the marked line"),
  row("list", "next", "down ctrl+n tab", "Down"),
  row("list", "previous", "up ctrl+p shift+tab", "Up"),
  row("list", "pageUp", "pageUp", "Page up"),
  row("list", "pageDown", "pageDown space", "Page down"),
  row("list", "top", "home", "First line"),
  row("list", "bottom", "end", "Last line"),
  row("list", "fold", "ctrl+o", "In the conversation: closes or opens everything"),
  row("list", "drop", "delete", "In the list of what waits: drops the marked one"),
  row("list", "raise", "alt+up", "In the list of what waits: the marked one is said earlier"),
  row("list", "lower", "alt+down", "In the list of what waits: the marked one is said later"),
  row("question", "allow", "y", "Allows this once"),
  row("question", "allowAlways", "a", "Allows it from now on in this project, as far as the rule shown goes"),
  row("question", "deny", "n", "Denies it"),
  row("question", "denyWithWords", "f", "Denies it and says why: type the words, then Enter"),
];

const actions: readonly string[] = bindings.map(({ action }) => action);

const shape = /^((ctrl|alt|shift|super)\+)*([a-z0-9]|[!-/:-@[-`{-~]|f1?[0-9]|[a-z]+[A-Z]?[a-z]*)$/;

/** Why these are no keys for an action, or null. */
export function keysFault(action: string, keys: unknown): string | null {
  if (!actions.includes(action)) return `${JSON.stringify(action)} is no action; there are ${actions.join(", ")}`;
  const list = typeof keys === "string" ? [keys] : keys;
  if (!Array.isArray(list)) return `${action} needs a key or a list of keys`;
  const wrong = list.find((key) => typeof key !== "string" || !shape.test(key));
  return wrong === undefined
    ? null
    : `${action}: ${JSON.stringify(wrong)} is no key; keys look like ctrl+t, alt+enter, f2`;
}

export type KeyChoice = Readonly<Record<string, string | readonly string[]>>;

/** The table as it is in force: the user's keys in place of the built-in ones. */
export class Keymap {
  readonly rows: readonly Binding[];

  constructor(own: KeyChoice = {}) {
    this.rows = bindings.map((binding) => {
      const keys = own[binding.action];
      return keys === undefined ? binding : { ...binding, keys: typeof keys === "string" ? [keys] : keys };
    });
  }

  find(key: string, ...places: readonly Place[]): Action | undefined {
    for (const place of places) {
      const found = this.rows.find((binding) => binding.place === place && binding.keys.includes(key));
      if (found) return found.action;
    }
    return undefined;
  }

  /** The first key of an action, as hints show it. */
  hint(action: Action): string {
    const key = this.rows.find((binding) => binding.action === action)?.keys[0] ?? "";
    return key
      .split("+")
      .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
      .join("+");
  }
}
