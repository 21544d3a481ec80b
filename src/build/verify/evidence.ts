// Evidence: who has to mend what was found, and the proof of it, kept below the build's directory.
// Invariant: proofs are written whole or not at all, and named so that a later look replaces an earlier one.

import { join, relative } from "node:path";
import { replaceFile } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { ownFolder } from "../../lib/own-folder.js";
import type { BuildPlan } from "../plan.js";
import type { Verification } from "../ports.js";
import { written } from "../written.js";
import { decoded } from "./place.js";

/** Task that makes a file; absent = none is known to. As a part of Evidence. */
export function makerOf(plan: BuildPlan, file: string | undefined): { task?: string } {
  if (file === undefined) return {};
  const task = plan.tasks.find(({ files }) => files.includes(file));
  return task ? { task: task.id } : {};
}

/** A file of the plan that a text names: what a program printed, or the path of an address. The longest name counts. */
export function fileIn(plan: BuildPlan, text: string): string | undefined {
  const files = plan.tasks.flatMap((task) => task.files);
  const named = files.filter((file) => text.includes(file)).sort((a, b) => b.length - a.length);
  return named[0];
}

/** The file that is meant by the path of an address: `/js/app.js` is `public/js/app.js`, `/` is a page. */
export function fileAt(plan: BuildPlan, url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { pathname } = new URL(url);
  const path = decoded(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
  const files = plan.tasks.flatMap((task) => task.files);
  return files.find((file) => `/${file}` === path) ?? files.find((file) => `/${file}`.endsWith(path));
}

/** The file that the application begins with, as far as it can be told. */
export function entryOf(plan: BuildPlan): string | undefined {
  const files = plan.tasks.flatMap((task) => task.files);
  const said = plan.app?.start === undefined ? undefined : fileIn(plan, plan.app.start);
  const likely = /(?:^|\/)(?:server|app|main|index|manage)\.(?:[mc]?[jt]s|py|go|rb|php)$/;
  const pages = /(?:^|\/)index\.html$/;
  return said ?? files.find((file) => likely.test(file)) ?? files.find((file) => pages.test(file));
}

/** Keeps a proof; its path below the build's directory. */
export async function keepProof(
  disk: Fs,
  { project, buildDir }: Pick<Verification, "project" | "buildDir">,
  name: string,
  data: string | Buffer,
): Promise<string> {
  await written(join(buildDir, "evidence", name), () => {
    const folder = ownFolder(disk, project, [...relative(project, buildDir).split("/"), "evidence"]);
    return replaceFile(disk, join(folder, name), data, { sync: false });
  });
  return join("evidence", name);
}
