// The built program, run by root as an ordinary user. The checkout may be out of that user's reach (root's home, a
// private directory), so the program is installed where that user can read it, with what npm would install beside it.

import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { root } from "./run.js";

/** The user "nobody" on most systems; no account is needed. */
const id = 65534;

/** A command and its arguments; the program's own arguments follow. */
export function asOrdinaryUser(): [command: string, ...args: string[]] {
  const app = openDir();
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  const runtime = Object.keys(packages).filter((path) => path !== "" && packages[path]?.dev !== true);
  const present = ["package.json", "dist", ...runtime].filter((path) => existsSync(join(root, path)));
  for (const path of present) cpSync(join(root, path), join(app, path), { recursive: true });
  const node = isOpen(process.execPath) ? process.execPath : join(app, "node");
  if (node !== process.execPath) cpSync(process.execPath, node);
  giveAway(app);
  return ["setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups", node, join(app, "dist/cinch.js")];
}

/** Makes the ordinary user the owner of a directory and everything in it. */
export function giveAway(directory: string): void {
  for (const name of ["", ...readdirSync(directory, { recursive: true, encoding: "utf8" })])
    chownSync(join(directory, name), id, id);
}

/** A temporary directory that every user can reach, even when TMPDIR is private; deleted when the test ends. */
export function openDir(): string {
  const temp = [tmpdir(), "/tmp", "/var/tmp"].find(isOpen);
  if (temp === undefined)
    throw new Error("Other users can't reach a temporary directory: not TMPDIR, /tmp or /var/tmp.");
  const path = mkdtempSync(join(temp, "cinch-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Every user can reach it. */
function isOpen(path: string): boolean {
  const above = dirname(path);
  return existsSync(path) && (statSync(path).mode & 0o001) !== 0 && (above === path || isOpen(above));
}

interface Lock {
  packages: Record<string, { dev?: boolean }>;
}
