// Results of what no run was made for: there is no session, a command has answered, or an input was refused.
// Not here: results of runs (agent/run-result.ts). Loaded at the start: what says that something failed must not have to be loaded.

import { messageOf, UserError } from "../core/errors.js";
import { noUsage } from "../core/message.js";
import { exitOf, type Result, resultUsage } from "../core/result.js";
import type { Conversation } from "./conversation.js";
import type { Format } from "./format.js";
import type { SlashAnswer } from "./slash/slash.js";

/** A result for a run that could not begin. `exit`: the code the process will end with. */
export function noSession(detail: string, exit: number = exitOf.error_auth): Result {
  const known = (["error_auth", "error_denied", "error_budget"] as const).find((each) => exitOf[each] === exit);
  const subtype = known ?? "error_during_execution";
  return { ...untouched, subtype, is_error: true, detail, exit_code: exit };
}

/** A result for what was done without asking the model; `detail`: why it was not done. */
export function withoutModel(session: string, text: string, detail?: string): Result {
  const result = { ...untouched, result: text, session_id: session };
  if (detail === undefined) return result;
  const subtype = "error_during_execution";
  return { ...result, subtype, is_error: true, detail, exit_code: exitOf[subtype] };
}

/** A result for a conversation in which nobody said anything. */
export function toldNothing(session: string, isStopped: boolean): Result {
  if (!isStopped) return withoutModel(session, "");
  const subtype = "error_cancelled";
  return {
    ...withoutModel(session, "", "It was ended before anything was asked."),
    subtype,
    exit_code: exitOf[subtype],
  };
}

/** The same for whom nobody reads any more, where no signal ended it: the codes of a cancelled run are those of signals. */
export function unread(result: Result): Result {
  const subtype = "error_during_execution";
  const detail = "Nobody reads standard output any more, so the run was ended.";
  return { ...result, subtype, detail, exit_code: exitOf[subtype] };
}

/** A result for what was done with a model's help, outside of a run; `text` is the reason when it was not done. */
export function withModel(session: string, text: string, asked: NonNullable<SlashAnswer["asked"]>): Result {
  const { subtype, requests, usage, cost, ...done } = asked;
  return {
    ...withoutModel(session, subtype === "success" ? text : "", subtype === "success" ? undefined : text),
    ...done,
    subtype,
    exit_code: exitOf[subtype],
    num_turns: requests,
    total_cost_usd: cost,
    usage: resultUsage(usage),
  };
}

/** What a command will not do, and an input that cannot be sent, is a result like any other; anything but a refusal is a bug and goes on up. */
export function refused(session: string, error: unknown): Result {
  if (!(error instanceof UserError)) throw error;
  return withoutModel(session, "", error.fix ? `${error.message} ${error.fix}` : error.message);
}

export const bugText = (error: unknown) => `Something is wrong in Cinch itself: ${messageOf(error)}`;

/** Says the result that is there and was not printed yet, or one that tells of the error; returns the exit code of the former. */
export function lastWords(
  error: unknown,
  {
    conversation,
    format,
    session,
  }: { conversation: Pick<Conversation, "last" | "holds">; format: Format; session: string },
): number | undefined {
  const { last, holds } = conversation;
  if (!last) {
    format.failed({ ...noSession(bugText(error), 1), session_id: session });
    return undefined;
  }
  if (holds) format.result(last);
  return last.exit_code;
}

const untouched: Result = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "",
  session_id: "",
  num_turns: 0,
  duration_ms: 0,
  total_cost_usd: 0,
  usage: resultUsage(noUsage),
  cache: { hit_rate: null, breaks: [] },
  permission_denials: [],
  exit_code: 0,
  files: [],
  tasks: [],
  undelivered: [],
  coverage: "full",
};
