// ask_user: a question to the person, with answers to choose from or without. Changes nothing. Where nobody can answer it says
// so at once, so that the model goes on by itself.

import * as z from "zod";
import type { Plan } from "../core/plan.js";
import { defineTool } from "../core/tool.js";
import { sha256 } from "../lib/hash.js";

const input = z.object({
  question: z.string().min(1),
  answers: z.array(z.string().min(1)).max(9).optional(),
});

type Asked = z.infer<typeof input>;

export default defineTool<Asked, Asked>({
  name: "ask_user",
  verb: "ask",
  alias: null,
  family: "plan",
  effects: ["ask"],
  needs: [],
  description:
    "Asks the user a question and waits for the answer; with answers, they are offered. Only for what you cannot find out.",
  input,
  prepare(asked): Plan<Asked> {
    const view = { type: "list", items: asked.answers ?? [] } as const;
    const digest = sha256(JSON.stringify([asked.question, asked.answers]));
    return {
      effect: "ask",
      paths: [],
      summary: asked.question,
      view: { ...view, items: [...view.items] },
      digest,
      data: asked,
    };
  },
  async apply({ data: { question, answers = [] } }, { ask }) {
    if (!ask)
      return {
        status: "ok",
        text: "Nobody can answer in this run. Decide by yourself, and say in your answer what you assumed.",
      };
    const said = await ask(question, answers);
    if (said === null) return { status: "ok", text: "The user left the question open. Decide by yourself." };
    return { status: "ok", text: `The user says: ${said}`, view: { type: "text", text: said } };
  },
});
