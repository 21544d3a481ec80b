// Control lines on stdin (--input-format stream-json, SPEC 2.2): one JSON object a line. Pure: a line in, a request or
// the reason why not out. What is done with it, and the one acknowledgement per line, is conversation.ts.

import { isObject, parseJson } from "../lib/json.js";

export type Control =
  | { type: "user"; text: string; images: readonly { bytes: Uint8Array }[] }
  | { type: "steer"; text: string; mode: "now" | "queue" }
  | { type: "approval"; id: string; decision: "allow" | "deny"; feedback?: string; remember?: boolean }
  | { type: "cancel" };

export type Reading = { ok: true; control: Control } | { ok: false; error: string };

/** Characters; a longer line is refused unread. */
export const longestLine = 20_000_000;

export function readControl(line: string): Reading {
  if (line.length > longestLine) return no(`the line is longer than ${longestLine} characters`);
  const value = parseJson(line);
  if (!isObject(value)) return no("the line is not a JSON object");
  switch (value["type"]) {
    case "user": {
      const said = value["text"] === undefined ? saidIn(value["message"]) : { text: value["text"], images: [] };
      if (typeof said === "string") return no(said);
      const { text, images } = said;
      if (images.length > 0 && text === "") return yes({ type: "user", text, images });
      return isText(text) ? yes({ type: "user", text, images }) : no('user needs a "text" that is not empty');
    }
    case "steer": {
      const { text, mode } = value as Record<string, unknown>;
      if (mode !== "now" && mode !== "queue") return no('steer needs a "mode": "now" or "queue"');
      return isText(text) ? yes({ type: "steer", text, mode }) : no('steer needs a "text" that is not empty');
    }
    case "approval": {
      const { id, decision, feedback, remember } = value as Record<string, unknown>;
      if (!isText(id)) return no('approval needs the "id" of the question');
      if (decision !== "allow" && decision !== "deny") return no('approval needs a "decision": "allow" or "deny"');
      if (feedback !== undefined && typeof feedback !== "string") return no('"feedback" must be a string');
      if (remember !== undefined && typeof remember !== "boolean") return no('"remember" must be true or false');
      const more = { ...(feedback === undefined ? {} : { feedback }), ...(remember === undefined ? {} : { remember }) };
      return yes({ type: "approval", id, decision, ...more });
    }
    case "cancel":
      return yes({ type: "cancel" });
    default:
      return no(`type ${JSON.stringify(value["type"] ?? null)} is not one of user, steer, approval, cancel`);
  }
}

/** The de-facto form: `{"message":{"role":"user","content": text or blocks}}`. A string says what is wrong with it. */
function saidIn(message: unknown): string | { text: unknown; images: { bytes: Uint8Array }[] } {
  const content = isObject(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return { text: content, images: [] };
  const texts: string[] = [];
  const images: { bytes: Uint8Array }[] = [];
  for (const block of content) {
    const { type, text, source } = isObject(block) ? block : { type: undefined };
    if (type === "text" && typeof text === "string") texts.push(text);
    else if (type === "image" && isObject(source) && source["type"] === "base64" && typeof source["data"] === "string")
      images.push({ bytes: Buffer.from(source["data"], "base64") });
    else if (type === "image") return 'an image needs a "source" of the type "base64" with its "data"';
    else return `a block of the type ${JSON.stringify(type ?? null)} is neither text nor an image`;
  }
  return { text: texts.join("\n"), images };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function yes(control: Control): Reading {
  return { ok: true, control };
}

function no(error: string): Reading {
  return { ok: false, error };
}
