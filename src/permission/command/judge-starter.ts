// Programs that start others: the inner command is judged as if it stood alone and is a part of its own.

import { type Call, commonFinding, doerOf } from "./call.js";
import { asks, danger, type Finding, opaque, strictest } from "./finding.js";
import { flagAmong, flagTable, parseFlags } from "./flags.js";
import type { Judge } from "./judge.js";
import { outputFindings } from "./judge-doer.js";
import { readers } from "./programs/index.js";
import { inlineFlags, interpreters, launchers, shells, wrappers } from "./programs/shells.js";
import type { Wrapper } from "./programs/spec.js";
import type { Word } from "./script.js";

/** The wrapper's own finding; the parts of what it starts are added. */
export function judgeWrapper(judge: Judge, base: string, call: Call): Finding | null {
  const wrapper = wrappers[base] as Wrapper;
  const { words, where } = call;
  const rule = `wrapper:${base}`;
  if (base === "command" && words[0] && /^-[vV]+$/.test(words[0].text)) {
    return (
      strictest([
        { verdict: "readonly", rule, why: "It says what a name stands for." },
        ...commonFinding({ ...call, name: "echo" }),
      ]) ?? null
    );
  }
  const found: Finding[] = [
    wrapper.danger ? danger(rule, wrapper.why) : asks(rule, wrapper.why),
    ...commonFinding(call),
  ];
  const own = ownWords(wrapper, words);
  const runs = flagAmong(own.flags, wrapper.runs);
  if (runs !== undefined) found.push(danger(rule, `${runs} makes ${base} run what it is given.`));
  found.push(...outputFindings(own.flags, call.around));
  if (own.unknown) found.push(opaque(rule, `What ${base} starts is not known: ${own.unknown} is not in its table.`));
  for (const word of own.assignments) found.push(assignment(judge, word));
  if (own.inner.length > 0) {
    if (wrapper.adds && !isTextProgram(own.inner[0])) found.push(opaque(rule, wrapper.why));
    judge.program(
      own.inner,
      own.inner.map(() => []),
      { ...where, fed: where.fed || wrapper.adds === true, floor: where.floor ?? asks(rule, wrapper.why) },
    );
  }
  return strictest(found) ?? null;
}

function isTextProgram(word: Word | undefined): boolean {
  return word?.literal === true && Object.hasOwn(readers, word.text) && readers[word.text]?.operands === "text";
}

function assignment(judge: Judge, word: Word): Finding {
  const cut = word.text.indexOf("=");
  return judge.assignmentFinding(word.text.slice(0, cut), { ...word, text: word.text.slice(cut + 1) });
}

interface Own {
  flags: readonly Word[];
  assignments: readonly Word[];
  inner: readonly Word[];
  unknown?: string;
}

/** Where the wrapper's own words end and the inner command begins. */
function ownWords(wrapper: Wrapper, words: readonly Word[]): Own {
  const table = flagTable(wrapper.flags);
  const { flags } = table;
  let at = 0;
  for (; at < words.length; at++) {
    const { text } = words[at] as Word;
    if (text === "--") {
      at++;
      break;
    }
    if (!text.startsWith("-") || text === "-") break;
    const { unknown } = parseFlags(words.slice(at, at + 1), table);
    const takesNext = flags.get(text) === "value" || flags.get(text) === "file";
    if (takesNext) at++;
    else if (unknown !== undefined) return { flags: words, assignments: [], inner: [], unknown };
  }
  const own = words.slice(0, at);
  const assignments: Word[] = [];
  while (wrapper.assigns && /^[A-Za-z_]\w*=/.test(words[at]?.text ?? "")) assignments.push(words[at++] as Word);
  return { flags: own, assignments, inner: words.slice(at + (wrapper.before ?? 0)) };
}

