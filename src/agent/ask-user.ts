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
      const {
        decision,
        feedback,
        by = "user",
      } = await (ports.ask?.({ ...asked, agent: ports.agent }) ?? ports.approvals.wait(id, run.signal));
      await notified;
      ports.emit({ type: "approval.end", id, decision, by });
      return decision === "allow" ? feedback?.trim() || "yes" : null;
    }, run.signal);
}
