// What a path is to the one who would read or write it: plain, secret, or something that governs what runs later.
// Pure: canonical paths in, a word out. Names are compared in lower case and without what some disks ignore.

export interface Spot {
  /** Canonical, absolute. */
  path: string;
  /** In the project or an added directory. */
  inside: boolean;
  isDirectory: boolean;
}

/** A reason why nothing may go there unasked, or null. */
export type Alarm = { rule: string; why: string } | null;

const folded = (path: string) =>
  path
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "")
    .replace(/[. ]+(?=\/|$)/g, (dots) => (/^\.{1,2}$/.test(dots) ? dots : ""));

const secretName =
  /^(\.env(\..*)?|\.envrc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.npmrc|\.pypirc|\.htpasswd|\.vault-token|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|credentials(\.json)?|secrets?\.(json|ya?ml|toml|env)|service-account.*\.json|application_default_credentials\.json|terraform\.tfstate)$/;
const harmlessName = /^\.env\.(example|sample|template|dist|defaults?)$/;
const secretDirectory =
  /(^|\/)\.(ssh|aws|gnupg|kube|azure|docker|password-store)(\/|$)|(^|\/)\.config\/(gcloud|gh|op|cinch)(\/|$)|(^|\/)library\/keychains(\/|$)/;
const systemSecret = /^\/etc\/(shadow|gshadow|sudoers|ssh\/|ssl\/private)|^\/root(\/|$)|\.(sock|socket)$/;
const process = /^\/proc\/(\d+|self|thread-self)(\/|$)/;
const endless = /^\/dev\/(zero|full|urandom|random|tty|ttys?\d*|stdin|kmsg)$/;
const kernel = /^\/proc\/(kcore|kmsg|sysrq-trigger|kallsyms)|^\/dev\/(mem|kmem|port|sd|nvme|hd|vd|disk|mapper|tcp|udp)/;

/** Whether a file of this name is withheld, wherever it is. */
export function isSecretName(name: string): boolean {
  const plain = folded(name);
  return secretName.test(plain) && !harmlessName.test(plain);
}

export function readAlarm({ path }: Spot, home: string): Alarm {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const plain = folded(path);
  if (isSecretName(name) || secretDirectory.test(withoutHome(plain, home)) || systemSecret.test(plain)) {
    return { rule: "path:secret", why: `${name} can hold secrets.` };
  }
  if (process.test(plain))
    return { rule: "path:process", why: "It shows the memory, environment or files of a process." };
  if (kernel.test(plain)) return { rule: "path:device", why: "It is a raw device, or the network." };
  return null;
}

/** A file that never ends, for whoever reads all of it. */
export function isEndless(path: string): boolean {
  return endless.test(path);
}

const governing =
  /(^|\/)(\.git|\.cinch|\.claude|\.vscode|\.idea|\.husky|\.hg|\.svn)(\/|$)|(^|\/)\.github\/workflows(\/|$)|(^|\/)git~\d+(\/|$)|(^|\/)(\.mcp\.json|\.envrc|\.env(\..*)?|\.npmrc|\.yarnrc(\.yml)?|\.gitmodules|\.gitconfig|\.gitattributes|\.pypirc|\.netrc|\.pre-commit-config\.yaml)$/;
const startUp =
  /(^|\/)(\.bashrc|\.bash_profile|\.bash_login|\.bash_logout|\.bash_aliases|\.profile|\.zshrc|\.zshenv|\.zprofile|\.zlogin|\.kshrc|\.cshrc|\.tcshrc|\.inputrc|\.vimrc|\.exrc|\.emacs|\.tmux\.conf|\.xinitrc|\.xprofile|\.xsessionrc|\.gdbinit|\.curlrc|\.wgetrc|\.pythonrc|\.condarc|\.forward)$/;
const startUpDirectory =
  /(^|\/)\.config\/(fish|autostart|systemd|git|nvim|cinch|environment\.d|zsh)(\/|$)|(^|\/)library\/launch(agents|daemons)(\/|$)|(^|\/)\.local\/(bin|share\/(applications|systemd))(\/|$)|(^|\/)\.(vim|emacs\.d|oh-my-zsh)(\/|$)/;
const system =
  /^\/(etc|bin|sbin|boot|lib\w*|opt|sys|proc|usr|dev|var\/(spool|lib|run)|run|system|library|applications)(\/|$)/;

export function writeAlarm(spot: Spot, home: string): Alarm {
  const name = spot.path.slice(spot.path.lastIndexOf("/") + 1);
  const plain = folded(spot.path);
  const below = withoutHome(plain, home);
  if (spot.inside ? governing.test(below) : governing.test(plain)) {
    return { rule: "path:protected", why: `${name} decides what is run or allowed later.` };
  }
  if (startUp.test(plain) || (!spot.inside && startUpDirectory.test(below))) {
    return { rule: "path:start-up", why: `${name} is read by programs when they start.` };
  }
  if (!spot.inside && system.test(plain) && !/^\/dev\/(null|stdout|stderr|fd\/\d+)$/.test(plain)) {
    return { rule: "path:system", why: `${spot.path} belongs to the system.` };
  }
  return secretDirectory.test(below) || isSecretName(name)
    ? { rule: "path:secret", why: `${name} can hold secrets.` }
    : null;
}

function withoutHome(path: string, home: string): string {
  const base = home.toLowerCase();
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
