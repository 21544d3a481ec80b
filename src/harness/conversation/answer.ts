// Holds an answer against a JSON Schema: the final one against `--json-schema`, an agent's against `output_schema`. The
// validator is loaded only when a schema is given.
// Invariant: whoever wrote the schema, and whatever the answer, it is said in bounded time whether they fit.

import type { AnswerCheck } from "../../agent/run.js";
import { messageOf, UserError } from "../../core/errors.js";
import type { JsonSchema } from "../../core/json.js";
import { parseJson } from "../../lib/json.js";

/** Milliseconds; a schema that is not meant to go wrong needs a hundredth of it. */
const patience = 500;

/** Throws UserError (exit 2) when the schema itself cannot be used. */
export async function answerCheck(schema: JsonSchema): Promise<AnswerCheck> {
  // CommonJS: only `default` is there both in node and in the bundle.
  const { Ajv } = (await import("ajv")).default;
  const { callWithin } = await import("../../lib/call-within.js");
  const ajv = new Ajv({ strict: false, allErrors: true });
  let validate: ReturnType<typeof ajv.compile>;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    throw new UserError(
      `The JSON schema cannot be used: ${messageOf(error)}.`,
      "Give a valid JSON Schema with --json-schema.",
    );
  }
  return async (text) => {
    const value = parseJson(unfenced(text));
    if (value === undefined) return { ok: false, reminder: remind("the answer is not JSON") };
    const fits = callWithin(patience, () => validate(value));
    if (!fits) return { ok: false, reminder: remind(tooLong) };
    if (fits.value) return { ok: true, value };
    return { ok: false, reminder: remind(ajv.errorsText(validate.errors, { dataVar: "answer" })) };
  };
}

const tooLong = `whether it fits was not found out in ${patience} ms; one of its patterns takes too long on this answer`;

/** What the model is told at the start of a run with a schema. */
export function answerInstruction(schema: JsonSchema): string {
  return `Your final answer must be one JSON value, without any other text, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
}

function remind(problem: string): string {
  return `Your final answer does not fit the required JSON Schema: ${problem}. Answer again with the JSON value only.`;
}

/** The body of one fence around the whole answer, else the answer. */
function unfenced(text: string): string {
  const fenced = /^```(?:json)?[ \t\r]*\n([\s\S]*)\n```$/.exec(text.trim());
  return fenced?.[1] ?? text;
}
