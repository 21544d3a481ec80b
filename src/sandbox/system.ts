// What of the system a confined command sees, read-only: programs and libraries, and how they are set up. Home directories,
// other disks, /run with its sockets, and what services keep in /var are not among it.
// Only looks, at names.

import type { Fs } from "../lib/fs.js";
import type { SystemPlace } from "./bubblewrap.js";

/** Directories at the root; on many systems some are links into /usr. */
const roots = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu"];

/** What programs ask of the machine and of its package manager. */
const parts = [
  ...["/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup", "/sys/kernel/mm"],
  ...["/var/lib/dpkg", "/var/lib/ca-certificates", "/var/lib/texmf", "/var/cache/fontconfig"],
  ...["/run/current-system", "/run/wrappers"],
];

/** In /etc, and readable by root. */
const secrets = [
  ...["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "krb5.keytab", "ssl/private", "wireguard"],
  ...["letsencrypt", "NetworkManager/system-connections", "ssh/ssh_host_rsa_key", "ssh/ssh_host_ecdsa_key"],
  ...["ssh/ssh_host_ed25519_key", "docker/key.json"],
].map((name) => `/etc/${name}`);

/** Below /proc. The first is everybody's concern: what holds for a network is set there. */
const controls = ["sys", "sysrq-trigger", "irq", "bus", "fs"].map((name) => `/proc/${name}`);
const disclosures = ["kcore", "keys", "timer_list", "sched_debug", "kallsyms"].map((name) => `/proc/${name}`);

/** What of /proc must not be written, and what must not be read. */
export function kernelFiles(disk: Pick<Fs, "existsSync">, isRoot: boolean) {
  const there = (paths: readonly string[]) => paths.filter((path) => disk.existsSync(path));
  return isRoot
    ? { controls: there(controls), disclosures: there(disclosures) }
    : { controls: there(controls.slice(0, 1)), disclosures: [] };
}

export function systemPlaces(disk: Pick<Fs, "existsSync" | "lstatSync" | "readlinkSync">): SystemPlace[] {
  const found = roots.flatMap((path): SystemPlace[] => {
    const stat = disk.lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return [];
    return [stat.isSymbolicLink() ? { path, link: disk.readlinkSync(path, "utf8") } : { path }];
  });
  return [...found, ...parts.filter((path) => disk.existsSync(path)).map((path) => ({ path }))];
}

/** Files and directories that are shown empty. */
export function systemSecrets(disk: Pick<Fs, "existsSync">): string[] {
  return secrets.filter((path) => disk.existsSync(path));
}
