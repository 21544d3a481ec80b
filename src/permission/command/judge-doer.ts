// Programs that change something: they ask, and what they change or how can make them dangerous.

import type { Call } from "./call.js";
import { asks, danger, type Finding, opaque, strictest } from "./finding.js";
import { flagAmong } from "./flags.js";
import type { Surroundings } from "./paths.js";
import { builtins } from "./programs/builtins.js";
import { rulingVariables } from "./programs/shells.js";
import type { Doer } from "./programs/spec.js";
import type { Word } from "./script.js";

export function doerFinding(doer: Doer, base: string, call: Call): Finding {
  const { words, around } = call;
  const rule = Object.hasOwn(builtins, base) ? `builtin:${base}` : `program:${base}`;
  const line = words.map(({ text }) => text).join(" ");
  const found: Finding[] = [asks(rule, `${base} ${doer.does}.`)];
  for (const [pattern, why] of doer.danger ?? []) if (pattern.test(line)) found.push(danger(rule, why));
  const runs = flagAmong(words, doer.runs);
  if (runs !== undefined) found.push(danger(rule, `${runs} makes ${base} run a program.`));
  const checked = doer.check?.({ flags: [], operands: words, words });
  if (checked)
    found.push(
      checked.verdict === "danger"
        ? danger(rule, checked.why)
        : checked.verdict === "opaque"
          ? opaque(rule, checked.why)
          : asks(rule, checked.why),
    );
  if (/^(declare|typeset|export|readonly|local)$/.test(base)) found.push(...declared(call));
  found.push(...writtenBy(doer, words, around), ...outputFindings(words, around));
  const place = Object.hasOwn(builtins, base) ? null : around.placeFinding();
  if (place) found.push(place);
  return strictest(found) as Finding;
}

function declared({ words }: Call): Finding[] {
  return words.flatMap(({ text, dynamic }) => {
    const [, name, subscript] = /^([A-Za-z_]\w*)(\[.*)?\+?=/s.exec(text) ?? [];
    if (dynamic.some(({ kind }) => kind === "opaque" || kind === "substitution"))
      return [opaque("assignment", "What it becomes is worked out by a command.")];
    if (name === undefined) return [];
    if (subscript !== undefined) return [opaque("assignment", "A subscript is evaluated.")];
    return [assigned(name)];
  });
}

function assigned(name: string): Finding {
  return rulingVariables.test(name)
    ? danger("assignment", `${name} decides what programs run or where they look.`)
    : asks("assignment", `It sets ${name}.`);
}

function writtenBy(doer: Doer, words: readonly Word[], around: Surroundings): Finding[] {
  const { operands: kind } = doer;
  if (kind === undefined) return [];
  const operands = words.filter(({ text, literal }) => !(literal && text.startsWith("-") && text !== "-"));
  const written =
    kind === "read" ? [] : kind === "last" ? operands.slice(-1) : kind === "first" ? operands.slice(0, 1) : operands;
  const reach = kind === "delete" || kind === "tree" ? kind : "content";
  const found = written.map((word) => {
    if (kind === "delete" && /^(\.\/|\.\.\/|~\/|\/)*\*(\/\*)*$/.test(word.text))
      return danger("path:whole", "It is everything there is.");
    return around.writeFinding(word, reach);
  });
  // A flag's value, or an operand of which nobody knows that it is only read.
  const onlyRead = new Set(kind === "read" || kind === "last" || kind === "first" ? operands : []);
  const others = words.filter((word, index) => !onlyRead.has(word) || doer.into?.test(words[index - 1]?.text ?? ""));
  return [...found, ...others.map((word) => around.outputFinding(word))].filter((each) => each !== null);
}

/**
 * What flags for output name, whatever the program: `of=f`, `--output=f`, `-o f`, `-of`, `-C dir`. Generous, because it only
 * matters for what lies outside of the project or is protected.
 */
export function outputFindings(words: readonly Word[], around: Surroundings): Finding[] {
  return words.flatMap((word, index) => {
    const before = words[index - 1]?.text ?? "";
    const value = output.test(before) ? word.text : attached.exec(word.text)?.[1];
    if (value === undefined || /^\w+:\/\//.test(value)) return [];
    return around.writeFinding({ ...word, text: value }) ?? [];
  });
}

const long =
  "--?(?:o|ou|out[\\w-]*|d|dir|directory[\\w-]*|dest[\\w-]*|target[\\w-]*|prefix|cwd|root|install[\\w-]*|log[\\w-]*|report[\\w-]*|save[\\w-]*|write[\\w-]*|dump[\\w-]*|trace[\\w-]*|cookie-jar|file|archive|fprint0?|fprintf|fls|i)";
const output = new RegExp(`^(?:-[A-Za-z]*[oOPCDdt]|${long})$`);
const attached = new RegExp(`^(?:of=|${long}=|-[A-Za-z]*[oOPCDdt](?=[./~]))(.+)$`);
