// /sessions: the conversations of this project, to go on with one of them.

import type { SessionSummary } from "../../index.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "sessions",
  usage: "",
  doc: "The sessions of this project; choosing one goes on with it",

  async run({ harness, session }) {
    const all = await harness.sessions.list();
    if (all.length === 0) return { text: "There are no sessions of this project yet." };
    const items = all.slice(0, 200).map((each) => ({ value: each.id, label: nameOf(each), doc: when(each) }));
    const text = items.map(({ value, label, doc }) => `${value}  ${doc}  ${label}`).join("\n");
    return { text, choice: { title: "Go on with which session?", command: "resume", items, current: session.id } };
  },
});

function nameOf({ label, prompt, id }: SessionSummary): string {
  return label ?? prompt ?? id;
}

function when({ last_activity: last }: SessionSummary): string {
  return last.slice(0, 16).replace("T", " ");
}
