// A session as one HTML page: its tree, the conversation, diffs and costs. No script, no font, no picture from elsewhere.
// Invariants: every text of a session passes `text()`, so nothing in it is markup; the page's own policy forbids scripts
// and connections, should one slip through all the same. It reads well without colours and with a screen reader.

import { imageLine } from "../../core/image.js";
import type { ImagePart } from "../../core/message.js";
import { costTables, figures } from "./html-cost.js";
import { text } from "./html-text.js";
import type { AgentStory, Branch, Call, Change, Item, Said, Story } from "./story.js";
import { style } from "./style.js";
import { argumentsOf, changeLine, costLine, money, names, shown, statusOf, when } from "./words.js";

export function asHtml(story: Story): string {
  const title = text(story.name ?? `Session ${story.id}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${figures(story)}
${story.remarks.map(item).join("\n")}
</header>
${story.branches.length > 1 ? treeOf(story.branches) : ""}
${story.agents.length > 0 ? agentsList(story.agents) : ""}
<main>
${bodyOf(story)}
${story.agents.map(agentSection).join("\n")}
</main>
${costTables(story.cost)}
</body>
</html>
`;
}

function bodyOf({ branches }: Pick<Story, "branches">): string {
  const active = branches.filter((branch) => branch.active);
  const others = branches.filter((branch) => !branch.active);
  const folds = others.length > 0 ? `<h2>Other branches</h2>\n${others.map(folded).join("\n")}` : "";
  return `${active.map(section).join("\n")}\n${folds}`;
}

function agentsList(agents: readonly AgentStory[]): string {
  const rows = agents.map(({ id, ...agent }) => `<li><a href="#s${text(id)}">${nameOf(agent)}</a></li>`);
  return `<nav aria-label="Agents">\n<h2>Agents</h2>\n<ul>\n${rows.join("\n")}\n</ul>\n</nav>`;
}

function nameOf({ agent, task }: Pick<AgentStory, "agent" | "task">): string {
  return `${text(agent)} <span class="about">task ${text(task)}</span>`;
}

function agentSection(agent: AgentStory): string {
  const { id, cost } = agent;
  const about = `Session ${id}: ${money(cost.usd)} for ${cost.requests} requests`;
  return `<section id="s${text(id)}">\n<h2>${nameOf(agent)}</h2>\n<p class="about">${text(about)}</p>\n${bodyOf(agent)}\n</section>`;
}

function treeOf(branches: readonly Branch[]): string {
  const depths = new Map<number, number>();
  const rows = branches.map(({ number, active, from, items }) => {
    const depth = from ? (depths.get(from.branch) ?? 0) + 1 : 0;
    depths.set(number, depth);
    const first = items.find((item) => item.is === "said");
    const words = first ? `${names[first.who]}: ${shown(first.text, 80).split("\n")[0] ?? ""}` : "";
    const link = `<a href="#b${number}">Branch ${number}</a>`;
    const indent = `style="margin-left:${Math.min(depth, 12) * 1.5}em"`;
    return `<li ${indent}>${link}${active ? " <strong>(active)</strong>" : ""} ${text(words)}</li>`;
  });
  return `<nav aria-label="Tree of the session">\n<h2>Tree</h2>\n<ul>\n${rows.join("\n")}\n</ul>\n</nav>`;
}

function section(branch: Branch): string {
  return `<section id="b${branch.number}" aria-label="Branch ${branch.number}">\n${branch.items.map(item).join("\n")}\n</section>`;
}

function folded(branch: Branch): string {
  const { number, from } = branch;
  const where = from ? `after <a href="#e${text(from.entry)}">entry ${text(from.entry)}</a>` : "from the beginning";
  return `<details class="branch"><summary>Branch ${number}, ${where}</summary>\n${section(branch)}\n</details>`;
}

function item(each: Item): string {
  switch (each.is) {
    case "said":
      return said(each);
    case "call":
      return call(each);
    case "remark":
      return `<p class="remark">${text(each.text)}</p>`;
  }
}

function said({ entry, time, who, text: words, thinking, images, label, turn, partial }: Said): string {
  const about = [when(time), `entry ${entry}`, ...(turn ? [costLine(turn)] : []), ...(partial ? ["cut off"] : [])];
  const thought = thinking === "" ? "" : fold("Thinking", `<pre>${text(shown(thinking))}</pre>`);
  const name = label === null ? names[who] : `${names[who]}: ${label}`;
  return `<article class="${who}" id="e${text(entry)}">
<h3>${text(name)}</h3>
<p class="about">${text(about.filter((each) => each !== "").join(" · "))}</p>
${thought}${words === "" ? "" : `<div class="text">${text(shown(words))}</div>`}${images.map(image).join("")}
</article>`;
}

const pictures = /^image\/(png|jpeg|gif|webp)$/;

function image(part: ImagePart): string {
  const { mediaType, data } = part;
  const safe = pictures.test(mediaType) && /^[A-Za-z0-9+/=]*$/.test(data);
  if (!safe) return `<p class="remark">${text(imageLine(part))}</p>`;
  return `<img alt="${text(imageLine(part))}" src="data:${mediaType};base64,${data}">`;
}

function call(each: Call): string {
  const parts = [fold("Arguments", `<pre>${text(argumentsOf(each))}</pre>`), ...each.changes.map(change)];
  if (each.result) parts.push(fold("Result", `<pre>${text(shown(each.result.text))}</pre>`));
  const failed = each.result?.isError === true ? " failed" : "";
  return `<article class="call${failed}">
<h3><code>${text(each.call.tool)}</code> <span class="about">${text(statusOf(each))}</span></h3>
${parts.join("\n")}
</article>`;
}

function change(each: Change): string {
  if (each.diff === null) return `<p class="about">${text(changeLine(each))}</p>`;
  const lines = shown(each.diff)
    .split("\n")
    .map((line) => {
      const kind = line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : line.startsWith("@@") ? "at" : "";
      return kind === "" ? text(line) : `<span class="${kind}">${text(line)}</span>`;
    });
  return `<details open><summary>${text(changeLine(each))}</summary><pre>${lines.join("\n")}</pre></details>`;
}

function fold(title: string, body: string): string {
  return `<details><summary>${title}</summary>${body}</details>`;
}
