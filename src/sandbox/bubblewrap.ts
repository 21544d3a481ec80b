// bubblewrap: what a command may see and do, as the arguments of `bwrap`. Pure.
// Invariant: the command starts with an empty disk; only what is listed is there, and only what is listed as writable can be
// written. A deeper path decides over the one above it, and of several about one path the strictest. Nothing of the
// environment is set here (environment.ts).
// Deliberately no filter for hosts: the network is there or it is not.

/** A place of the system: shown read-only, or a link that is made anew. */
export interface SystemPlace {
  path: string;
  /** Target of the link. */
  link?: string;
}

/** What a command sees of the disk. All paths canonical and there. */
export interface View {
  system: readonly SystemPlace[];
  /** Programs look for it, whatever of it is shown. */
  home: string;
  /** Files of /proc that change the machine, and those that tell root what is not a command's to know. */
  controls: readonly string[];
  disclosures: readonly string[];
  /** May be written. A directory that is listed also stays where it is: what is mounted cannot be renamed. */
  write: readonly string[];
  /** Are read as they are, whatever holds for the directory they are in. */
  read: readonly string[];
  /** Are empty directories. */
  hiddenDirectories: readonly string[];
  /** Cannot be opened. */
  hiddenFiles: readonly string[];
  /** Directories in whose place `temp` is seen. */
  temps: readonly string[];
  temp: string;
}

/** What a command has of its own. */
export interface Isolation {
  /** Process ids, and a /proc that shows no others. */
  processes: boolean;
  /** A network in which nobody else is. */
  network: boolean;
}

/** Who starts the command. */
export interface Starter {
  isRoot: boolean;
  /**
   * Descriptor of a user namespace that root made, in which everybody is who they are outside; null = bubblewrap makes one, in
   * which only its starter is somebody.
   */
  userNamespace: number | null;
}

/** Of root's powers those over files, so that it still works in a project of somebody else. Read-only stays read-only. */
const rootKeeps = ["CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER", "CAP_FSETID"];

/** Everything before the command itself. */
export function bubblewrapArguments(view: View, isolation: Isolation, cwd: string, starter: Starter): string[] {
  const { isRoot, userNamespace } = starter;
  return [
    ...["--die-with-parent", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"],
    ...(userNamespace === null ? ["--unshare-user"] : ["--userns", String(userNamespace)]),
    ...(isRoot ? rootKeeps.flatMap((capability) => ["--cap-add", capability]) : []),
    ...(isolation.processes ? ["--unshare-pid"] : []),
    ...(isolation.network ? ["--unshare-net"] : []),
    ...["--tmpfs", "/", "--dev", "/dev"],
    ...processFiles(view, isolation),
    ...mounts(view).flatMap(({ words }) => words),
    // Only now: what lies below a hidden directory and is seen needs a place in it.
    ...["/", ...view.hiddenDirectories].flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", cwd, "--"],
  ];
}

function processFiles({ controls, disclosures }: View, { processes }: Isolation): string[] {
  return [
    ...(processes ? ["--proc", "/proc"] : ["--ro-bind", "/proc", "/proc"]),
    ...controls.flatMap((path) => ["--ro-bind", path, path]),
    ...disclosures.flatMap((path) => ["--ro-bind", "/dev/null", path]),
  ];
}

interface Mount {
  path: string;
  words: string[];
}

/** In the order in which they go on top of each other. */
function mounts(view: View): Mount[] {
  const all: Mount[] = [
    { path: view.home, words: ["--dir", view.home] },
    ...view.system.map(({ path, link }) => ({
      path,
      words: link === undefined ? ["--ro-bind", path, path] : ["--symlink", link, path],
    })),
    ...view.temps.map((path) => ({ path, words: ["--bind", view.temp, path] })),
    ...view.write.map((path) => ({ path, words: ["--bind", path, path] })),
    ...view.read.map((path) => ({ path, words: ["--ro-bind", path, path] })),
    ...view.hiddenDirectories.map((path) => ({ path, words: ["--tmpfs", path] })),
    ...view.hiddenFiles.map((path) => ({ path, words: ["--ro-bind", "/dev/null", path] })),
  ];
  // Stable: of one depth in the order above.
  return all.sort((a, b) => depth(a.path) - depth(b.path));
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}
