// The text of --help, from the tables of flags, subcommands and slash commands.

import { commands } from "./commands/index.js";
import type { Flag } from "./flags.js";
import { slashHelp } from "./slash/help-table.js";

export async function usage(flags: readonly Flag[]): Promise<string> {
  const slashes = await slashHelp();
  return [
    "cinch                        a conversation in the terminal",
    'cinch "what to do"           the same, begun with that prompt',
    "cinch -p <prompt>            run a task to its end and print the answer",
    "cinch <command> [flags]      one of the commands below",
    "",
    "Flags",
    ...flagLines(flags),
    "",
    "Commands",
    ...commands.map(({ name, doc }) => `  ${name.padEnd(width)}${doc}`),
    "",
    "In the conversation a prompt may begin with",
    ...slashes.flatMap(({ name, usage, doc }) => twoColumns(`/${name} ${usage}`.trimEnd(), doc)),
    "",
    "Exit codes: 0 done, 1 failed, 2 usage, 3 no model or key refused, 5 loop, 6 budget, 7 denied, 8 cut, 75 try again,",
    "129 130 143 stopped by a signal. A prompt is one argument; -- ends flags. More: docs/cli.md",
  ].join("\n");
}

export function commandUsage(name: string, doc: string, flags: readonly Flag[]): string {
  return [`cinch ${name}: ${doc}`, "", "Flags", ...flagLines(flags)].join("\n");
}

const width = 34;

function twoColumns(call: string, doc: string): string[] {
  const left = `  ${call}`;
  return left.length < width + 2 ? [left.padEnd(width + 2) + doc] : [left, " ".repeat(width + 2) + doc];
}

function flagLines(flags: readonly Flag[]): string[] {
  return flags
    .filter((flag) => !flag.later)
    .flatMap((flag) => {
      const short = flag.short ? `-${flag.short}, ` : "    ";
      return twoColumns(`${short}--${flag.name}${flag.hint ? ` ${flag.hint}` : ""}`, flag.doc);
    });
}
