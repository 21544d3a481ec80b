// What src/tasks/queue.ts promises, as tests that every backend runs. A backend brings a fresh queue, and a way in which the
// process that works for it dies.

import { expect, test } from "vitest";
import { noUsage } from "../../src/core/message.js";
import type { TaskRecord } from "../../src/core/task.js";
import type { TaskChange, TaskQueue } from "../../src/tasks/queue.js";

export interface QueueUnderTest {
  queue: TaskQueue;
  /** Who owns what is submitted here. */
  owner: TaskRecord["owner"];
  /** The process that worked for it is gone, and another one has looked: the queue as that one has it. */
  die(): Promise<TaskQueue>;
}

export function conforms(name: string, open: (parallel: number) => Promise<QueueUnderTest>): void {
  let made = 0;
  const task = ({ owner }: QueueUnderTest, more: Partial<TaskRecord> = {}): TaskRecord => ({
    ...{ v: 1, id: `task0000${String(++made).padStart(4, "0")}`, kind: "agent", state: "queued", owner },
    ...{ parent: null, depth: 1, title: "t", cwd: "/", detach: false, labels: [], deadline: null, limits: {} },
    ...{ dependsOn: [], created: made, started: null, ended: null, heartbeat: null, usage: noUsage, cost: null },
    ...{ told: false, ...more },
  });
  const several = (on: QueueUnderTest, count: number) => Array.from({ length: count }, () => task(on));
  const claims = async (queue: TaskQueue) => {
    const ids: string[] = [];
    for (let record = await queue.claim(); record; record = await queue.claim()) ids.push(record.id);
    return ids;
  };

  test(`${name}: a task goes from queued to its outcome, and each change is heard once, in order, as recorded`, async () => {
    const on = await open(4);
    const heard: TaskChange[] = [];
    on.queue.watch((event) => void ("record" in event && heard.push(event)));
    const one = task(on);
    await on.queue.submit([one]);
    expect((await on.queue.claim())?.id).toBe(one.id);
    expect(await on.queue.renew(one.id, { pid: 7 })).toBe("held");
    expect(await on.queue.finish(one.id, { state: "succeeded", result: "r" })).toBe(true);
    expect(await on.queue.finish(one.id, { state: "failed" })).toBe(false);
    expect(await on.queue.renew(one.id)).toBe("lost");
    expect(heard.map(({ from, to, record }) => [from, to, record.state])).toEqual([
      [null, "queued", "queued"],
      ["queued", "running", "running"],
      ["running", "succeeded", "succeeded"],
    ]);
    expect(on.queue.find(one.id)).toMatchObject({ state: "succeeded", result: "r", pid: 7, told: false });
  });

  test(`${name}: no limit is ever exceeded, neither of a batch nor of all, and batches get their turn`, async () => {
    const on = await open(3);
    const [first, second] = [several(on, 4), several(on, 4)];
    await on.queue.submit(first, { parallel: 2 });
    await on.queue.submit(second, { parallel: 2 });
    const begun = await claims(on.queue);
    expect(begun).toHaveLength(3);
    expect(begun.filter((id) => second.some((each) => each.id === id)).length).toBeGreaterThan(0);
    await on.queue.finish(begun[0] ?? "", { state: "failed" });
    expect(await claims(on.queue)).toHaveLength(1);
  });

  test(`${name}: what waits for others begins when they have succeeded, and never when one did not`, async () => {
    const on = await open(8);
    const [a, b] = [task(on), task(on)];
    const [after, never] = [task(on, { dependsOn: [a.id] }), task(on, { dependsOn: [a.id, b.id] })];
    await on.queue.submit([a, b, after, never]);
    expect(await claims(on.queue)).toEqual([a.id, b.id]);
    await on.queue.finish(a.id, { state: "succeeded" });
    expect(await claims(on.queue)).toEqual([after.id]);
    await on.queue.finish(b.id, { state: "failed" });
    expect(await claims(on.queue)).toEqual([]);
    expect(on.queue.find(never.id)).toMatchObject({ state: "cancelled", error: { kind: "dependency" } });
  });

  test(`${name}: cancelled: queued never begins, running is asked, settled is unchanged`, async () => {
    const on = await open(1);
    const [running, queued] = several(on, 2) as [TaskRecord, TaskRecord];
    const wishes: string[] = [];
    on.queue.watch((event) => void ("wish" in event && wishes.push(event.wish)));
    await on.queue.submit([running, queued]);
    await on.queue.claim();
    for (const { id } of [running, queued]) await on.queue.cancel(id);
    expect(on.queue.find(queued.id)?.state).toBe("cancelled");
    expect(on.queue.find(running.id)?.state).toBe("running");
    expect(wishes).toEqual([running.id]);
    expect(await on.queue.renew(running.id)).toBe("cancel");
    await on.queue.finish(running.id, { state: "succeeded" });
    await on.queue.cancel(running.id);
    expect(on.queue.find(running.id)?.state).toBe("succeeded");
    expect(await on.queue.claim()).toBeNull();
  });

  test(`${name}: a task that rests gives its place to others`, async () => {
    const on = await open(1);
    const [parent, child] = several(on, 2) as [TaskRecord, TaskRecord];
    await on.queue.submit([parent, child]);
    expect(await claims(on.queue)).toEqual([parent.id]);
    on.queue.rest(parent.id, true);
    expect(await claims(on.queue)).toEqual([child.id]);
  });

  test(`${name}: a worker that dies leaves its tasks interrupted; they begin again when asked for, and only then`, async () => {
    const on = await open(1);
    const [running, queued] = several(on, 2) as [TaskRecord, TaskRecord];
    await on.queue.submit([running, queued]);
    await on.queue.claim();
    const next = await on.die();
    expect([running, queued].map(({ id }) => next.find(id)?.state)).toEqual(["interrupted", "interrupted"]);
    expect(await next.claim()).toBeNull();
    await next.resubmit(running.id);
    expect(await claims(next)).toEqual([running.id]);
    await expect(next.resubmit(running.id)).rejects.toThrow(/not interrupted/);
    await next.finish(running.id, { state: "succeeded" });
    await next.tell(running.id);
    expect(next.list().find(({ id }) => id === running.id)).toMatchObject({ state: "succeeded", told: true });
  });

  test(`${name}: a worker that is killed amid its work: what had ended stays, all else is interrupted, and nothing is handed out twice`, async () => {
    const on = await open(2);
    const [done, one, two, waiting] = several(on, 4) as [TaskRecord, TaskRecord, TaskRecord, TaskRecord];
    const after = task(on, { dependsOn: [one.id] });
    await on.queue.submit([done, one, two, waiting, after]);
    expect(await claims(on.queue)).toEqual([done.id, one.id]);
    await on.queue.finish(done.id, { state: "succeeded", result: "kept" });
    expect(await claims(on.queue)).toEqual([two.id]);
    await on.queue.cancel(two.id);
    const next = await on.die();
    expect(next.find(done.id)).toMatchObject({ state: "succeeded", result: "kept", told: false });
    for (const { id } of [one, two, waiting, after]) {
      expect(next.find(id)).toMatchObject({ state: "interrupted", error: { kind: "crash" } });
      expect([await next.renew(id), await next.finish(id, { state: "succeeded" })]).toEqual(["lost", false]);
    }
    expect(await next.claim()).toBeNull();
    // What waits for one that was interrupted waits until that has succeeded.
    await next.resubmit(one.id);
    await next.resubmit(after.id);
    expect(await claims(next)).toEqual([one.id]);
    await next.finish(one.id, { state: "succeeded" });
    expect(await claims(next)).toEqual([after.id]);
  });
}
