import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Fault, faultyDisk } from "../../test/support/faulty-disk.js";
import { tempDir } from "../../test/support/run.js";
import { ModelError, Refusal } from "../core/errors.js";
import type { FilePlan } from "../core/ports.js";
import { isTempName } from "../lib/temp-name.js";
import { createFiles, type FilesOptions } from "./door.js";

const names = ["a.txt", "b.txt", "c.txt"] as const;
const old = (name: string) => `old ${name}\n`;
const fresh = (name: string) => `new ${name}\n`;

/** Three files, and the plans of a change to all of them. */
async function three(options: Partial<FilesOptions> = {}) {
  const root = tempDir("cinch-together-");
  for (const name of names) fs.writeFileSync(join(root, name), old(name));
  const files = createFiles({ root, ...options });
  const revision = (name: string) => ({ path: join(root, name), before: old(name), after: fresh(name) });
  const plans: FilePlan[] = [];
  for (const name of names) plans.push(await files.planRevision(revision(name)));
  const now = () => names.map((name) => fs.readFileSync(join(root, name), "utf8"));
  return { root, commit: () => files.commitAll(plans), now };
}

async function failed(act: Promise<unknown>): Promise<Error> {
  return act.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error as Error,
  );
}

async function broken(forever: boolean, nth: number) {
  const fault: Fault = { at: 0, code: "EIO", forever };
  const faulty = faultyDisk(fault);
  const stage = await three({ disk: faulty.disk });
  fault.at = faulty.calls() + nth;
  const error = await stage.commit().then(
    () => null,
    (thrown: unknown) => thrown as Error,
  );
  return { ...stage, error, struck: faulty.failed() !== undefined };
}

test("a disk that fails once, at any call: all files are changed, or each is as it was", async () => {
  let faults = 0;
  for (let nth = 1; ; nth++) {
    const { error, struck, now, root } = await broken(false, nth);
    if (!struck) break;
    faults++;
    expect(now(), `call ${nth}: ${error?.message}`).toEqual(names.map(error ? old : fresh));
    if (error) expect(error, `call ${nth}`).toBeInstanceOf(ModelError);
    if (error) expect(error.message).not.toContain("could not be put back");
    expect(fs.readdirSync(root).filter(isTempName)).toEqual([]);
  }
  expect(faults).toBeGreaterThan(30);
}, 60_000);

test("a disk that fails for good, at any call: the error names exactly the files that are changed", async () => {
  const outcomes = new Set<number>();
  for (let nth = 1; ; nth++) {
    const { error, struck, now } = await broken(true, nth);
    if (!struck) break;
    const changed = names.filter((name, at) => now()[at] === fresh(name));
    const named = /could not be put back: (.*)\.$/.exec(error?.message ?? "")?.[1]?.split(", ") ?? [];
    // The very last call closes a directory: with all files changed there is nothing to say.
    if (error) expect(named.sort(), `call ${nth}: ${error.message}`).toEqual(changed);
    else expect(changed).toEqual(names);
    outcomes.add(changed.length);
  }
  expect([...outcomes].sort()).toEqual([0, 1, 2, 3]);
}, 60_000);

test("one that somebody changed since it was planned keeps the others as they are", async () => {
  const { root, commit, now } = await three();
  fs.writeFileSync(join(root, "c.txt"), "somebody's\n");
  expect(await failed(commit())).toMatchObject({ kind: "stale" });
  expect(now()).toEqual([old("a.txt"), old("b.txt"), "somebody's\n"]);
});

test("what somebody changed in the middle is not overwritten by putting back", async () => {
  const others = "somebody's\n";
  const root = { path: "" };
  const preImage: FilesOptions["preImage"] = (path) => {
    if (!path.endsWith("b.txt")) return;
    fs.writeFileSync(join(root.path, "a.txt"), others);
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
  const stage = await three({ preImage });
  root.path = stage.root;
  const { message } = await failed(stage.commit());
  expect(message).toMatch(/could not be put back: a\.txt\.$/);
  expect(stage.now()).toEqual([others, old("b.txt"), old("c.txt")]);
});

test("all are claimed before the first is changed; one of another agent's keeps them all", async () => {
  const taken: string[] = [];
  const claims = {
    check: () => {},
    take({ shown }: { shown: string }) {
      taken.push(shown);
      if (shown === "c.txt") throw new Refusal("input", "CONFLICT: c.txt is another agent's.");
    },
  };
  const { commit, now } = await three({ claims });
  expect((await failed(commit())).message).toBe("CONFLICT: c.txt is another agent's.");
  expect(taken).toEqual([...names]);
  expect(now()).toEqual(names.map(old));
});

test("each file's old bytes are handed out before it is changed", async () => {
  const kept: string[][] = [];
  const preImage: FilesOptions["preImage"] = (path, bytes) => {
    kept.push([path.slice(-5), bytes?.toString() ?? "", fs.readFileSync(path, "utf8")]);
  };
  const { commit, now } = await three({ preImage });
  expect((await commit()).map(({ path }) => path.slice(-5))).toEqual([...names]);
  expect(kept).toEqual(names.map((name) => [name, old(name), old(name)]));
  expect(now()).toEqual(names.map(fresh));
});
