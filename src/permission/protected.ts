// Paths that are never changed without a yes, in any mode: files that decide what Cinch, git, an editor, a shell or a build
// machine will execute, and the instructions that agents go by. Names are compared as the most forgiving file system would
// (SECURITY 4.4): NFC, lower case, without ignorable characters, trailing dots and blanks, streams; short names are known.
// Deliberately no globs and no settings: `permissions.protect` adds to this, nothing takes away from it.

/** By these, as they are written, this and other agents and editors start things without anybody running the project. */
export const startsThings: readonly string[] = [
  ...[".cinch", ".agents", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".mcp.json"],
];

/** What is said in these, as they are written, agents go by. */
export const speaks: readonly string[] = [
  ...["AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules"],
];

/** Directories, whatever is in them. */
const directories = new Set([
  ...[".git", ...startsThings, ".idea", ".zed"],
  ...[".fleet", ".devcontainer", ".husky", ".githooks", ".lefthook", ".circleci", ".buildkite", ".direnv", ".ssh"],
  ...[".gnupg", ".yarn"],
]);

/** Directories inside a certain other one. */
export const protectedBelow: readonly (readonly [string, string])[] = [
  [".github", "workflows"],
  [".github", "actions"],
  [".config", "git"],
  [".config", "fish"],
  [".config", "autostart"],
  [".config", "systemd"],
];

const files = new Set([
  ...speaks.map((name) => name.toLowerCase()),
  ...[".gitmodules", ".gitattributes", ".gitconfig", ".envrc", ".tool-versions", "mise.toml", ".mise.toml"],
  ...[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "bunfig.toml",
    ".pypirc",
    "pip.conf",
    ".pre-commit-config.yaml",
  ],
  ...["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".gitlab-ci.yml", ".travis.yml", ".drone.yml", "jenkinsfile"],
  ...["azure-pipelines.yml", "bitbucket-pipelines.yml", ".appveyor.yml", "appveyor.yml", ".woodpecker.yml"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv"],
  ...[".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", "config.fish"],
  ...[
    ".ripgreprc",
    ".curlrc",
    ".wgetrc",
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".gdbinit",
    ".lldbinit",
    ".tmux.conf",
    ".netrc",
  ],
]);

/** The name as the most forgiving file system reads it. */
export function foldName(name: string): string {
  const seen = name.normalize("NFC").replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, "");
  const named = seen.split(":", 1)[0] ?? "";
  let end = named.length;
  while (". \t".includes(named[end - 1] ?? "-")) end--;
  return named.slice(0, end).toLowerCase();
}

/** `parts`: the names of a canonical path below the project's root, or of the whole path when it lies outside. */
export function isProtectedPath(parts: readonly string[]): boolean {
  const names = parts.map(foldName);
  const last = names.at(-1) ?? "";
  if (files.has(last) || last.endsWith(".code-workspace") || isShort(last, files)) return true;
  return names.some((name, i) => {
    if (directories.has(name) || isShort(name, directories)) return true;
    return protectedBelow.some(([outer, inner]) => names[i - 1] === outer && name === inner);
  });
}

/** `GIT~1` may be `.git`: the first letters without dots, a tilde and a number. */
function isShort(name: string, names: ReadonlySet<string>): boolean {
  const [, stem] = /^([^~.]{1,6})~\d(?:\.[^.]{1,3})?$/.exec(name) ?? [];
  if (stem === undefined) return false;
  return [...names].some((each) => each.replace(/^\./, "").replace(/\..*$/, "").slice(0, 6) === stem);
}
