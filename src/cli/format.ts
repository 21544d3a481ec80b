// What goes to stdout, by --output-format (CONTRACT §5). One small object per format; adding one is a line of `formats`.
// Invariant: nothing but the protocol is ever written to stdout; each line is one JSON value.

import type { Event } from "../core/event.js";
import type { Result } from "../core/result.js";
import type { Init, Session } from "../index.js";
import { type SafeText, safeJson, safeText } from "../lib/safe-text.js";
import type { OutputFormat } from "./flags.js";
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
    const models = new Map<string, string>();
    return {
      start(init) {
        models.set(init.session_id, init.model);
        write(line(initLine(init)));
      },
      event(event, session) {
        if (event.type === "approval.ask") write(line(approvalLine(event)));
        const { entry, call } = session.appended(event) ?? {};
        if (!entry || call === undefined) return;
        if (entry.type === "model") models.set(event.session, entry.data.id);
        const model = models.get(event.session) ?? "";
        const said = messageLine(entry, { session: event.session, model, call });
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