/** Every word that may be the program it starts is judged as one, with the words behind it; so is a whole command line. */
export function judgeLauncher(judge: Judge, call: Call): Finding | null {
  const base = call.name.slice(call.name.lastIndexOf("/") + 1);
  const rule = `launcher:${base}`;
  const why = `${base} starts another program.`;
  const found = [asks(rule, why)];
  // Whoever starts this one has looked at all of its words.
  if (!call.where.started) {
    const where = { ...call.where, started: true, floor: call.where.floor ?? asks(rule, why) };
    const all = started(call.words);
    for (const words of all.slice(0, mostStarted))
      judge.program(
        words,
        words.map(() => []),
        where,
      );
    if (all.length > mostStarted) found.push(opaque(rule, "Too many of its words could be the program it starts."));
    for (const { text, literal } of call.words) if (literal && /\s/.test(text)) judge.inner(text, where);
  }
  return strictest([...found, ...commonFinding(call), ...outputFindings(call.words, call.around)]) ?? null;
}

const mostStarted = 20;

function started(words: readonly Word[]): (readonly Word[])[] {
  return words.flatMap(({ text, literal }, index) => (literal && isKnown(text) ? [words.slice(index)] : []));
}

function isKnown(text: string): boolean {
  const base = text.slice(text.lastIndexOf("/") + 1);
  const listed = [readers, wrappers].some((table) => Object.hasOwn(table, base)) || doerOf(base) !== undefined;
  return listed || base === "git" || shells.has(base) || interpreters.test(base) || launchers.test(base);
}

/** What an unknown program would be if it started what its words name: only what is dangerous counts. */
export function dangersNamed(judge: Judge, call: Call): Finding[] {
  if (call.where.started) return [];
  const before = judge.parts.length;
  const all = started(call.words).filter(([word]) => destructive.test(word?.text ?? ""));
  for (const words of all.slice(0, mostStarted))
    judge.program(
      words,
      words.map(() => []),
      { ...call.where, started: true },
    );
  const parts = judge.parts.splice(before);
  const found = parts.find(({ reason }) => reason === "danger");
  return found ? [danger(found.rule, found.why)] : [];
}

const destructive =
  /(^|\/)(rm|mv|dd|shred|chmod|chown|sudo|doas|su|bash|sh|zsh|dash|mkfs\S*|shutdown|reboot|tee|truncate)$/;

/** `bash -c '…'` is read; a script from the input is not known to anybody. */
export function judgeShell(judge: Judge, call: Call): Finding | null {
  const { name, words, where } = call;
  const rule = `shell:${name.slice(name.lastIndexOf("/") + 1)}`;
  const found: Finding[] = [asks(rule, "It starts another shell."), ...commonFinding(call)];
  const flag = words.findIndex(({ text }) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(text));
  const script = words.find(({ text }) => !text.startsWith("-") && !text.startsWith("+"));
  const strange = words.find(
    ({ text }) => /^--?(rcfile|init-file|debugger)|^-[a-z]*[ixls]|^\+?-?O/.test(text) && !/^-[a-z]*c/.test(text),
  );
  if (flag >= 0) {
    const text = words[flag + 1];
    if (!text?.literal) found.push(opaque(rule, "What it runs is worked out by the shell."));
    else judge.inner(text.text, { ...where, floor: where.floor ?? asks(rule, "It runs in another shell.") });
  } else if (!script || words.some(({ text }) => text === "-s")) {
    found.push(
      where.fed ? danger(rule, "It runs whatever it is fed.") : asks(rule, "It reads commands from its input."),
    );
  } else if (strange) found.push(danger(rule, `${strange.text} runs more than the script.`));
  return strictest(found) ?? null;
}

export function judgeInterpreter(call: Call): Finding {
  const { name, words, where } = call;
  const base = name.slice(name.lastIndexOf("/") + 1);
  const rule = `interpreter:${base}`;
  const found: Finding[] = [asks(rule, `${base} runs a program.`), ...commonFinding(call)];
  const hasProgram = words.some(
    ({ text }) => !text.startsWith("-") || inlineFlags.test(text) || /^--?(version|v|V|help|h)$/.test(text),
  );
  if (!hasProgram && where.fed && !where.given) found.push(danger(rule, "It runs whatever it is fed."));
  return strictest(found) as Finding;
}
