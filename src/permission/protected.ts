// Paths that are never changed without a yes, in any mode: files that decide what Cinch, git, an editor, a shell or a build
// machine will execute, and the instructions that agents go by. The one table of them: file tools, the analysis of commands and
// the sandbox all ask here. What a project is made of (package.json, Makefile) is not in it, although it runs as well. Names are compared as the most forgiving file system would
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
  // Version control and what it runs.
  ...[".git", ".hg", ".svn", ".jj", ".husky", ".githooks", ".lefthook"],
  // Agents.
  ...startsThings,
  ...[".aider", ".amazonq", ".amp", ".augment", ".cline", ".clinerules", ".codeium", ".continue", ".copilot", ".crush"],
  ...[".factory", ".goose", ".junie", ".kilo", ".kilocode", ".kiro", ".opencode", ".qodo", ".qwen", ".roo", ".serena"],
  ...[".tabnine", ".trae", ".warp", ".windsurf", ".zencoder"],
  // Editors.
  ...[
    ".idea",
    ".run",
    ".zed",
    ".fleet",
    ".helix",
    ".nova",
    ".nvim",
    ".vim",
    ".emacs.d",
    ".vs",
    ".devcontainer",
    ".idx",
  ],
  // Build machines.
  ...[".circleci", ".buildkite", ".builds", ".drone", ".semaphore", ".teamcity", ".tekton", ".woodpecker"],
  // Environments, package managers, keys.
  ...[".direnv", ".mise", ".rtx", ".tmuxinator", ".yarn", ".ssh", ".gnupg"],
]);

/** Names inside a certain directory. */
export const protectedBelow: readonly (readonly [string, string])[] = [
  ...below(".github", ["workflows", "actions", "prompts", "instructions", "chatmodes", "agents", "skills", "hooks"]),
  ...below(".github", ["copilot-instructions.md", "copilot", "mcp.json"]),
  ...below(".gitea", ["workflows", "actions"]),
  ...below(".forgejo", ["workflows", "actions"]),
  ...below(".gitlab", ["ci", "agents", "duo"]),
  ...below(".cargo", ["config", "config.toml", "credentials", "credentials.toml"]),
  ...below(".config", ["git", "fish", "zsh", "autostart", "systemd", "environment.d", "direnv", "mise", "husky"]),
  ...below(".config", ["nvim", "helix", "zed", "tmux", "tmuxinator", "cinch", "opencode", "goose", "crush", "amp"]),
  ...below(".config", ["github-copilot", "mcphub", "lefthook.yml", "lefthook.yaml", "lefthook.toml", "mise.toml"]),
];

function below(outer: string, names: readonly string[]): [string, string][] {
  return names.map((name) => [outer, name]);
}

const files = new Set([
  // What agents are told, and what they may see.
  ...speaks.map((name) => name.toLowerCase()),
  ...["agent.md", "qwen.md", "warp.md", "crush.md", "opencode.md", "conventions.aider.md", ".rules", ".windsurfrules"],
  ...[
    ".roorules",
    ".roomodes",
    ".kilocodemodes",
    ".goosehints",
    ".augment-guidelines",
    "opencode.json",
    "opencode.jsonc",
  ],
  ...["crush.json", ".crush.json", ".replit", ".gitpod.yml", ".aiexclude"],
  // Version control and what it runs.
  ...[".gitmodules", ".gitattributes", ".gitconfig", ".hgrc", ".pre-commit-config.yaml", ".pre-commit-config.yml"],
  ...[".overcommit.yml"],
  // Build machines.
  ...[".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", ".travis.yaml", ".drone.yml", ".drone.yaml", ".drone.star"],
  ...[".drone.jsonnet", "jenkinsfile", "azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml"],
  ...[
    ".appveyor.yml",
    "appveyor.yml",
    ".woodpecker.yml",
    ".woodpecker.yaml",
    ".cirrus.yml",
    ".cirrus.star",
    ".build.yml",
  ],
  ...[
    "codemagic.yaml",
    "wercker.yml",
    "cloudbuild.yaml",
    "cloudbuild.yml",
    "buildspec.yml",
    ".zuul.yaml",
    "circle.yml",
  ],
  // Environments and package managers.
  ...[".envrc", ".tool-versions", "rust-toolchain", "rust-toolchain.toml", ".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs"],
  ...["bunfig.toml", ".bunfig.toml", ".pypirc", "pip.conf", ".condarc"],
  // Shells and programs that read a file when they start.
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv"],
  ...[".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", "config.fish"],
  ...[".ripgreprc", ".curlrc", ".wgetrc", ".netrc", ".tmux.conf", ".screenrc", ".xinitrc", ".xprofile", ".xsessionrc"],
  ...[".gdbinit", ".lldbinit", ".pdbrc", ".pythonrc", ".pythonrc.py", ".irbrc", ".pryrc", ".rprofile", ".ghci"],
  ...[".psqlrc", ".sqliterc", ".forward"],
  // Editors.
  ...[".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".local.vimrc", ".emacs", ".dir-locals.el"],
  ...[".dir-locals-2.el", ".projectile"],
]);

/** Families of names. */
const families: readonly RegExp[] = [
  /\.(?:code-workspace|sublime-project|sublime-workspace)$/,
  /^\.aider[.-]/,
  /^\.(?:roorules|clinerules|windsurfrules)-/,
  /^\.goosehints\./,
  /^\.(?:cursor|cline|roo|kilocode|codeium|copilot|gemini|claude|aider|augment|goose|continue|qwen|kiro|trae|cinch)(?:indexing)?ignore$/,
  /^\.?mise(?:\.[\w-]+)*\.toml$/,
  /^\.yarnrc(?:\.|$)/,
  /^\.pnp\./,
  /^\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$/,
  /^\.?simple-git-hooks\.\w+$/,
  /^\.huskyrc(?:\.|$)/,
  /^jenkinsfile\./,
  /^\.?tmux(?:inator|p)\.(?:ya?ml|json)$/,
];

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
  if (files.has(last) || isShort(last, files) || families.some((family) => family.test(last))) return true;
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
