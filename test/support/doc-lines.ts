// The command lines that the pages for users and contributors show: in code blocks, in inline code, in tables of commands.
// A line is taken as it is written; what stands for something else in it (`<id>`, `[…]`, `a|b`) is told apart here, and given
// a meaning by the test.

import { type Page, page, pages } from "../house/pages.js";

export interface DocLine {
  /** `docs/undo.md:12`, to find it by. */
  where: string;
  text: string;
}

/** A piece of code in a page: a line of a block, or a span. `info` is that of its block. */
interface Code extends DocLine {
  info: string | null;
}

/** The pages that tell somebody what to type or write. The changelog tells what was. */
export const guides = (): Page[] => pages().filter(({ path }) => path !== "CHANGELOG.md");

/** Every line of a block without a language, and every span of inline code, with the place. */
export function codeOf({ path, text }: Page): Code[] {
  const found: Code[] = [];
  let info: string | null = null;
  for (const [at, line] of text.split("\n").entries()) {
    const where = `${path}:${at + 1}`;
    const fence = /^\s*```(.*)$/.exec(line);
    if (fence) info = info === null ? (fence[1] ?? "") : null;
    else if (info !== null) found.push({ where, info, text: line });
    else
      found.push(
        ...[...line.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => ({
          ...{ where, info: null, text: span.replaceAll("\\|", "|") },
        })),
      );
  }
  return found;
}

const program = /^(?:[A-Z_]+=\S+ )*(?:cinch|npx|npm|node)(?: |$)|(?:\||\(|&&) ?(?:cinch|npm) /;

/** Command lines for a shell, without the words behind them that say what they do. */
export function commandLines(of: Page): DocLine[] {
  const typed = codeOf(of).filter(({ info, text }) => (info === null || info === "") && program.test(text));
  const rows = of.text.split("\n").flatMap((line, at) => verbsOf(line, `${of.path}:${at + 1}`));
  const lines = [...typed.map(({ where, text, info }) => ({ where, text: info === "" ? bare(text) : text })), ...rows];
  return lines.map(({ where, text }) => ({ where, text: text.replace("node dist/cinch.js", "cinch") }));
}

/** Behind a command in a block stands what it does: after a `#`, or after blanks. */
const bare = (line: string) => line.replace(/\s+#.*$|\s{2,}\S.*$/, "").trim();

/** In a sentence or a row, further verbs of a command stand behind it by themselves: `cinch lsp start`, `stop <id>`. */
function verbsOf(line: string, where: string): DocLine[] {
  const list = /`(cinch [a-z]+) [a-z]+[^`]*`((?:(?:,| and| or) `[a-z]+(?: [^`]*)?`)+)/g;
  return [...line.matchAll(list)].flatMap(([, command = "", others = ""]) =>
    [...others.matchAll(/`([^`]+)`/g)].map(([, verb = ""]) => ({ where, text: `${command} ${verb}` })),
  );
}

/** Spans that are nothing but flags: `--only <path>`, `-r <id>`. */
export function flagLines(of: Page): DocLine[] {
  return codeOf(of).filter(({ info, text }) => info === null && /^(?:--[a-z][\w-]+|-[a-z])(?:[ =]|$)/.test(text));
}

/** What a line stands for: without and with all that is in brackets, and each of `a|b` once. */
export function readings(line: string): string[] {
  const optional = / ?\[([^[\]]*)\]/;
  if (!optional.test(line)) return alternatives(line);
  let [without, withAll] = [line, line];
  while (optional.test(without)) without = without.replace(optional, "");
  while (optional.test(withAll)) withAll = withAll.replace(optional, " $1");
  return [...alternatives(without), ...alternatives(withAll)];
}

function alternatives(line: string): string[] {
  const either = /(?:"[^"]*"|<[^>]*>|[\w-]+)(?:\|(?:"[^"]*"|<[^>]*>|[\w-]+))+/.exec(line)?.[0];
  return either === undefined ? [line] : either.split("|").flatMap((one) => alternatives(line.replace(either, one)));
}

/** The first block behind a heading of a page. */
export function exampleOf(path: string, heading: string): string {
  const { text } = page(path);
  const block = /^```\w*\n([\s\S]*?)^```$/m.exec(text.slice(text.indexOf(`\n${heading}\n`)))?.[1];
  if (block === undefined) throw new Error(`${path} has no example behind "${heading}".`);
  return block;
}
