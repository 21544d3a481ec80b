// What the shell itself does: much of it gives another meaning to what follows.

import { asks, type Doer, danger } from "./spec.js";

export const builtins: Readonly<Record<string, Doer>> = {
  eval: danger("reads its words a second time as a command"),
  source: danger("runs a file in this shell"),
  ".": danger("runs a file in this shell"),
  // Without a command a signal is only ignored, given back, or shown.
  trap: asks("changes what signals do", {
    danger: [[/^(?! |$|-( |$)|-[lp]\b)/, "It runs a command at every step or end."]],
  }),
  alias: danger("gives another meaning to a name"),
  hash: asks("changes the shell", { danger: [[/(^|\s)-\w*p/, "It gives another meaning to a name."]] }),
  enable: danger("changes what names mean"),
  complete: danger("runs commands"),
  compgen: asks("lists names", { danger: [[/(^|\s)-\w*[CFW]/, "It runs a command."]] }),
  bind: danger("runs commands"),
  coproc: danger("starts a process beside the command"),
  mapfile: asks("sets variables", { danger: [[/(^|\s)-\w*C/, "It runs a command."]] }),
  readarray: asks("sets variables", { danger: [[/(^|\s)-\w*C/, "It runs a command."]] }),
  history: asks("shows the history"),
  fc: danger("runs commands of the history"),
  set: asks("changes the shell"),
  unset: asks("changes the shell"),
  shopt: asks("changes the shell"),
  ulimit: asks("changes the shell"),
  umask: asks("changes the shell"),
  wait: asks("waits"),
  jobs: asks("lists jobs"),
  disown: asks("detaches from control"),
  bg: asks("detaches from control"),
  fg: asks("waits"),
  suspend: asks("stops the shell"),
  logout: asks("ends the shell"),
  exit: asks("ends the shell"),
  return: asks("ends the shell"),
  break: asks("leaves a loop"),
  continue: asks("goes on in a loop"),
  pushd: asks("changes the directory"),
  popd: asks("changes the directory"),
  dirs: asks("lists directories"),
  shift: asks("changes the shell"),
  getopts: asks("sets variables"),
  let: {
    does: "evaluates its words",
    check: () => ({ verdict: "opaque", why: "let evaluates its words, quoted or not." }),
  },
  read: {
    does: "sets variables",
    check: ({ words }) =>
      words.every(({ text, literal }) => literal && /^(-[ersu]+|[A-Za-z_]\w*)$/.test(text))
        ? null
        : { verdict: "opaque", why: "read evaluates the names it is given." },
  },
  declare: asks("sets variables"),
  typeset: asks("sets variables"),
  export: asks("sets variables"),
  readonly: asks("sets variables"),
  local: asks("sets variables"),
};
