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
  found.push(...writtenBy(doer, words, around));
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
  if (kind === undefined || kind === "read") {
    return outputs(words).flatMap((word) => around.writeFinding(word) ?? []);
  }
  const operands = words.filter(({ text, literal }) => !(literal && text.startsWith("-") && text !== "-"));
  const written = kind === "last" ? operands.slice(-1) : operands;
  return written.flatMap((word) => {
    if (kind === "delete" && /^(\.\/|\.\.\/|~\/|\/)*\*(\/\*)*$/.test(word.text))
      return [danger("path:whole", "It is everything there is.")];
    if (!word.literal && word.dynamic.some(({ kind: each }) => each === "variable" || each === "encoded"))
      return [opaque("path:unknown", "What it changes is not known.")];
    const found = around.writeFinding(word, kind === "last" || kind === "write" ? "content" : kind);
    return found ? [found] : [];
  });
}

/** What flags for output name: `of=f`, `--output=f`, `-o f`, `-of`. */
function outputs(words: readonly Word[]): Word[] {
  return words.flatMap((word, index) => {
    const before = words[index - 1]?.text ?? "";
    if (/^(-[oOPC]|--?out(put)?(-[a-z-]+)?|--directory|--directory-prefix)$/.test(before)) return [word];
    const [, value] = /^(?:of=|--?out(?:put)?(?:-[a-z-]+)?=|-[oOPC])(.+)$/.exec(word.text) ?? [];
    return word.literal && value !== undefined ? [{ ...word, text: value }] : [];
  });
}
