// /queue: what waits to be said, oldest first. Where something is drawn it is a list to work on; elsewhere numbers and words do the same.

import { UserError } from "../../core/errors.js";
import type { Waiting } from "../../core/steer.js";
import type { Session } from "../../index.js";
import { defineSlash } from "./slash.js";

const ways = "/queue drop <n>, /queue move <n> <m>, /queue edit <n> <text>";

export default defineSlash({
  name: "queue",
  usage: "[drop <n> | move <n> <m> | edit <n> <text>]",
  doc: "What waits to be said: change, move or drop any of it",
  anytime: true,

  async run({ session, argument, words: [verb, number, other], front }) {
    const waiting = () => session.loop().waiting;
    const all = waiting();
    if (verb === undefined) {
      if (all.length > 0) front.queue?.();
      return { text: all.length > 0 && front.queue ? "" : queueText(all, ways) };
    }
    const [from, to] = [Number(number) - 1, Number(other) - 1];
    const steer = all[from];
    if (!steer || !verbs.includes(verb) || (verb === "move" && !all[to]))
      throw new UserError("There is no such place in what waits.", queueText(all, ways));
    const done =
      verb === "drop"
        ? session.withdraw(steer.id) !== null
        : verb === "edit"
          ? session.revise(steer.id, { text: argument.replace(/^edit\s+\S+\s*/, "") })
          : moved(session, all, from, to);
    if (!done) throw new UserError("The model has that message already.", queueText(waiting(), ways));
    return { text: queueText(waiting(), "") };
  },
});

const verbs: readonly string[] = ["drop", "move", "edit"];

/** In front of what stands there; or, from further ahead, all between comes in front of it. */
function moved(session: Session, all: readonly Waiting[], from: number, to: number): boolean {
  const id = all[from]?.id ?? "";
  if (to < from) return session.revise(id, { before: all[to]?.id ?? "" });
  return all.slice(from + 1, to + 1).every((each) => session.revise(each.id, { before: id }));
}

function queueText(waiting: readonly Waiting[], below: string): string {
  if (waiting.length === 0) return "Nothing waits to be said.";
  const rows = waiting.map(({ mode, text }, at) => `${at + 1}  ${mode === "now" ? "↯" : "⋯"} ${text}`);
  return [...rows, ...(below === "" ? [] : [below])].join("\n");
}
