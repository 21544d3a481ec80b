// A question of a tool to the user, in words: put like a question for permission, answered like one (`feedback` is the answer), and
// only one of either kind is open at a time.

import type { CallPart } from "../core/message.js";
import type { CallContext } from "../core/tool.js";
import { put } from "./put.js";
import type { Run } from "./run.js";

/** Undefined where nobody can answer. */
export function asking(run: Run, call: CallPart): CallContext["ask"] {
  const { ports } = run;
  if (!ports.ask && !ports.answerable) return undefined;
  return (question, answers) =>
    ports.approvals.inTurn(async () => {
      const about = { id: ports.ids.next(), call: call.id, tool: call.tool, digest: "", summary: question };
      const view = { type: "list" as const, items: [...answers] };
      const asked = { ...about, view, reason: "the agent asks", parts: [], rule: null, answers };
      const { decision, feedback, via } = await put(run, asked, question);
      if (via !== undefined)
        ports.log.append("note", { code: "answered", text: `Answered in ${via}.`, data: { call: call.id, via } });
      return decision === "allow" ? feedback?.trim() || "yes" : null;
    }, run.signal);
}
