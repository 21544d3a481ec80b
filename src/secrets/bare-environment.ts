// The environment of commands that run unasked: a closed list of names, and programs are looked for outside the project
// only. Pure. Invariant: nothing in it names a program, a file to be loaded or a secret, and git is told to run nothing that
// a repository asks for.

/** Who and where the user is, and how text is written. */
const passed = /^(HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|SystemRoot)$/;

/** Over whatever the repository says. */
const gitSettings: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["safe.bareRepository", "explicit"],
  ["protocol.ext.allow", "never"],
  ["log.showSignature", "false"],
];

export interface BareOptions {
  /** Whether a directory lies where anybody's programs can be. */
  isInside(directory: string): boolean;
}

export function bareEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { isInside }: BareOptions,
): Record<string, string> {
  const bare: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && passed.test(name)) bare[name] = value;
  }
  const directories = (env["PATH"] ?? "").split(":").filter((path) => path.startsWith("/") && !isInside(path));
  bare["PATH"] = directories.length > 0 ? directories.join(":") : "/usr/local/bin:/usr/bin:/bin";
  bare["CINCH"] = "1";
  Object.assign(bare, {
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_CONFIG_COUNT: String(gitSettings.length),
  });
  for (const [index, [key, value]] of gitSettings.entries()) {
    bare[`GIT_CONFIG_KEY_${index}`] = key;
    bare[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return bare;
}
