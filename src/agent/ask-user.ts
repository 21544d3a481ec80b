// A question of a tool to the user, in words: put like a question for permission, answered like one (`feedback` is the answer), and
// only one of either kind is open at a time.

import type { CallPart } from "../core/message.js";
import type { CallContext } from "../core/tool.js";
import type { Run } from "./run.js";

/** Undefined where nobody can answer. */
export function asking(run: Run, call: CallPart): CallContext["ask"] {
  const { ports } = run;
  if (!ports.ask && !ports.answerable) return undefined;
  return (question, answers) =>
    ports.approvals.inTurn(async () => {
      const id = ports.ids.next();
      const view = { type: "list", items: [...answers] } as const;
      const about = {
        id,
        call: call.id,
        tool: call.tool,
        digest: "",
        summary: question,
        view: { ...view, items: [...answers] },
      };
      const asked = { ...about, reason: "the agent asks", parts: [], rule: null, answers };
      ports.emit({ type: "approval.ask", ...asked });
      const notified = ports.hooks?.notify(run, question);
      const put = { ...asked, agent: ports.agent };
      const answer = await (ports.ask?.(put) ?? ports.approvals.wait(put, run.signal));
      await notified;
      const { decision, feedback, by = "user", via } = answer;
      ports.emit({ type: "approval.end", id, decision, by, ...(via === undefined ? {} : { via }) });
      if (via !== undefined)
        ports.log.append("note", { code: "answered", text: `Answered in ${via}.`, data: { call: call.id, via } });
      return decision === "allow" ? feedback?.trim() || "yes" : null;
    }, run.signal);
}
