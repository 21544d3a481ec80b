// What a path is to the one who would read or write it: plain, secret, or something that governs what runs later.
// Pure: canonical paths in, a word out. What is protected and what is secret is told by the lists that hold for every tool;
// here is what only a command can reach: devices, processes, the system, what programs read when they start.

import { foldName, isProtectedPath } from "../protected.js";
import { isSecretPath } from "../secret-files.js";

export interface Spot {
  /** Canonical, absolute. */
  path: string;
  /** What else it is called: as given, and at each link on the way. */
  names?: readonly string[];
  /** In the project or an added directory. */
  inside: boolean;
  isDirectory: boolean;
  /** Something else is there. */
  isFile: boolean;
  /** Cinch keeps it: what it goes by, or what it put aside to be read. */
  kept?: "own" | "lent" | undefined;
  /** Something that Cinch goes by lies below. */
  holdsOwn?: boolean;
}

/** A reason why nothing may go there unasked, or null. */
export type Alarm = { rule: string; why: string } | null;

const folded = (path: string) => path.split("/").map(foldName).join("/");
const namesOf = (path: string) => path.split("/").filter((name) => name !== "");

/** The directories themselves, and places that only a command would get at. */
const secretDirectory =
  /(^|\/)\.(ssh|aws|gnupg|kube|azure|docker)$|(^|\/)\.password-store(\/|$)|(^|\/)\.config\/(gcloud|gh|op|cinch)(\/|$)|(^|\/)library\/keychains(\/|$)|(^|\/)(\.npmrc|credentials|terraform\.tfstate)$/;
const systemSecret = /^\/etc\/(shadow|gshadow|sudoers|ssh\/|ssl\/private)|^\/root(\/|$)|\.(sock|socket)$/;
const process = /^\/proc\/(\d+|self|thread-self)(\/|$)/;
const endless = /^\/dev\/(zero|full|urandom|random|tty|ttys?\d*|stdin|kmsg)$/;
const kernel = /^\/proc\/(kcore|kmsg|sysrq-trigger|kallsyms)|^\/dev\/(mem|kmem|port|sd|nvme|hd|vd|disk|mapper|tcp|udp)/;

/** Whether a file of this name is withheld, wherever it is. */
export function isSecretName(name: string): boolean {
  return isSecretPath([name]) || secretDirectory.test(foldName(name));
}

export function readAlarm(spot: Spot): Alarm {
  return firstAlarm(spot, readAlarmOf);
}

/** By whatever name. */
function firstAlarm(spot: Spot, alarmOf: (spot: Spot) => Alarm): Alarm {
  for (const path of [spot.path, ...(spot.names ?? [])]) {
    const alarm = alarmOf({ ...spot, path });
    if (alarm) return alarm;
  }
  return null;
}

function readAlarmOf({ path, inside, kept }: Spot): Alarm {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (kept === "own" && !inside) return { rule: "path:harness", why: `${name} is what Cinch itself goes by.` };
  const plain = folded(path);
  // Outside of the project a text of that name asks like its neighbours.
  const isText = !inside && /^secrets?\.txt$/i.test(name);
  if ((isSecretPath(namesOf(path)) && !isText) || secretDirectory.test(plain) || systemSecret.test(plain)) {
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

const startUpDirectory =
  /(^|\/)\.config\/(fish|autostart|systemd|git|nvim|cinch|environment\.d|zsh)(\/|$)|(^|\/)library\/launch(agents|daemons)(\/|$)|(^|\/)\.local\/(bin|share\/(applications|systemd))(\/|$)|(^|\/)\.(vim|emacs\.d|oh-my-zsh)(\/|$)/;
const system =
  /^\/(etc|bin|sbin|boot|lib\w*|opt|sys|proc|usr|dev|var\/(spool|lib|run)|run|system|library|applications)(\/|$)/;

export function writeAlarm(spot: Spot, home: string): Alarm {
  return firstAlarm(spot, (each) => writeAlarmOf(each, home));
}

function writeAlarmOf(spot: Spot, home: string): Alarm {
  const name = spot.path.slice(spot.path.lastIndexOf("/") + 1);
  const plain = folded(spot.path);
  const below = withoutHome(plain, home);
  if (spot.kept) return { rule: "path:harness", why: `${name} is what Cinch itself goes by.` };
  if (isProtectedPath(namesOf(spot.path)) || /(^|\/)\.env(\.[^/]*)?(\/|$)/.test(plain)) {
    return { rule: "path:protected", why: `${name} decides what is run or allowed later.` };
  }
  if (!spot.inside && startUpDirectory.test(below)) {
    return { rule: "path:start-up", why: `${name} is read by programs when they start.` };
  }
  if (!spot.inside && system.test(plain) && !/^\/dev\/(null|stdout|stderr|fd\/\d+)$/.test(plain)) {
    return { rule: "path:system", why: `${spot.path} belongs to the system.` };
  }
  return secretDirectory.test(plain) || isSecretPath(namesOf(spot.path))
    ? { rule: "path:secret", why: `${name} can hold secrets.` }
    : null;
}

function withoutHome(path: string, home: string): string {
  const base = home.toLowerCase();
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
