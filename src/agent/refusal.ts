// Turns typed refusals into text for the model, naming only tools that are declared (SPEC 1.24).
// A way on whose tool the profile lacks is left out, so no refusal ever advertises what would be refused next.

import { type ModelError, Refusal, type RefusalFacts, type Way } from "../core/errors.js";
import type { Term, ToolDescriptor, Verb } from "../core/tool.js";

type NameOf = (verb: Verb) => string | undefined;
/** What an argument of such a tool is called. */
type TermOf = (verb: Verb, term: Term) => string | undefined;

const ways: Record<Way, (name: NameOf, facts: RefusalFacts, term: TermOf) => string | undefined> = {
  create: (name) => using(name("create"), (create) => `create it with ${create}`),
  edit: (name) => using(name("edit"), (edit) => `change part of it with ${edit}`),
  "edit-more": (name, _, term) =>
    using(name("edit"), (edit) =>
      using(term("edit", "old"), (old) => `take more of the surrounding lines into ${old} of ${edit}`),
    ),
  "edit-all": (name, _, term) =>
    using(name("edit"), (edit) =>
      using(term("edit", "all"), (all) => `set ${all}: true in ${edit} to change every one of them`),
    ),
  "append-anyway": (name, _, term) =>
    using(name("append"), (append) =>
      using(term("append", "size"), (size) => `call ${append} with the present size as ${size}, or without it`),
    ),
  append: (name) => using(name("append"), (append) => `add to its end with ${append}`),
  rewrite: (name, facts) =>
    using(name("delete"), (remove) =>
      using(name("create"), (create) => `replace it as a whole: ${remove}, then ${create}${fromRef(facts)}`),
    ),
  complete: (name, facts) => using(name("create"), (create) => `finish the text: ${create}${fromRef(facts)}`),
  read: (name) => using(name("read"), (read) => `read it with ${read}`),
  "read-part": (name, _, term) =>
    using(name("read"), (read) => {
      const [from, count] = [term("read", "from"), term("read", "count")];
      return from && count ? `read just those lines with ${read}, ${from} and ${count}` : `read it with ${read}`;
    }),
  list: (name) => using(name("list"), (list) => `see what is there with ${list}`),
  search: (name) => using(name("search"), (search) => `look for it with ${search}`),
  run: (name) => using(name("run"), (run) => `use ${run}`),
};

/** How a kept text is written without being sent again. */
function fromRef({ ref, beginning }: RefusalFacts): string {
  if (ref === undefined) return "";
  if (!beginning) return ` with ref ${ref} in place of the content you sent`;
  return ` with ref ${ref} (the ${beginning.lines} lines that arrived) and, as content, the lines that follow them`;
}

function using(tool: string | undefined, sentence: (tool: string) => string | undefined): string | undefined {
  return tool === undefined ? undefined : sentence(tool);
}

/** The text of a refusal or model error: what happened and is true now, then the ways on. */
export function renderError(error: ModelError, tools: readonly ToolDescriptor[]): string {
  if (!(error instanceof Refusal)) return error.hint ? `${error.message} ${error.hint}` : error.message;
  const nameOf: NameOf = (verb) => tools.find((tool) => tool.verb === verb)?.name;
  const termOf: TermOf = (verb, term) => tools.find((tool) => tool.verb === verb)?.terms?.[term];
  const options = error.ways.flatMap((way) => ways[way](nameOf, error.facts, termOf) ?? []);
  if (options.length === 0) return error.message;
  return `${error.message}\nWays on: ${options.join("; or ")}.`;
}
