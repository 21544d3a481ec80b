import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { Documents } from "./documents.js";

function stage(wantsSaves = true) {
  const root = tempDir("cinch-documents-");
  mkdirSync(root, { recursive: true });
  const told: string[] = [];
  const tell = (method: string, params: object) => {
    const { uri, version } = (params as { textDocument: { uri: string; version?: number } }).textDocument;
    told.push(
      [method.slice(method.indexOf("/") + 1), uri.slice(uri.lastIndexOf("/") + 1), version ?? ""].join(" ").trim(),
    );
  };
  const documents = new Documents({ disk: nodeFs, languageOf: () => "x", tell, wantsSaves });
  const write = (name: string, text: string) => {
    writeFileSync(join(root, name), text);
    return join(root, name);
  };
  return { root, documents, write, told };
}

test("a document is opened once, changed and saved under growing versions, and closed when its file is gone", () => {
  const { documents, write, told } = stage();
  const path = write("a", "1");
  documents.sync(path);
  documents.sync(path);
  write("a", "two");
  documents.sync(path);
  rmSync(path);
  documents.syncAll();
  expect(documents.paths()).toEqual([]);
  expect(told).toEqual(["didOpen a 1", "didChange a 2", "didSave a", "didClose a"]);
});

test("what a server was shown in place of a file is undone by the next look, and never called saved", () => {
  const { documents, write, told } = stage();
  const path = write("a", "now");
  documents.sync(path);
  const shown = documents.pretend(path, "before");
  expect(documents.isOfNow(path, shown)).toBe(false);
  const now = documents.sync(path);
  expect(now.source.text).toBe("now");
  expect(documents.isOfNow(path, now)).toBe(true);
  expect(told).toEqual(["didOpen a 1", "didChange a 2", "didChange a 3", "didSave a"]);
});

test("one that does not want to hear of saves does not", () => {
  const { documents, write, told } = stage(false);
  documents.sync(write("a", "1"));
  documents.sync(write("a", "two"));
  expect(told).toEqual(["didOpen a 1", "didChange a 2"]);
});

test("at most 100 are open: the one that was not used for longest is closed", () => {
  const { documents, write, told } = stage();
  const paths = Array.from({ length: 101 }, (_, at) => write(`f${at}`, "x"));
  for (const path of paths.slice(0, 100)) documents.sync(path);
  documents.sync(paths[0] ?? "");
  documents.sync(paths[100] ?? "");
  expect(documents.paths()).toHaveLength(100);
  expect(told.filter((each) => each.startsWith("didClose"))).toEqual(["didClose f1"]);
});
