// `cinch completion <shell>`: a script for bash, zsh or fish, made of the tables of commands and flags.

import { UserError } from "../../core/errors.js";
import { safeText } from "../../lib/safe-text.js";
import { type Flag, runFlags } from "../flags.js";
import { writeOut } from "../stdio.js";
import { type Command, commands } from "./index.js";

const shells: Record<string, () => string> = { bash, zsh, fish };

const command: Command = {
  flags: [],
  words: { max: 1, hint: "bash|zsh|fish" },

  async run(_values, [shell = ""]) {
    const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
    if (!script) throw new UserError("cinch completion needs a shell.", "Write cinch completion bash, zsh or fish.");
    writeOut(safeText(script()));
    return 0;
  },
};

export default command;

const flags = () => runFlags.filter(({ later }) => !later);
const quoted = (text: string) => text.replaceAll("'", "");
const valuesOf = ({ kind }: Flag) => (kind.is === "choice" ? kind.values : []);

function bash(): string {
  const choices = flags().filter((flag) => valuesOf(flag).length > 0);
  return `# cinch completion bash >> ~/.bashrc, or: source <(cinch completion bash)
_cinch() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$before" in
${choices.map((flag) => `    --${flag.name}) COMPREPLY=($(compgen -W '${valuesOf(flag).join(" ")}' -- "$word")); return ;;`).join("\n")}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W '${flags()
      .map(({ name }) => `--${name}`)
      .join(" ")}' -- "$word")) ;;
    *) if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(" ")}' -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi ;;
  esac
}
complete -F _cinch cinch
`;
}

function zsh(): string {
  const rows = commands.map(({ name, doc }) => `    '${name}:${quoted(doc).replaceAll(":", "\\:")}'`);
  const options = flags().map((flag) => {
    const values = valuesOf(flag);
    const value =
      flag.kind.is === "switch"
        ? ""
        : `:${flag.name}:${values.length > 0 ? `(${values.join(" ")})` : flag.kind.is === "path" ? "_files" : ""}`;
    return `    '--${flag.name}[${quoted(flag.doc).replace(/[[\]]/g, "")}]${value}'`;
  });
  return `#compdef cinch
# cinch completion zsh > a file "_cinch" in a directory of $fpath
_cinch() {
  local -a commands
  commands=(
${rows.join("\n")}
  )
  _arguments \\
${options.map((option) => `${option} \\`).join("\n")}
    '1: :->first' '*: :_files'
  [ "$state" = first ] && _describe command commands
}
_cinch "$@"
`;
}

function fish(): string {
  const rows = commands.map(
    ({ name, doc }) => `complete -c cinch -n __fish_use_subcommand -a ${name} -d '${quoted(doc)}'`,
  );
  const options = flags().map((flag) => {
    const values = valuesOf(flag);
    const more = flag.kind.is === "switch" ? "" : values.length > 0 ? ` -x -a '${values.join(" ")}'` : " -r";
    return `complete -c cinch -l ${flag.name}${flag.short ? ` -s ${flag.short}` : ""}${more} -d '${quoted(flag.doc)}'`;
  });
  return `# cinch completion fish > ~/.config/fish/completions/cinch.fish\n${[...rows, ...options].join("\n")}\n`;
}
