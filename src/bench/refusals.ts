// What a refusal costs: turns from the refused call until the work is done, beyond the one that the work itself needs.
// Invariant: the model here goes on from what the last result says and from nothing else; when that does not say enough
// it has to look first, which is a turn more. Work that is not done after five turns counts as five.

import type { JsonObject } from "../core/json.js";
import type { CallPart } from "../core/message.js";
import { createHarness, type Model, type ModelRequest } from "../index.js";
import { nodeFs } from "../lib/fs.js";
import { put } from "./put.js";

type Ask = [tool: string, input: JsonObject];

interface Case {
  kind: string;
  /** Asked before the call that is refused. */
  first?: Ask;
  refused: Ask;
  /** The next step, when the text says enough for it. */
  next(text: string): Ask[] | undefined;
  /** Where to look when it does not. */
  look: Ask;
  /** The content of a.txt when the work is done. */
  done: string;
  /** Somebody else's change, just before the refused call. */
  outside?: string;
}

export interface RefusalCost {
  kind: string;
  extra: number;
}

const most = 5;
const start = "one = 1\ntwo = 2\nsame\nmiddle\nsame\n";
const path = "a.txt";
const read: Ask = ["read_file", { path }];
const edit = (old_string: string, new_string: string): Ask => ["edit_file", { path, old_string, new_string }];
const when = (text: string, fits: RegExp, ...asks: Ask[]) => (fits.test(text) ? asks : undefined);

const cases: readonly Case[] = [
  {
    kind: "exists",
    refused: ["write_file", { path, content: "new\n" }],
    next(text) {
      const ref = /with ref ([0-9a-f]{12})/.exec(text)?.[1];
      return ref === undefined
        ? undefined
        : [
            ["delete_file", { path }],
            ["write_file", { path, ref }],
          ];
    },
    look: read,
    done: "new\n",
  },
  {
    kind: "unread",
    refused: edit("two = 2", "two = 3"),
    next: (text) => when(text, /^2:two = 2$/m, edit("two = 2", "two = 3")),
    look: read,
    done: start.replace("two = 2", "two = 3"),
  },
  {
    kind: "stale",
    first: read,
    outside: start.replace("two = 2", "two = 20"),
    refused: edit("two = 2\n", "two = 3\n"),
    next: (text) => when(text, /two = 20$/m, edit("two = 20\n", "two = 3\n")),
    look: read,
    done: start.replace("two = 2", "two = 3"),
  },
  {
    kind: "missing",
    first: read,
    refused: ["edit_file", { path: "b.txt", old_string: "two = 2", new_string: "two = 3" }],
    next: (text) => when(text, /\ba\.txt\b/, edit("two = 2", "two = 3")),
    look: ["list_files", {}],
    done: start.replace("two = 2", "two = 3"),
  },
  {
    kind: "ambiguous",
    first: read,
    refused: edit("same", "other"),
    next: (text) => when(text, /\b5\b/, edit("middle\nsame", "middle\nother")),
    look: read,
    done: start.replace("middle\nsame", "middle\nother"),
  },
  {
    kind: "near-miss",
    first: read,
    refused: edit("one = 1\ntwoo = 2", "one = 1\ntwo = 3"),
    next: (text) => when(text, /two = 2$/m, edit("one = 1\ntwo = 2", "one = 1\ntwo = 3")),
    look: read,
    done: start.replace("two = 2", "two = 3"),
  },
];

/** Plays every kind of refusal in a directory of its own below `folder`. */
export async function refusalCosts(folder: string): Promise<RefusalCost[]> {
  const costs: RefusalCost[] = [];
  for (const each of cases) costs.push({ kind: each.kind, extra: await play(each, `${folder}/refusal-${each.kind}`) });
  return costs;
}

async function play(each: Case, folder: string): Promise<number> {
  const root = `${folder}/project`;
  const file = `${root}/${path}`;
  nodeFs.mkdirSync(`${root}/.git`, { recursive: true });
  put(file, start);
  const isDone = () => nodeFs.existsSync(file) && nodeFs.readFileSync(file, "utf8") === each.done;
  const script = scriptOf(each, file, isDone);
  const settings = { permissions: { mode: "auto" } } as const;
  const harness = createHarness({ cwd: root, home: `${folder}/home`, model: script.model, settings, env: {} });
  try {
    await (await harness.open()).send("Do the work.");
  } finally {
    await harness.close();
  }
  return isDone() ? script.turns() - 1 : most;
}

function scriptOf(each: Case, file: string, isDone: () => boolean): { model: Model; turns(): number } {
  let turns = 0;
  let hasBegun = each.first === undefined;
  const asks = (request: ModelRequest): Ask[] => {
    if (!hasBegun) {
      hasBegun = true;
      return each.first ? [each.first] : [];
    }
    if (isDone() || turns === most) return [];
    if (turns++ > 0) return each.next(lastText(request)) ?? [each.look];
    if (each.outside !== undefined) put(file, each.outside);
    return [each.refused];
  };
  return { model: modelOf(asks), turns: () => turns };
}

function lastText({ messages }: ModelRequest): string {
  return (messages.at(-1)?.parts ?? []).map((part) => (part.type === "result" ? part.text : "")).join("\n");
}

function modelOf(asks: (request: ModelRequest) => Ask[]): Model {
  let calls = 0;
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  return {
    id: "bench/refusals",
    facts: { window: 200_000, maxOutput: 8_000 },
    async *stream(request) {
      const parts = asks(request).map(([tool, input]): CallPart => ({ type: "call", id: `c${calls++}`, tool, input }));
      const stop = parts.length > 0 ? "tools" : "end";
      const said = parts.length > 0 ? parts : [{ type: "text" as const, text: "done" }];
      yield { type: "done", message: { role: "assistant", parts: said, usage, stop }, usage, stop };
    },
  };
}
