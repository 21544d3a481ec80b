// A question put to the user, from its `approval.ask` to its `approval.end`: whoever shows it hears of its end, however it ends.
// Invariant: a question that a cancelled run or agent leaves behind is ended as denied by nobody, and its wait still rejects.

import type { Answer, Approval } from "./approvals.js";
import type { Run } from "./run.js";

export type Put = Answer & { by: NonNullable<Answer["by"]> };

/** `notice`: what hooks are told. Rejects with Cancelled when the run ends first. */
export async function put(run: Run, question: Omit<Approval, "agent">, notice: string): Promise<Put> {
  const { ports } = run;
  const { id } = question;
  ports.emit({ type: "approval.ask", ...question });
  const notified = ports.hooks?.notify(run, notice);
  const asked = { ...question, agent: ports.agent };
  try {
    const answer = await (ports.ask ? ports.ask(asked) : ports.approvals.wait(asked, run.signal));
    await notified;
    const { decision, by = "user", via } = answer;
    ports.emit({ type: "approval.end", id, decision, by, ...(via === undefined ? {} : { via }) });
    return { ...answer, by };
  } catch (error) {
    ports.emit({ type: "approval.end", id, decision: "deny", by: "headless" });
    throw error;
  }
}
