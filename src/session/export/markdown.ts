// A session as Markdown, for reading: who said what, what was called with what result, what became of files, what it cost.
// Invariant: outputs stand in fences longer than any they contain, and an open fence in a text is closed behind it, so
// that nothing in a session can pass for the words of another. What the agent wrote stays the Markdown it is.

import { imageLine } from "../../core/image.js";
import { safeText } from "../../lib/safe-text.js";
import type { AgentStory, Branch, Call, Item, Said, Story } from "./story.js";
import { argumentsOf, changeLine, costLine, count, money, names, percent, shown, statusOf, when } from "./words.js";

/** `all`: every branch, not only the active path. */
export function asMarkdown(story: Story, all: boolean): string {
  const { cost } = story;
  const { usage } = cost;
  const head = [
    `# ${inline(story.name ?? `Session ${story.id}`)}`,
    [
      `- Session: ${inline(story.id)}, begun ${inline(story.created)}`,
      `- Project: ${inline(story.root)}`,
      `- Models: ${story.models.map(inline).join(", ") || "none"}`,
      `- Cost: ${money(cost.usd)} for ${cost.requests} requests`,
      `- Tokens: ${count(usage.cacheRead)} read from the cache (${percent(cost.hitRate)}), ${count(usage.cacheWrite)} written to it, ${count(usage.input)} uncached, ${count(usage.output)} out`,
    ].join("\n"),
    ...story.remarks.flatMap(itemText),
  ];
  const agents = story.agents.flatMap((agent) => ["---", agentTitle(agent), ...bodyOf(agent, all)]);
  return `${[...head, ...bodyOf(story, all), ...agents].join("\n\n")}\n`;
}

function bodyOf({ branches }: Pick<Story, "branches">, all: boolean): string[] {
  const active = branches.filter((branch) => branch.active);
  const others = branches.filter((branch) => !branch.active);
  const left = others.length > 0 && !all ? [`*${others.length} other branches are left out.*`] : [];
  return [...active.flatMap(plain), ...left, ...(all ? others.flatMap(titled) : [])];
}

function agentTitle({ agent, task, id, cost }: AgentStory): string {
  const about = `Task ${inline(task)}, session ${inline(id)}: ${money(cost.usd)} for ${cost.requests} requests`;
  return `# Agent ${inline(agent)}\n\n<sub>${about}</sub>`;
}

function plain({ items }: Branch): string[] {
  return items.flatMap(itemText);
}

function titled(branch: Branch): string[] {
  const { number, from } = branch;
  const where = from ? `goes off after entry ${from.entry}` : "begins anew";
  return ["---", `# Branch ${number}: ${where}`, ...plain(branch)];
}

function itemText(item: Item): string[] {
  switch (item.is) {
    case "said":
      return saidText(item);
    case "call":
      return callText(item);
    case "remark":
      return [`*${inline(item.text)}*`];
  }
}

function saidText(said: Said): string[] {
  const { who, text, images, label, turn, partial, entry, time } = said;
  const title = `## ${names[who]}${label === null ? "" : `: ${inline(label)}`}`;
  const body = closed(shown(text));
  // What the agent wrote is Markdown; what others wrote is quoted.
  const told = text === "" ? [] : [who === "agent" ? body : quoted(body)];
  return [
    title,
    `<sub>${when(time)} · entry ${entry}${turn ? ` · ${costLine(turn)}` : ""}${partial ? " · cut off" : ""}</sub>`,
    ...told,
    ...images.map((image) => `*${inline(imageLine(image))}*`),
  ];
}

function callText(call: Call): string[] {
  const parts = [`**${inline(call.call.tool)}** (${inline(statusOf(call))})`, fenced(argumentsOf(call), "json")];
  for (const change of call.changes) {
    parts.push(inline(changeLine(change)));
    if (change.diff !== null) parts.push(fenced(shown(change.diff), "diff"));
  }
  if (call.result) parts.push(fenced(shown(call.result.text), ""));
  return parts;
}

function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** With the end of a fence that it leaves open. */
function closed(text: string): string {
  let open: string | null = null;
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)/.exec(line);
    const [, run = "", rest = ""] = fence ?? [];
    if (open === null) open = run === "" ? null : run;
    else if (run.startsWith(open) && rest.trim() === "") open = null;
  }
  return open === null ? text : `${text}\n${open}`;
}

/** In one line, and no markup. */
function inline(text: string): string {
  return safeText(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>|#]/g, "\\$&");
}
