// The analysis of a shell command: disguises, two readers that have to agree, then a judgement of every part.
// Invariant: read-only is said only of a text that the grammar took without error, that the second reader reads as the same
// words, and of which every part is in a table. The grammar is loaded with the first command that is more than bare words.
// It is a convenience that saves questions; what a program really does is not known here (docs/permission.md).

import type { CommandAnalysis, CommandPart } from "../../core/command.js";
import { once } from "../../lib/once.js";
import { loadGrammar, type Parse } from "../../lib/tree-sitter.js";
import { readBare } from "./bare.js";
import { disguise } from "./characters.js";
import { type Finding, opaque, part, strictest } from "./finding.js";
import type { Ground } from "./ground.js";
import { hintFor } from "./hint.js";
import { Judge } from "./judge.js";
import { plainCommands } from "./plain.js";
import { joinedLines } from "./quotes.js";
import { readScript } from "./read-script.js";
import type { Statement } from "./script.js";

export type { Ground } from "./ground.js";
export { createGround } from "./survey.js";

export interface Analyst {
  /** `cwd`: canonical directory the command starts in. */
  analyse(command: string, cwd: string, ground: Ground): Promise<CommandAnalysis>;
}

type Reader = (text: string) => readonly Statement[] | null;

/** Longer than this the system takes no argument. */
const maxBytes = 128 * 1024;
/** Milliseconds for the grammar: what a text of that length needs, many times over, so that a busy machine refuses nothing. */
const patience = 2_000;

export function createAnalyst(): Analyst {
  const grammar = once(() => loadGrammar("bash"));
  return {
    analyse: async (...about) => analyseBare(...about) ?? analyseWith(await grammar(), ...about),
  };
}

/** Null when it takes the grammar to say. */
function analyseBare(command: string, cwd: string, ground: Ground): CommandAnalysis | null {
  let suffices = true;
  const analysis = analyse(
    (text) => {
      const script = readBare(text);
      suffices &&= script !== null;
      return script;
    },
    command,
    cwd,
    ground,
  );
  return suffices ? analysis : null;
}

export function analyseWith(parse: Parse, command: string, cwd: string, ground: Ground): CommandAnalysis {
  return analyse((text) => readWith(parse, text), command, cwd, ground);
}

function analyse(read: Reader, command: string, cwd: string, ground: Ground): CommandAnalysis {
  const trouble = unreadable(command);
  if (trouble) return finished(command, [part([command.slice(0, 200)], false, trouble)]);
  const text = joinedLines(command);
  const script = text === null ? null : read(text);
  if (!script)
    return finished(command, [part([command], false, opaque("syntax", "The grammar of bash does not take it."))]);
  const judge = new Judge(ground, (inner) => readInner(read, inner));
  judge.statements(script, { bases: [cwd], fed: false });
  const analysis = finished(command, judge.parts);
  if (analysis.verdict !== "readonly" || agree(command, judge.parts)) return analysis;
  const doubt = opaque("syntax:disagree", "Two readers take it for different commands.");
  return finished(command, [...judge.parts, part([command], false, doubt)]);
}

function unreadable(command: string): Finding | null {
  if (Buffer.byteLength(command) > maxBytes) return opaque("syntax:long", "It is longer than a command can be.");
  const found = disguise(command);
  return found === null ? null : opaque("syntax:disguised", `It holds ${found}: what you see is not what would run.`);
}

/**
 * What the grammar misreads: a word that begins with an escaped blank (it takes the two characters for nothing), and a
 * $'…' that ends in an escaped backslash (it takes the quote behind it for escaped).
 */
const misread = /(?:^|[\s;&|(){}])\\[ \t]|\$'[^']*\\\\'/;

export function readWith(parse: Parse, text: string): readonly Statement[] | null {
  if (misread.test(text)) return null;
  const tree = parse(text, patience);
  if (!tree) return null;
  try {
    return tree.rootNode.hasError ? null : readScript(tree.rootNode);
  } finally {
    tree.delete();
  }
}

function readInner(read: Reader, text: string): readonly Statement[] | null {
  if (unreadable(text)) return null;
  const joined = joinedLines(text);
  return joined === null ? null : read(joined);
}

/** Whether the second reader finds the same programs with the same words. */
function agree(command: string, parts: readonly CommandPart[]): boolean {
  const plain = plainCommands(command);
  return plain !== null && JSON.stringify(plain) === JSON.stringify(parts.map(({ argv }) => argv));
}

function finished(command: string, parts: readonly CommandPart[]): CommandAnalysis {
  const worst = strictest(parts);
  const verdict = worst?.verdict ?? "needs-approval";
  const analysis: CommandAnalysis = { command, verdict, parts };
  if (worst?.reason !== undefined) analysis.reason = worst.reason;
  const hint = hintFor(analysis);
  if (hint !== null) analysis.hint = hint;
  return analysis;
}
