// What of a user's home directory a confined command sees: toolchains, caches and a few settings. Everything else is not
// there. Tables, by name alone; where the user's PATH leads is added to them.

import { basename, dirname, isAbsolute, join } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

interface Cache {
  /** Below the home directory; `.cache` is wherever XDG has it. */
  path: string;
  /** Says where it is instead, and is set where it is missing. */
  variable?: string;
}

const caches: readonly Cache[] = [
  { path: ".npm", variable: "npm_config_cache" },
  { path: ".cache/pip", variable: "PIP_CACHE_DIR" },
  { path: ".cache/uv", variable: "UV_CACHE_DIR" },
  { path: ".cache/yarn", variable: "YARN_CACHE_FOLDER" },
  { path: ".cache/go-build", variable: "GOCACHE" },
  { path: "go/pkg/mod", variable: "GOMODCACHE" },
  ...[".cache/pnpm", ".local/share/pnpm/store", ".cache/node-gyp", ".bun/install/cache", ".cache/deno"].map(below),
  ...[".cargo/registry", ".cargo/git", ".gradle/caches", ".m2/repository", ".nuget/packages", ".cache/ccache"].map(
    below,
  ),
];

function below(path: string): Cache {
  return { path };
}

export interface PackageCache {
  path: string;
  variable?: string;
}

/** Where package managers keep what they have downloaded; not all of it has to be there. */
export function packageCaches(env: Env, home: string): PackageCache[] {
  const xdg = env["XDG_CACHE_HOME"];
  return caches.map(({ path, variable }) => {
    const set = variable === undefined ? undefined : env[variable];
    const usual = xdg && isAbsolute(xdg) && path.startsWith(".cache/") ? join(xdg, path.slice(7)) : join(home, path);
    const place = set && isAbsolute(set) ? set : usual;
    return variable === undefined ? { path: place } : { path: place, variable };
  });
}

/** Where language toolchains and their version managers are installed, and settings that commands go by. */
const toolchains: readonly string[] = [
  ...[".nvm", ".fnm", ".volta", ".asdf", ".nodenv", ".npm-global", ".yarn", ".bun", ".deno"],
  ...[".rustup", ".cargo/bin", ".cargo/env", ".cargo/config", ".cargo/config.toml", "go/bin", "sdk"],
  ...[".pyenv", ".rye", "miniconda3", "anaconda3", "miniforge3", "mambaforge", ".virtualenvs"],
  ...[".rbenv", ".rvm", ".gem", ".sdkman", ".jenv", ".dotnet", ".ghcup", ".opam", ".juliaup", ".luarocks"],
  ...[".local/bin", ".local/lib", ".local/share/fnm", ".local/share/mise", ".local/share/uv", ".local/share/pipx"],
  ...[".config/composer/vendor", ".composer/vendor", ".nix-profile", ".linuxbrew"],
  ...[".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"],
];

export function toolchainPlaces(home: string): string[] {
  return toolchains.map((path) => join(home, path));
}

/**
 * The directories of PATH, each with what is installed around its `bin`. `isWhole`: is this a directory that holds more than one
 * installation, such as somebody's home?
 */
export function searchPathPlaces(path: string, isWhole: (directory: string) => boolean): string[] {
  return path
    .split(":")
    .filter(isAbsolute)
    .map((directory) => {
      const around = dirname(directory);
      const isPart = ["bin", "sbin", "shims", "condabin"].includes(basename(directory));
      return isPart && !isWhole(around) ? around : directory;
    });
}

/** Keys, passwords, and what browsers and mail programs keep. */
const secrets: readonly string[] = [
  ...[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
  ],
  ...[".netrc", "_netrc", ".pgpass", ".my.cnf", ".git-credentials", ".config/git/credentials", ".pypirc", ".htpasswd"],
  ...[".vault-token", ".s3cfg", ".boto", ".cargo/credentials", ".cargo/credentials.toml", ".config/rclone"],
  ...[".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".config/Bitwarden", ".terraform.d"],
  ...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/Code"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history"],
];

export function secretPlaces(home: string): string[] {
  return secrets.map((path) => join(home, path));
}
