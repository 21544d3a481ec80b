// The `hooks` of a settings file, in the shape other agents use: event -> groups with a matcher -> commands. Pure.
// Invariant: one hook that cannot be used is a problem of its own and takes no other with it; nothing that is written there
// and would change what a hook means is passed over. Loaded with the first settings that have hooks.

import { messageOf } from "../core/errors.js";
import { type Hook, type HookEvent, hookEvents } from "../core/hook.js";
import type { Json, JsonObject } from "../core/json.js";
import { isObject } from "../lib/json.js";
import { linearRegExp } from "../lib/linear-regexp.js";
import { byLikeness } from "../lib/nearest.js";
import { type Located, plain } from "./located.js";

/** As written in settings.json, under the name of an event. */
export interface HookGroup {
  /** Names with `|` between them, or a regular expression; absent, "" or "*" = whatever. */
  matcher?: string;
  /** `timeout` in seconds. */
  hooks: { type: "command"; command: string; args?: string[]; timeout?: number; failClosed?: boolean }[];
}

export interface FoundHook {
  hook: Hook;
  line: number;
}

export interface HookProblem {
  line: number;
  text: string;
  notice?: true;
}

const defaultSeconds = 60;
const maxSeconds = 600;

export function readHooks(value: Located): { hooks: FoundHook[]; problems: HookProblem[] } {
  const found = { hooks: [] as FoundHook[], problems: [] as HookProblem[] };
  if (value.is !== "object") {
    found.problems.push({ line: value.line, text: "hooks must be an object with the names of events." });
    return found;
  }
  for (const { key, line, value: groups } of value.members) {
    const event = hookEvents.find((each) => each === key);
    const wrong = (text: string) => found.problems.push({ line, text: `hooks.${key} ${text}` });
    if (!event) wrong(`is no event. Events: ${byLikeness(key, [...hookEvents]).join(", ")}.`);
    else if (groups?.is !== "array") wrong("must be a list of {matcher?, hooks}.");
    else for (const group of groups.items) readGroup(event, group, found);
  }
  return found;
}

type Found = ReturnType<typeof readHooks>;

function readGroup(event: HookEvent, group: Located, { hooks, problems }: Found): void {
  const wrong = (line: number, text: string) => problems.push({ line, text: `hooks.${event}: ${text}` });
  const members = group.is === "object" ? group.members : [];
  const member = (name: string) => members.find(({ key }) => key === name)?.value;
  const [list, written] = [member("hooks"), member("matcher")];
  const matcher = written ? plain(written) : "";
  const unknown = members.find(({ key }) => key !== "matcher" && key !== "hooks");
  if (unknown) {
    wrong(unknown.line, `${JSON.stringify(unknown.key)} is not a member of a group; valid: matcher, hooks.`);
  } else if (typeof matcher !== "string" || faultOf(matcher) !== null) {
    const must = "a name, names with | between them, or a regular expression without look-around and back-references";
    const why = typeof matcher === "string" ? ` (${faultOf(matcher)})` : "";
    wrong(written?.line ?? group.line, `${JSON.stringify(matcher)} is no matcher: ${must}${why}.`);
  } else if (list?.is !== "array") {
    wrong(group.line, "a group needs hooks, a list of commands.");
  } else {
    for (const item of list.items) {
      const entry = plain(item);
      const why = isObject(entry) ? fault(entry) : "a hook is an object with type and command.";
      if (why === null)
        hooks.push({ hook: hookOf(event, matcher === "*" ? "" : matcher, entry as JsonObject), line: item.line });
      else wrong(item.line, why);
    }
  }
}

/** What is wrong with a matcher, or null. */
function faultOf(matcher: string): string | null {
  try {
    if (matcher !== "*") linearRegExp(matcher);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const checks: Readonly<Record<string, { must: string; fits(value: Json | undefined): boolean }>> = {
  type: { must: '"command"', fits: (value) => value === "command" },
  command: { must: "a string that is not empty", fits: (value) => isText(value) && value.trim() !== "" },
  args: {
    must: "a list of strings",
    fits: (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
  },
  timeout: {
    must: `seconds, above 0 and at most ${maxSeconds}`,
    fits: (value) => value === undefined || (typeof value === "number" && value > 0 && value <= maxSeconds),
  },
  failClosed: { must: "true or false", fits: (value) => value === undefined || typeof value === "boolean" },
};

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && !value.includes("\0");
}

function fault(entry: JsonObject): string | null {
  const unknown = Object.keys(entry).find((key) => !Object.hasOwn(checks, key));
  const valid = Object.keys(checks).join(", ");
  if (unknown !== undefined) return `${JSON.stringify(unknown)} is not in this version; a hook may have ${valid}.`;
  const [key, check] = Object.entries(checks).find(([name, { fits }]) => !fits(entry[name])) ?? [];
  return key === undefined ? null : `${key} must be ${check?.must}.`;
}

function hookOf(event: HookEvent, matcher: string, entry: JsonObject): Hook {
  const { command, args, timeout = defaultSeconds, failClosed = true } = entry;
  const hook = { event, matcher, command: String(command), timeout: Number(timeout), failClosed: failClosed === true };
  return args === undefined ? hook : { ...hook, args: args as string[] };
}
