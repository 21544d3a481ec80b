// The rule that "always" would make of a question: the narrowest one, or none. Pure.
// Invariants: nothing that is protected, secret, dangerous or opaque is ever offered, no interpreter, wrapper or downloader
// (their arguments are programs), no program that lies in the project (the agent can change it), and nothing wider than one
// file, these exact words, or a subcommand of a program on the list below.

import type { CommandPart } from "../core/command.js";
import { interpreters, launchers, shells, wrappers } from "./command/programs/shells.js";
import type { Act, Decision } from "./decide.js";
import { patternOf } from "./path-patterns.js";
import { writeWords } from "./words.js";

/** Programs and the subcommands that do one thing whatever follows. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  git: ["add", "commit", "fetch", "restore", "stash", "switch"],
  cargo: ["build", "check", "clippy", "fmt", "test"],
  go: ["build", "fmt", "test", "vet"],
  dotnet: ["build", "test"],
  npm: ["run *", "test"],
  pnpm: ["run *", "test"],
  yarn: ["run *", "test"],
};

/** Beside shells, interpreters and what starts others: programs that run, build or fetch what their words or files say. */
const mayRun = new RegExp(
  `^(?:${[
    ...["[gmn]?awk", "sed", "ed", "vim?", "nvim", "emacs", "gdb", "java", "make", "find", "fd"],
    ...["su", "eval", "source", "\\."],
    ...["npx", "pnpx", "bunx", "uvx?", "pipx?[\\d.]*", "corepack", "docker", "podman", "kubectl", "ssh"],
    ...["curl", "wget", "aria2c", "scp", "sftp", "rsync", "ftp", "nc", "ncat", "netcat", "socat", "telnet"],
  ].join("|")})$`,
);

function runsOthers(program: string): boolean {
  const starts = shells.has(program) || Object.hasOwn(wrappers, program) || launchers.test(program);
  return starts || interpreters.test(program) || mayRun.test(program);
}

/** The text of an allow rule, or null. `root`: the project's. */
export function offerFor(act: Act, { verdict, rule }: Decision, root: string): string | null {
  if (verdict === "ask" && rule === "outside") return placeRule(act, root);
  const name = act.tool.alias ?? act.tool.name;
  if (verdict === "ask" && rule === "unconfined" && act.command) return commandRule(act.command.parts, name);
  if (verdict !== "ask" || !rule.startsWith("mode:")) return null;
  if (act.command) return commandRule(partsThatAsk(act.command.parts), name);
  if (act.tool.family === "mcp") return act.tool.name;
  const [path, ...others] = act.paths;
  if (act.effect !== "write" || path === undefined || others.length > 0) return null;
  return `Edit(${patternOf(path, root)})`;
}

/** A directory stands for what is in it. */
function placeRule({ paths: [path, ...others] }: Act, root: string): string | null {
  return path === undefined || path === "/" || others.length > 0 ? null : `Read(${patternOf(path, root)})`;
}

const partsThatAsk = (parts: readonly CommandPart[]) => parts.filter(({ verdict }) => verdict !== "readonly");

function commandRule(open: readonly CommandPart[], name: string): string | null {
  const specs = new Set(open.map(specFor));
  const [spec] = specs;
  return specs.size === 1 && spec !== null && spec !== undefined ? `${name}(${spec})` : null;
}

function specFor({ argv, exact, verdict }: CommandPart): string | null {
  const [program = "", sub = "", script = ""] = argv;
  if (!exact || verdict === "never-auto" || !/^[\w.+-]+$/.test(program) || runsOthers(program)) return null;
  const subs = Object.hasOwn(fixed, program) ? (fixed[program] ?? []) : [];
  if (subs.includes(sub)) return `${writeWords([program, sub])} *`;
  if (subs.includes(`${sub} *`) && /^[\w:.-]+$/.test(script) && !script.startsWith("-"))
    return `${writeWords([program, sub, script])} *`;
  return writeWords(argv);
}
