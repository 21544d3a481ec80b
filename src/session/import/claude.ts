// Claude Code's transcripts: one JSON object a line, linked by uuid and parentUuid. An answer may be spread over several
// lines with one message id, with results between them; after a compaction the links begin anew.
// Left out: the transcripts of subagents, thinking, lines that are no part of the conversation.

import type { JsonObject } from "../../core/json.js";
import type { Part } from "../../core/message.js";
import { isObject } from "../../lib/json.js";
import { Foreign, kindOf, listOf, objectOf, stringOf, timeOf, userText } from "./foreign.js";

export function isClaude(line: JsonObject): boolean {
  return typeof line["sessionId"] === "string" || (line["type"] === "summary" && "leafUuid" in line);
}

export function readClaude(lines: Iterable<JsonObject>): Foreign {
  const foreign = new Foreign();
  /** Message id of an answer, by its turn. */
  const answers = new Map<number, string>();
  for (const line of lines) {
    const { about } = foreign;
    about.session ??= stringOf(line["sessionId"]);
    about.cwd ??= stringOf(line["cwd"]);
    if (line["type"] === "summary") about.title ??= stringOf(line["summary"]);
    if (foreign.has(line["uuid"])) foreign.drop("repeated line");
    else if (line["isSidechain"] === true) foreign.drop("line of a subagent");
    else if (line["type"] === "user" && isObject(line["message"])) takeUser(foreign, line);
    else if (line["type"] === "assistant" && isObject(line["message"])) takeAnswer(foreign, line, answers);
    else skip(foreign, line);
  }
  return foreign;
}

/** What follows a line that is left out follows what that line followed; after a compaction, nothing. */
function skip(foreign: Foreign, line: JsonObject): void {
  const fresh = line["subtype"] === "compact_boundary";
  if ("uuid" in line) foreign.place(line["uuid"], fresh ? null : foreign.follow(line["parentUuid"] ?? null));
  if (!fresh) foreign.drop(`line of type ${kindOf(line["type"])}`);
}

function takeUser(foreign: Foreign, line: JsonObject): void {
  const parent = foreign.follow(line["parentUuid"] ?? null);
  const content = objectOf(line["message"])["content"];
  const parts = typeof content === "string" ? userText(content) : listOf(content).flatMap((b) => userPart(foreign, b));
  if (parts.length === 0) {
    foreign.place(line["uuid"], parent);
    return;
  }
  const origin = line["isMeta"] === true || line["isCompactSummary"] === true ? "harness" : "user";
  foreign.place(line["uuid"], foreign.add({ parent, role: "user", origin, parts, time: timeOf(line["timestamp"]) }));
}

function userPart(foreign: Foreign, value: unknown): Part[] {
  const block = objectOf(value);
  switch (block["type"]) {
    case "text":
      return userText(stringOf(block["text"]) ?? "");
    case "image": {
      const source = objectOf(block["source"]);
      return foreign.image(source["media_type"], source["data"]);
    }
    case "tool_result":
      foreign.result(block["tool_use_id"], foreign.flat(block["content"]), block["is_error"] === true);
      return [];
    default:
      foreign.drop(`block of type ${kindOf(block["type"])}`);
      return [];
  }
}

function takeAnswer(foreign: Foreign, line: JsonObject, answers: Map<number, string>): void {
  const parent = foreign.follow(line["parentUuid"] ?? null);
  const message = objectOf(line["message"]);
  const model = stringOf(message["model"]);
  const id = stringOf(message["id"]);
  const invented = line["isApiErrorMessage"] === true || model === "<synthetic>";
  if (invented) foreign.drop("error shown as an answer");
  else if (model !== null) foreign.about.model = `anthropic/${model}`;
  const parts = invented ? [] : listOf(message["content"]).flatMap((block) => answerPart(foreign, block));
  const begun = parent !== null && id !== null && answers.get(parent) === id ? foreign.turns[parent] : undefined;
  if (begun) begun.parts.push(...parts);
  if (begun || parts.length === 0) {
    foreign.place(line["uuid"], parent);
    return;
  }
  const turn = foreign.add({ parent, role: "assistant", origin: "user", parts, time: timeOf(line["timestamp"]) });
  if (id !== null) answers.set(turn, id);
  foreign.place(line["uuid"], turn);
}

function answerPart(foreign: Foreign, value: unknown): Part[] {
  const block = objectOf(value);
  if (block["type"] === "text") return userText(stringOf(block["text"]) ?? "");
  if (block["type"] === "tool_use") return [foreign.call(block["id"], block["name"], block["input"])];
  foreign.drop(`block of type ${kindOf(block["type"])}`);
  return [];
}
