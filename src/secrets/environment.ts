// The environment of child processes: what the user has, minus secrets, plus what keeps a child from asking anybody.
// Pure: environment in, environment out. Blocking wins over passing by pattern; `pass` names are exact.
// It is no wall: a child that may read the user's files can find keys there (docs/files.md).

import { fitsPieces } from "../lib/pieces.js";

export interface ChildEnvironmentOptions {
  /** Names kept although they look secret (setting `env.pass`). */
  pass?: readonly string[];
  /** Names never handed on, `*` stands for any characters (setting `env.block`). */
  block?: readonly string[];
  /** Names of the variables that Cinch itself takes keys from. */
  keys?: readonly string[];
}

const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
/** Would make the shell read a file or take functions before the command it was given. */
const shellState = /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PROMPT_COMMAND|CDPATH|GLOBIGNORE)$/;

export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  options: ChildEnvironmentOptions = {},
): Record<string, string> {
  const withheld = withheldNames(options);
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || shellState.test(name) || withheld(name)) continue;
    child[name] = value;
  }
  child["CINCH"] = "1";
  child["GIT_TERMINAL_PROMPT"] = "0";
  // Without a terminal an editor can only hang; git then takes what is there, or refuses.
  for (const name of ["GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL"]) child[name] = "true";
  child["GIT_OPTIONAL_LOCKS"] = "0";
  child["PAGER"] = "cat";
  child["GIT_PAGER"] = "cat";
  return child;
}

/** A test for names that commands do not get. */
export function withheldNames(options: ChildEnvironmentOptions): (name: string) => boolean {
  const pass = new Set(options.pass);
  const keys = new Set(options.keys);
  const blocked = (options.block ?? []).map((glob) => glob.split("*"));
  return (name) =>
    keys.has(name) || blocked.some((block) => fitsPieces(block, name)) || (isSecretName(name) && !pass.has(name));
}

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
