// `cinch attach <session>`: follows a session that another process holds, and says something in it; without a server, by files
// that both are the only ones to reach (attach/spool.ts). In a terminal what is typed is said at once; without one, plain lines.

import { UserError } from "../../core/errors.js";
import { sessionAt } from "../../harness/place.js";
import { nodeFs } from "../../lib/fs.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { systemClock } from "../../lib/system.js";
import { holderOf, shortId } from "../../session/store.js";
import type { Values } from "../args.js";
import { readAnswer } from "../attach/answer-line.js";
import { Followed } from "../attach/followed.js";
import { AttachGuest } from "../attach/guest.js";
import type { SpoolLine } from "../attach/spool.js";
import { currentPlace } from "../current.js";
import { jsonFlag } from "../flags.js";
import { linesOf } from "../lines.js";
import { Signals } from "../signals.js";
import { onStdoutGone, writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const lookEvery = 50;
/** For a host to let somebody in; it looks once a second. */
const patience = 10_000;
const longestLine = 256 * 1024;

const command: Command = {
  flags: [{ name: "queue", kind: { is: "switch" }, doc: "What is typed waits until the run has ended" }, jsonFlag],
  words: { max: 1, hint: "[<session>]" },

  async run(values: Values, [named]): Promise<number> {
    const { root, state } = currentPlace(values);
    const { id, file } = sessionAt({ disk: nodeFs, root, state }, named);
    const isHeld = () => {
      const holder = holderOf(nodeFs, file);
      return holder !== null && !holder.gone;
    };
    if (!isHeld()) {
      throw new UserError(
        `No process holds session ${shortId(id)}.`,
        `\`cinch --resume ${shortId(id)}\` goes on with it.`,
        1,
      );
    }
    const guest = new AttachGuest(nodeFs, state, id);
    if (!(await guest.enter()))
      throw new UserError("The place to meet at is not this user's alone.", `Look at ${state}/attached.`, 1);
    return new Attachment(guest, values, isHeld).run();
  },
};

export default command;

class Attachment {
  readonly #guest: AttachGuest;
  readonly #json: boolean;
  readonly #mode: "now" | "queue";
  readonly #isHeld: () => boolean;
  readonly #followed = new Followed();
  readonly #signals = new Signals();
  #welcome = false;
  #over = false;

  constructor(guest: AttachGuest, values: Values, isHeld: () => boolean) {
    this.#guest = guest;
    this.#json = values.has("json");
    this.#mode = values.has("queue") ? "queue" : "now";
    this.#isHeld = isHeld;
  }

  async run(): Promise<number> {
    const stop = () => {
      this.#over = true;
    };
    this.#signals.onStop(stop);
    onStdoutGone(stop);
    const typing = this.#type();
    typing.catch(stop);
    try {
      await this.#follow();
      for (const text of this.#guest.unanswered)
        this.#say(`Not confirmed, so perhaps not in the session: ${text}`, { type: "unconfirmed", text });
    } finally {
      this.#guest.leave();
    }
    return this.#signals.code ?? 0;
  }

  async #follow(): Promise<void> {
    const late = Date.now() + patience;
    while (!this.#over) {
      // Asked before: what the host wrote until its end is then all there.
      const held = this.#isHeld();
      for (const line of this.#guest.read()) this.#take(line);
      if (this.#over) return;
      if (!held) {
        this.#say("The process that held the session has ended.", { type: "end", text: "gone" });
        return;
      }
      if (this.#guest.isOut) {
        const text = "The process that holds the session could not go on writing for this terminal. Attach again.";
        this.#say(text, { type: "end", text });
        return;
      }
      if (!this.#welcome && Date.now() > late) {
        throw new UserError(
          "The process that holds the session lets nobody in: it is stopped, or no `cinch` that can.",
          "Nothing was said. Try again, or look at its terminal.",
          1,
        );
      }
      await systemClock.sleep(lookEvery);
    }
  }

  /** Whatever is typed; the end of input leaves in a terminal, and elsewhere ends the saying alone. */
  async #type(): Promise<void> {
    for await (const line of linesOf(process.stdin, longestLine)) {
      const text = line.trim();
      if (text === "") continue;
      if (text === "/quit") break;
      if (text === "/cancel") await this.#guest.cancel();
      else if (/^\/answer(\s|$)/.test(text)) await this.#answer(text);
      else await this.#guest.say(text.replace(/^\/queue\s+/, ""), text.startsWith("/queue ") ? "queue" : this.#mode);
    }
    if (process.stdin.isTTY) this.#over = true;
  }

  async #answer(line: string): Promise<void> {
    const read = readAnswer(line, this.#followed.open);
    if ("answer" in read) await this.#guest.answer(read.question, read.answer, line);
    else this.#say(read.fault, { type: "refused", text: read.fault });
  }

  #take(line: SpoolLine): void {
    switch (line.type) {
      case "hello":
        this.#welcome = true;
        this.#say(greeting(line), line);
        return;
      case "event":
        this.#say(this.#followed.lines(line.event).join("\n"), line);
        return;
      case "question":
        this.#say(this.#followed.question(line.question).join("\n"), line);
        return;
      case "taken":
        this.#say(`  taken: ${short(this.#guest.answered(line.n))}`, line);
        return;
      case "delivered":
        this.#say(`  the model has it: ${short(this.#guest.answered(line.n))}`, line);
        return;
      case "dropped":
        this.#say(
          `  not in this run any more; it is back where the session is held: ${short(this.#guest.answered(line.n))}`,
          line,
        );
        return;
      case "refused":
        this.#say(`  not taken: ${short(this.#guest.answered(line.n))}. ${line.text}`, line);
        return;
      case "end":
        this.#over = true;
        this.#say(line.text, line);
    }
  }

  #say(text: string, json: object): void {
    if (this.#json) writeOut(safeJson(json, 0));
    else if (text !== "") writeOut(safeText(`${text}\n`));
  }
}

function greeting({ session, root, model, pid, busy, said }: Extract<SpoolLine, { type: "hello" }>): string {
  const words = said.map(({ role, text }) => (role === "user" ? `❯ ${text}` : text));
  const state = busy ? "A run is under way." : "It waits for somebody to say something.";
  return [
    `Session ${shortId(session)} of ${root}, held by process ${pid}, ${model}. ${state}`,
    "A line is said at once, /queue <text> when the run has ended; /answer answers a question, /cancel ends the run, /quit leaves it.",
    ...(words.length > 0 ? ["", ...words, ""] : []),
  ].join("\n");
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
