import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultyDisk } from "../../test/support/faulty-disk.js";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "./fs.js";
import { sha256 } from "./hash.js";
import { createObjectStore } from "./object-store.js";

const place = () => join(tempDir("cinch-objects-"), "objects");

test("keeps bytes once, privately, and gives them back by hash", async () => {
  const directory = place();
  const store = createObjectStore(nodeFs, directory);
  expect(existsSync(directory)).toBe(false);
  const bytes = Buffer.from([0, 255, 1]);
  const hash = store.put(bytes);
  expect(hash).toBe(sha256(bytes));
  expect(store.put(bytes)).toBe(hash);
  await store.flush();
  const path = join(directory, hash.slice(0, 2), hash.slice(2));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  const again = createObjectStore(nodeFs, directory);
  expect([again.has(hash), again.get(hash)]).toEqual([true, bytes]);
});

test("damaged, unknown and ill-named objects are not there", () => {
  const directory = place();
  const store = createObjectStore(nodeFs, directory);
  const hash = store.put(Buffer.from("x"));
  writeFileSync(join(directory, hash.slice(0, 2), hash.slice(2)), "y");
  expect(store.get(hash)).toBeUndefined();
  expect(store.get(sha256("other"))).toBeUndefined();
  expect(store.has("../../etc/passwd")).toBe(false);
});

test("a write that fails leaves no object and no litter", () => {
  for (let at = 1; at < 12; at++) {
    const directory = place();
    const { disk, failed } = faultyDisk({ at, code: "EIO" });
    try {
      createObjectStore(disk, directory).put(Buffer.from("content"));
      expect(failed()).toBeUndefined();
    } catch (error) {
      expect(error).toMatchObject({ code: "EIO" });
      const left = existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }) : [];
      expect(left.filter((entry) => entry.isFile())).toEqual([]);
    }
  }
});

test("a pack keeps many in one file; nothing of it is there before its end", () => {
  const directory = place();
  const store = createObjectStore(nodeFs, directory);
  const contents = Array.from({ length: 50 }, (_, i) => Buffer.from("x".repeat(i)));
  const pack = store.pack();
  const hashes = contents.map((bytes) => pack.add(bytes));
  expect(pack.add(Buffer.from("x"))).toBe(hashes[1]);
  expect(createObjectStore(nodeFs, directory).has(hashes[7] ?? "")).toBe(false);
  pack.end();
  const again = createObjectStore(nodeFs, directory);
  expect(hashes.map((hash) => again.get(hash))).toEqual(contents);
  expect(again.put(Buffer.from("xx"))).toBe(hashes[2]);
  expect(readdirSync(directory)).toEqual(["packs"]);
  expect(readdirSync(join(directory, "packs")).length).toBe(2);
});

test("a pack that is given up, and one without anything new, leave nothing", () => {
  const directory = place();
  const store = createObjectStore(nodeFs, directory);
  const first = store.pack();
  first.add(Buffer.alloc(2 * 1024 * 1024));
  first.abandon();
  store.put(Buffer.from("known"));
  const second = store.pack();
  second.add(Buffer.from("known"));
  second.end();
  expect(readdirSync(join(directory, "packs"))).toEqual([]);
});

test("damage in a pack is found", () => {
  const directory = place();
  const pack = createObjectStore(nodeFs, directory).pack();
  const hash = pack.add(Buffer.from("content"));
  pack.end();
  const name = readdirSync(join(directory, "packs")).find((each) => each.endsWith(".pack")) ?? "";
  writeFileSync(join(directory, "packs", name), "CONTENT");
  expect(createObjectStore(nodeFs, directory).get(hash)).toBeUndefined();
});

test("thousands of objects are made durable with few files open at once", async () => {
  let [now, most] = [0, 0];
  const openSync: typeof nodeFs.openSync = (...all) => {
    most = Math.max(most, ++now);
    return nodeFs.openSync(...all);
  };
  const closeSync: typeof nodeFs.closeSync = (fd) => {
    now--;
    nodeFs.closeSync(fd);
  };
  const store = createObjectStore({ ...nodeFs, openSync, closeSync }, place());
  for (let i = 0; i < 500; i++) store.put(Buffer.from(`${i}`));
  await store.flush();
  expect([now, most <= 64]).toEqual([0, true]);
});
