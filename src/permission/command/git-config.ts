// Whether the configuration of a repository could make git run something: read as text, git is not started for it.
// Invariant: a closed list of what is harmless; a key that is not in it makes the repository unclean, whatever it does.

const sections: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^core$/,
    /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|bigfilethreshold|compression|loosecompression|preloadindex|untrackedcache|trustctime|checkstat|longpaths|fscache|hidedotfiles|protecthfs|protectntfs|sparsecheckout|sparsecheckoutcone|commentchar|whitespace|multipackindex|splitindex|deltabasecachelimit|packedgit\w*)$/,
  ],
  [/^(user|author|committer)$/, /^(name|email|useconfigonly|signingkey)$/],
  [
    /^remote\./,
    /^(url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|gh-resolved|followremotehead)$/,
  ],
  [
    /^branch\./,
    /^(remote|merge|pushremote|rebase|description|vscode-merge-base|github-pr-owner-number|autosetuprebase)$/,
  ],
  [/^submodule\./, /^(url|active|branch|ignore|path|shallow)$/],
  [
    /^(pull|push|fetch|init|branch|advice|color|color\..+|gc|pack|index|status|column|log|tag|commit|merge|rebase|rerere|blame|feature|gui|i18n|lfs|receive|transfer|versionsort|checkout|clone|grep|help|notes|reset|stash|worktree|maintenance|am|apply|mailmap)$/,
    /^(?!(showsignature|gpgsign|gpgprogram|template|templatedir|tool|driver|autostash|instructionformat|cleanup|guess|helper|.*(command|cmd|program|hook|pager|editor|script|path|file|exec).*)$)[\w-]+$/,
  ],
  [
    /^diff$/,
    /^(algorithm|renames|renamelimit|colormoved|colormovedws|context|interhunkcontext|mnemonicprefix|noprefix|relative|statgraphwidth|wserrorhighlight|submodule|indentheuristic|autorefreshindex|suppressblankempty|dirstat|wordregex)$/,
  ],
  [/^extensions$/, /^(refstorage|worktreeconfig|relativeworktrees|noop)$/],
];

/** The first key that is not known to be harmless (or what else is wrong), or null. */
export function configTrouble(text: string): string | null {
  // git goes on with a value in the next line, but never with a comment; nobody harmless needs either.
  if (/\\\r?(\n|$)/.test(text)) return "a line that goes on in the next";
  let section = "";
  for (const raw of text.split("\n")) {
    let line = raw.trim();
    const head = /^\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]/.exec(line);
    if (head) {
      section = `${(head[1] ?? "").toLowerCase()}${head[2] === undefined ? "" : `.${head[2]}`}`;
      if (/^include(if)?(\.|$)/.test(section)) return section;
      line = line.slice(head[0].length).trim();
    }
    if (line === "" || /^[#;]/.test(line)) continue;
    const key = /^([A-Za-z][\w-]*)\s*(=|$)/.exec(line)?.[1]?.toLowerCase();
    if (key === undefined) return "a line that is not understood";
    const known = sections.some(([name, keys]) => name.test(section) && keys.test(key));
    if (!known) return `${section}.${key}`;
    if (/^remote\./.test(section) && /::/.test(line)) return `${section}.${key}`;
  }
  return null;
}
