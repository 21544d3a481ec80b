// Every command that is called read-only, run as it would be run unasked and traced: it opens nothing for writing, connects
// to nothing, starts no program from the project and leaves the tree as it was.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { createCommands } from "../../src/harness/shell/commands.js";
import { nodeFs } from "../../src/lib/fs.js";
import { needs } from "../support/needs.js";
import { analystIn, makeShellProject, shellBypasses, shellCases } from "../support/shell-cases.js";

const project = makeShellProject();
afterAll(project.remove);

const treeHash = () =>
  execFileSync(
    "bash",
    ["-c", "find . -type f -print0 | sort -z | xargs -0 sha256sum; find . -printf '%p %m %T@ %y\\n' | sort"],
    { cwd: project.root, encoding: "utf8" },
  );

/** Lines of a trace that do what a reader does not do. */
function offences(trace: string): string[] {
  return trace.split("\n").filter((line) => {
    if (/ENOENT|ENOTDIR|EACCES|ECONNREFUSED/.test(line) && !/O_CREAT/.test(line)) return false;
    if (/\bopen(at)?\(/.test(line))
      return /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(line) && !/"\/dev\/(null|tty)"/.test(line);
    // npm asks the kernel for the machine's interfaces, pip whether it has IPv6.
    if (/\b(connect|bind)\(/.test(line)) return !/AF_UNIX.*nscd|AF_NETLINK|bind\(.*port=htons\(0\).*"::1"/.test(line);
    if (/\bexecve\(/.test(line)) return line.includes(`"${project.root}`);
    return /\b(unlink|rename|mkdir|rmdir|link|symlink|chmod|chown|truncate|mknod)(at)?2?\(/.test(line);
  });
}

needs("strace")("every read-only row, traced", async () => {
  const { root, home } = project;
  // Whoever has Rust has this; without it the first `cargo` would write it.
  mkdirSync(join(home, ".rustup"));
  writeFileSync(join(home, ".rustup/settings.toml"), 'version = "12"\n');
  const analyse = await analystIn(root, home);
  const { env } = createCommands({ disk: nodeFs, root, env: { ...process.env, HOME: home } });
  // A Java machine has its counters in a file of its own in /tmp.
  const rows = [...shellCases().map(({ cmd }) => cmd), ...(shellBypasses()["readonly"] ?? [])].filter(
    (text) => analyse(text).verdict === "readonly" && !/^javac? /.test(text),
  );
  expect(rows.length).toBeGreaterThan(80);
  const before = treeHash();
  const log = join(home, "trace");
  for (const text of rows) {
    spawnSync(
      "strace",
      [
        "-f",
        "-qq",
        "-e",
        "trace=openat,open,creat,connect,bind,execve,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmodat,chown,fchownat,truncate,mknodat",
        "-o",
        log,
        "/bin/bash",
        "--noprofile",
        "--norc",
        "-c",
        text,
      ],
      { cwd: root, env, stdio: ["ignore", "ignore", "ignore"] },
    );
    // A here-document is put into a pipe or, when it is long, into a temporary file of the shell.
    expect(offences(readFileSync(log, "utf8")), text).toEqual([]);
  }
  expect(treeHash()).toBe(before);
});
