import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import { needsProc } from "../../test/support/needs.js";
import { endGroup, groupAlive, groupSize } from "./process-group.js";

/** Resolves when the leader of a new group has said a number. */
async function started(script: string): Promise<{ child: ChildProcess; group: number; said: number; begun: number }> {
  const begun = performance.now();
  const child = spawn("/bin/bash", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const group = child.pid ?? 0;
  onTestFinished(() => endGroup(group, 0));
  const said = await new Promise<string>((resolve) => child.stdout?.once("data", resolve));
  return { child, group, said: Number(said), begun };
}

/** Whatever `groupSize` says: read off /proc here. */
function livingIn(group: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, status, own] = /\) (\S) \d+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
        return status !== "Z" && Number(own) === group;
      } catch {
        return false; // It ended between the listing and the look.
      }
    });
}

const state = (pid: number) => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];

needsProc("members are counted, zombies are not, however young the group is said to be", async () => {
  // What bash becomes never asks for its children: the first is a zombie as long as it lives.
  const { child, group, begun } = await started("true & sleep 300 & echo $!; exec sleep 300");
  await expect.poll(() => [groupSize(group), groupSize(group, begun)]).toEqual([2, 2]);
  // A start that lies ahead: only ids since the leader's are looked at.
  expect(groupSize(group, performance.now() + 60_000)).toBe(2);
  child.kill("SIGKILL");
  await expect.poll(() => groupSize(group)).toBe(1);
});

needsProc("a group of zombies alone is alive and has nobody in it", async () => {
  // The outer one keeps a group of its own; the inner leads another. It ends when bash, which would ask for it, is bash no longer.
  const wait = "until read -r name < /proc/$$/comm && [ $name = sleep ]; do :; done";
  const { said: inner } = await started(`set -m; (${wait}) & echo $!; exec sleep 300`);
  await expect.poll(() => state(inner)).toBe("Z");
  expect([groupAlive(inner), groupSize(inner), groupSize(inner, performance.now())]).toEqual([true, 0, 0]);
});

needsProc("all of a group is ended, not its leader alone, and what ignores TERM as well", async () => {
  const { group } = await started("(trap '' TERM; sleep 300) & echo $!; exec sleep 300");
  expect(groupSize(group)).toBeGreaterThan(1);
  await endGroup(group, 20);
  expect(livingIn(group)).toEqual([]);
});
