// What `cinch doctor` says: one finding a matter. `note` is worth knowing and not wrong; `wrong` makes the exit code 1.

export interface Finding {
  about:
    | "settings"
    | "trust"
    | "state"
    | "sessions"
    | "objects"
    | "leftovers"
    | "tasks"
    | "models"
    | "programs"
    | "sandbox"
    | "languages";
  state: "ok" | "note" | "wrong";
  text: string;
  /** What to do; "" when nothing needs to be done. */
  fix: string;
}

export function finding(about: Finding["about"], state: Finding["state"], text: string, fix = ""): Finding {
  return { about, state, text, fix };
}
