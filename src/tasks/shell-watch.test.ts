// The watcher of a command, as the process it is: how a command ended is told as it was, whoever ended it and when.

import { join } from "node:path";
import { expect, test } from "vitest";
import { needsProc } from "../../test/support/needs.js";
import { tempDir } from "../../test/support/run.js";
import { nodeFs as disk } from "../lib/fs.js";
import { readEnd, watchCommand } from "./shell-watch.js";

/** Its own of each: what carries the mark of a task ends with it. */
let made = 0;

async function endOf(argv: string[], { cancelled = false, seconds = null as number | null } = {}) {
  const dir = tempDir();
  const [log, end, wish] = ["log", "end", "cancel"].map((name) => join(dir, name)) as [string, string, string];
  const env = { PATH: process.env["PATH"] ?? "" };
  const limits = { seconds, cap: 1_000_000, detached: false };
  const watched = watchCommand(disk, {
    id: `test${process.pid}x${++made}`,
    argv,
    cwd: dir,
    env,
    log,
    end,
    wish,
    ...limits,
  });
  await watched.first;
  if (cancelled) watched.write("cancel\n");
  await watched.ended;
  return readEnd(disk, end);
}

test("a command that is cancelled has its own exit code, every time", async () => {
  for (let round = 0; round < 8; round++) {
    const ends = await Promise.all(Array.from({ length: 8 }, () => endOf(["sleep", "319"], { cancelled: true })));
    for (const end of ends) expect(end).toMatchObject({ code: 143, why: "cancelled", left: false });
  }
});

test("why it ended is told apart: by itself, or because its time was up", async () => {
  expect(await endOf(["bash", "-c", "exit 6"])).toMatchObject({ code: 6, why: "" });
  expect(await endOf(["sleep", "319"], { seconds: 1 })).toMatchObject({ code: 143, why: "timeout" });
});

needsProc("a zombie in its group is nothing that it left running; a process is", async () => {
  // What forked the zombie never asks for it, carries no mark, and leaves the group: as the first process of a sandbox is left.
  const wait = "until read -r name < /proc/$$/comm && [ $name = sleep ]; do :; done";
  const stranger = `(${wait}) & echo $! >zombie; exec env -u CINCH_RUN setsid sleep 4`;
  const until = 'until [ -s zombie ] && read -r stat <"/proc/$(<zombie)/stat" && [[ $stat = *") Z "* ]]; do :; done';
  expect(await endOf(["bash", "-c", `(bash -c '${stranger}' &); ${until}; exit 3`])).toMatchObject({
    code: 3,
    left: false,
  });
  expect(await endOf(["bash", "-c", "sleep 319 & exit 3"])).toMatchObject({ code: 3, left: true });
});
