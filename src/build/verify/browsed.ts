// L3: a real browser loads it: title, errors, what it could not load, a picture.
// Invariant: without a browser nothing is ok; what a page wanted from elsewhere is told, since it was kept from it.

import { messageOf } from "../../core/errors.js";
import type { Fs } from "../../lib/fs.js";
import type { Evidence, Verification } from "../ports.js";
import { findBrowser } from "./browser.js";
import { entryOf, fileAt, keepProof, makerOf } from "./evidence.js";
import { lookAt, type PageFault, type PageLook } from "./page.js";

const words: Readonly<Record<PageFault["kind"], string>> = {
  console: "The page writes an error to the console",
  exception: "The page throws",
  request: "The page asks in vain",
  control: "The page has a control without effect",
  gone: "The page goes elsewhere, or to nothing, so that it is not seen",
};

/** `path`: where the browser is looked for. `url`: where it answers. */
export async function checkBrowsed(
  disk: Fs,
  verification: Pick<Verification, "project" | "plan" | "buildDir" | "signal">,
  { path, url }: { path: string; url: string | null },
): Promise<Evidence[]> {
  const { project, plan, signal } = verification;
  const unchecked = (what: string): Evidence[] => [{ level: "L3", ok: false, unchecked: true, what }];
  if (url === null) return unchecked("Not checked in a browser: nothing answers.");
  const program = findBrowser(disk, path, project);
  if (program === null) return unchecked("Not checked in a browser: no browser (chromium, google-chrome) is on PATH.");
  let seen: PageLook;
  try {
    seen = await lookAt({ disk, program, path, url, signal });
  } catch (error) {
    // No page of the application has a say in whether the browser starts; one that hangs does.
    const page = fileAt(plan, url) ?? entryOf(plan);
    const what = `A browser could not look at ${url}: ${messageOf(error)}`;
    const isGone = messageOf(error).startsWith("The browser is gone");
    if (isGone) return unchecked(`Not checked in a browser: ${messageOf(error)}`);
    return [{ level: "L3", ok: false, what, ...(page === undefined ? {} : { file: page }), ...makerOf(plan, page) }];
  }
  const picture = seen.picture ? { artifact: await keepProof(disk, verification, "page.png", seen.picture) } : {};
  return [summaryOf(seen, url, picture), ...seen.faults.map((fault) => evidenceOf(plan, url, fault))].map((each) =>
    each.ok || each.task !== undefined ? each : { ...each, ...makerOf(plan, fileAt(plan, url) ?? entryOf(plan)) },
  );
}

function summaryOf({ title, text, faults, blocked }: PageLook, url: string, picture: { artifact?: string }): Evidence {
  const kept = blocked.length === 0 ? "" : ` Kept from asking elsewhere: ${blocked.slice(0, 5).join(", ")}.`;
  const errors = faults.length === 0 ? "no errors" : `${faults.length} errors, below`;
  const what = `A browser loads ${url}: title ${JSON.stringify(title)}, ${text} characters of text, ${errors}.${kept}`;
  return { level: "L3", ok: true, what, ...picture };
}

function evidenceOf(plan: Verification["plan"], url: string, { kind, text, url: at, line }: PageFault): Evidence {
  const file = fileAt(plan, at);
  // What is asked for and not there is missing where it is asked for, unless somebody is to make it.
  const isPlace = kind !== "request" && file !== undefined;
  return {
    ...{ level: "L3", ok: false, what: `${words[kind]} (${new URL(url).pathname}): ${text}` },
    ...(file === undefined ? {} : { file }),
    ...(isPlace && line !== undefined ? { line } : {}),
    ...makerOf(plan, file ?? (kind === "request" ? entryOf(plan) : undefined)),
  };
}
