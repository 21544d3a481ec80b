// `files.twoStage` when the text does not arrive whole: cut by the limit, by the connection, by the user. Whole lines are
// kept where the model can go on from them, and nothing else is.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { lines } from "../support/lines.js";
import { resultText, stage } from "../support/stage.js";
import { append, body, ok, on, question, run, write } from "../support/two-stage.js";

const ended = (events: readonly Event[], call: string) =>
  events.find((event) => event.type === "call.end" && event.call === call);

describe("a text that does not arrive whole", () => {
  it("is kept up to its last whole line when the limit cuts it, and can be continued", async () => {
    const { bodies, text } = await run([
      write("a.js"),
      body(`${lines(1, 30)}const li`, { stop: "length" }),
      append("a.js"),
      body(lines(31, 40)),
      ok,
    ]);
    expect(text("a.js")).toBe(lines(1, 40));
    expect(resultText(bodies()[2], "w")).toContain(
      'Kept: 30 whole lines, the last one is "const line30 = 30;". The file is not complete: go on with the line after that one with append_file.',
    );
    expect(question(bodies()[3])).toContain("const line30 = 30;");
  });

  it("is an error when not one line is whole", async () => {
    const { bodies, root } = await run([write("a.js"), body("const li", { stop: "length" }), ok]);
    expect(resultText(bodies()[2], "w")).toContain("cut before the end of the first line");
    expect(existsSync(join(root, "a.js"))).toBe(false);
  });

  it("is asked for again when little had come before the connection broke, else kept", async () => {
    const broken = (upTo: number) => body(lines(1, upTo), { chunk: 20_000, cutAfter: 4 });
    const clock = fixedClock();
    const few = await run([write("a.js"), broken(5), body("f();\n"), ok], { clock });
    expect(few.text("a.js")).toBe("f();\n");
    expect(few.bodies()[2]).toEqual(few.bodies()[1]);
    expect(few.events.some((event) => event.type === "notice" && event.code === "retry")).toBe(true);
    expect(few.events.some((event) => event.type === "turn.retry")).toBe(false);

    const many = await run([write("a.js"), broken(40), ok], { clock });
    expect(many.text("a.js")).toBe(lines(1, 40));
    // The last one asks for the rest.
    expect(many.bodies()).toHaveLength(4);
    expect(resultText(many.bodies()[2], "w")).toContain("Kept: 40 whole lines");
  });

  it("is dropped when the run is cancelled", async () => {
    const { open, root, server, events } = await stage([
      write("a.js"),
      body(lines(1, 200), { chunk: 40, stallAfter: 30 }),
      ok,
    ]);
    const session = await open({ settings: on });
    const seen = (async () => {
      for await (const event of session.events()) if (event.type === "call.progress") return session.cancel();
    })();
    const result = await session.send("go");
    await seen;
    expect(result.subtype).toBe("error_cancelled");
    await server.closed(1);
    expect(server.requests).toHaveLength(2);
    expect(existsSync(join(root, "a.js"))).toBe(false);
    expect(ended(events, "w")).toMatchObject({ status: "cancelled" });
  });
});
