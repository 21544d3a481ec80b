// JavaScript and TypeScript by oxc: what a runtime or a compiler would refuse before it runs a line.
// Invariant: a file is wrong only if it is wrong as a module and, where its name leaves that open, as a script too.
// JSX is taken wherever a .js file may hold it. Types are not checked; files with Flow types are left alone.

import type { OxcError, ParserOptions } from "oxc-parser";
import { oneLine } from "../lib/one-line.js";
import { type Checker, Places, type SyntaxIssue, Unchecked } from "./checker.js";

export type Dialect = "js" | "cjs" | "ts" | "tsx" | "dts";

/** What oxc is told of each; `commonjs` is tried when the file is wrong as a module. */
const dialects: Record<Dialect, { lang: NonNullable<ParserOptions["lang"]>; commonjs: boolean }> = {
  js: { lang: "jsx", commonjs: true },
  cjs: { lang: "jsx", commonjs: true },
  ts: { lang: "ts", commonjs: false },
  tsx: { lang: "tsx", commonjs: false },
  dts: { lang: "dts", commonjs: false },
};

export async function scriptChecker(dialect: Dialect): Promise<Checker> {
  const { parseSync } = await import("oxc-parser");
  const { lang, commonjs } = dialects[dialect];
  const errors = (text: string, sourceType: "commonjs" | "unambiguous") =>
    parseSync(`file.${lang}`, text, { lang, sourceType, showSemanticErrors: true }).errors.filter(isError);
  return {
    issues(text) {
      if (dialect === "js" && /^[ \t]*(\/\*|\/\/)[^\n]*@flow\b/m.test(text.slice(0, 2_000)))
        throw new Unchecked("Flow types");
      const found = errors(text, dialect === "cjs" ? "commonjs" : "unambiguous");
      if (found.length === 0) return [];
      if (commonjs && dialect !== "cjs" && errors(text, "commonjs").length === 0) return [];
      const places = new Places(text);
      return found.map((error) => issueOf(error, places));
    },
  };
}

function isError({ severity }: OxcError): boolean {
  return severity === "Error";
}

function issueOf({ message, labels }: OxcError, places: Places): SyntaxIssue {
  // Of two declarations of a name the second is the mistake.
  const again = /already been declared/.test(message) && labels.length > 1;
  const [at, other] = again ? [labels.at(-1), labels[0]] : [labels[0], labels.find(isOpening)];
  const start = at?.start ?? 0;
  const issue: SyntaxIssue = { ...places.at(start), text: inOneLine(message) };
  if (other) issue.detail = `${again ? "first" : "opened"} at ${places.shown(other.start)}`;
  // Nothing after it, or it runs to the end: an unclosed bracket, template, comment or string.
  if (start >= places.end || ((at?.end ?? 0) >= places.end && /untermin|unexpected end/i.test(message))) {
    issue.isOpen = true;
  }
  return issue;
}

function isOpening({ message }: OxcError["labels"][number]): boolean {
  return message !== null && /opened here/i.test(message);
}

function inOneLine(message: string): string {
  return oneLine(message).replace(/\.$/, "");
}
