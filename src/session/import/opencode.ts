// opencode's export: one JSON object `{info, messages: [{info, parts}]}`. An answer of several steps is one message; each
// step is a turn here. A summary begins anew.
// Left out: reasoning, snapshots, patches, references to files that are not in the export.

import type { JsonObject } from "../../core/json.js";
import type { Part } from "../../core/message.js";
import { isObject } from "../../lib/json.js";
import { Foreign, kindOf, listOf, objectOf, stringOf, timeOf, userText } from "./foreign.js";

export function isOpencode(value: unknown): value is JsonObject {
  return isObject(value) && isObject(value["info"]) && Array.isArray(value["messages"]);
}

export function readOpencode(value: JsonObject): Foreign {
  const foreign = new Foreign();
  const info = objectOf(value["info"]);
  const { about } = foreign;
  about.session = stringOf(info["id"]);
  about.cwd = stringOf(info["directory"]);
  about.title = stringOf(info["title"]);
  for (const message of listOf(value["messages"])) take(foreign, objectOf(message));
  return foreign;
}

const providers: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  "amazon-bedrock": "bedrock",
};

function take(foreign: Foreign, message: JsonObject): void {
  const info = objectOf(message["info"]);
  const time = timeOf(objectOf(info["time"])["created"]);
  const parts = listOf(message["parts"]).map(objectOf);
  if (info["role"] === "user") {
    takeUser(foreign, parts, time);
    return;
  }
  if (info["role"] !== "assistant") {
    foreign.drop(`message of role ${kindOf(info["role"])}`);
    return;
  }
  const provider = providers[stringOf(info["providerID"]) ?? ""];
  if (provider && typeof info["modelID"] === "string") foreign.about.model = `${provider}/${info["modelID"]}`;
  if (info["summary"] === true) {
    takeSummary(foreign, parts, time);
    return;
  }
  let step: Part[] = [];
  const end = () => {
    if (step.length > 0) foreign.add({ parent: foreign.head, role: "assistant", origin: "user", parts: step, time });
    step = [];
  };
  for (const part of parts) {
    if (part["type"] === "step-start") end();
    else step.push(...answerPart(foreign, part));
  }
  end();
}

function takeUser(foreign: Foreign, parts: readonly JsonObject[], time: number | null): void {
  const told = parts.flatMap((part) => userPart(foreign, part));
  const synthetic = parts.every((part) => part["type"] !== "text" || part["synthetic"] === true);
  const origin = synthetic ? "harness" : "user";
  if (told.length > 0) foreign.add({ parent: foreign.head, role: "user", origin, parts: told, time });
}

function takeSummary(foreign: Foreign, parts: readonly JsonObject[], time: number | null): void {
  const told = parts.flatMap((part) => (part["type"] === "text" ? userText(stringOf(part["text"]) ?? "") : []));
  if (told.length > 0) foreign.add({ parent: null, role: "user", origin: "harness", parts: told, time });
}

function userPart(foreign: Foreign, part: JsonObject): Part[] {
  if (part["type"] === "text") return part["ignored"] === true ? [] : userText(stringOf(part["text"]) ?? "");
  if (part["type"] === "file") {
    const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(stringOf(part["url"]) ?? "") ?? [];
    return foreign.image(part["mime"], data);
  }
  foreign.drop(`part of type ${kindOf(part["type"])}`);
  return [];
}

function answerPart(foreign: Foreign, part: JsonObject): Part[] {
  const { type, callID } = part;
  if (type === "text") return userText(stringOf(part["text"]) ?? "");
  if (type === "tool") {
    const state = objectOf(part["state"]);
    if (state["status"] === "completed") foreign.result(callID, stringOf(state["output"]) ?? "", false);
    if (state["status"] === "error") foreign.result(callID, stringOf(state["error"]) ?? "", true);
    return [foreign.call(callID, part["tool"], state["input"])];
  }
  if (type !== "step-finish") foreign.drop(`part of type ${kindOf(type)}`);
  return [];
}
