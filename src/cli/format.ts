// What goes to stdout, by --output-format (CONTRACT §5). One small object per format; adding one is a line of `formats`.
// Invariant: nothing but the protocol is ever written to stdout; each line is one JSON value.

import type { Event } from "../core/event.js";
import { noUsage } from "../core/message.js";
import { exitOf, type Result, resultUsage } from "../core/result.js";
import type { Init, Session } from "../index.js";
import { type SafeText, safeJson, safeText } from "../lib/safe-text.js";
import type { OutputFormat } from "./flags.js";
import type { SlashAnswer } from "./slash/slash.js";
import { ackLine, approvalLine, initLine, messageLine } from "./views/stream-json.js";

export interface Format {
  start(init: Init): void;
  event(event: Event, session: Session): void;
  /** After the last event of a run. */
  result(result: Result): void;
  /** A control line was read; `error` says why it could not be followed. */
  ack(line: number, error: string | null): void;
  /** There is no session and never was one. */
  failed(result: Result): void;
}

export interface Output {
  write(text: SafeText): void;
  writeExact(text: string): void;
  terminal: boolean;
  /** The exit code of a signal that came, which is then the run's. */
  signal(): number | undefined;
}

export function formatOf(name: OutputFormat, output: Output): Format {
  const format = formats[name](output);
  return { ...format, result: (result) => format.result(stopped(result, output.signal())) };
}

const nothing = () => {};

const formats: Record<OutputFormat, (output: Output) => Format> = {
  text: ({ write, writeExact, terminal }) => ({
    start: nothing,
    event: nothing,
    result({ result }) {
      if (result === "") return;
      const text = result.endsWith("\n") ? result : `${result}\n`;
      if (terminal) write(safeText(text));
      else writeExact(text);
    },
    ack: nothing,
    failed: nothing,
  }),

  json: ({ write }) => ({
    start: nothing,
    event: nothing,
    result: (result) => write(line(result)),
    ack: nothing,
    failed: (result) => write(line(result)),
  }),

  "stream-json": ({ write }) => {
    let model = "";
    return {
      start(init) {
        model = init.model;
        write(line(initLine(init)));
      },
      event(event, session) {
        if (event.type === "approval.ask") write(line(approvalLine(event)));
        if (event.type !== "entry.append" || (event.kind !== "message" && event.kind !== "model")) return;
        const entry = session.entry(event.entry);
        if (entry?.type === "model") model = entry.data.id;
        const said = entry && messageLine(entry, { session: session.id, model });
        if (said) write(line(said));
      },
      result: (result) => write(line(result)),
      ack: (number, error) => write(line(ackLine(number, error))),
      failed: (result) => write(line(result)),
    };
  },

  events: ({ write, signal }) => {
    let seq = 0;
    let session = "";
    const frame = () => ({ seq: ++seq, session, agent: "main", time: new Date().toISOString() });
    return {
      start(init) {
        session = init.session_id;
      },
      event: (event) => {
        const last = event.type === "run.end" && event.agent === "main";
        write(line({ ...(last ? stopped(event, signal()) : event), seq: ++seq }));
      },
      result: nothing,
      ack(number, error) {
        const ack = { type: "input.ack", line: number, ok: error === null };
        write(line({ ...ack, ...(error === null ? {} : { error }), ...frame() }));
      },
      failed({ type: _type, ...fields }) {
        write(line({ type: "run.end", ...fields, ...frame() }));
      },
    };
  },
};

/** A run that a signal cancelled ends with the signal's code. */
function stopped<Ending extends { subtype?: string }>(ending: Ending, code: number | undefined): Ending {
  return ending.subtype === "error_cancelled" && code !== undefined ? { ...ending, exit_code: code } : ending;
}

function line(value: object): SafeText {
  return safeJson(value, 0);
}

/** A result for a run that could not begin. `exit`: the code the process will end with. */
export function noSession(detail: string, exit: number = exitOf.error_auth): Result {
  const known = (["error_auth", "error_denied"] as const).find((each) => exitOf[each] === exit);
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

/** A result for what was done with a model's help, outside of a run; `text` is the reason when it was not done. */
export function withModel(session: string, text: string, asked: NonNullable<SlashAnswer["asked"]>): Result {
  const { subtype, requests, usage, cost } = asked;
  return {
    ...withoutModel(session, subtype === "success" ? text : "", subtype === "success" ? undefined : text),
    subtype,
    exit_code: exitOf[subtype],
    num_turns: requests,
    total_cost_usd: cost,
    usage: resultUsage(usage),
  };
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
