// Data formats, each by the parser that programs read them with: JSON, JSON with comments, YAML, TOML.
// Invariant: the strict parser alone decides that a text is wrong; a tolerant one only finds the place.

import type { ParseError } from "jsonc-parser";
import { isDeeplyNested } from "../lib/nesting.js";
import { type Checker, excerpt, Places, type SyntaxIssue, Unchecked } from "./checker.js";

/** JSON as JSON.parse has it. */
export async function jsonChecker(): Promise<Checker> {
  const located = await jsonErrors({ disallowComments: true, allowTrailingComma: false });
  return {
    issues(text) {
      try {
        JSON.parse(text);
        return [];
      } catch (error) {
        const found = located(text);
        if (found.length > 0) return found;
        const offset = Number(/at position (\d+)/.exec(String(error))?.[1] ?? 0);
        return [{ ...new Places(text).at(offset), text: "not valid JSON" }];
      }
    },
  };
}

/** JSON with comments and trailing commas, as editors and compilers read their settings. */
export async function jsoncChecker(): Promise<Checker> {
  const located = await jsonErrors({ disallowComments: false, allowTrailingComma: true });
  return { issues: (text) => (text.trim() === "" ? [] : located(text)) };
}

async function jsonErrors(options: { disallowComments: boolean; allowTrailingComma: boolean }) {
  const { printParseErrorCode, visit } = await import("jsonc-parser");
  return (text: string): SyntaxIssue[] => {
    if (isDeeplyNested(text)) throw new Unchecked("nested too deeply");
    const errors: ParseError[] = [];
    visit(text, { onError: (error, offset, length) => errors.push({ error, offset, length }) }, options);
    const places = new Places(text);
    return errors.map(({ error, offset, length }) => {
      const name = printParseErrorCode(error);
      const issue: SyntaxIssue = { ...places.at(offset), text: jsonWords[name] ?? words(name) };
      const runsOut = name.startsWith("UnexpectedEnd") && offset + length >= places.end;
      if (offset >= places.end || runsOut) issue.isOpen = true;
      return issue;
    });
  };
}

const jsonWords: Readonly<Record<string, string>> = {
  InvalidSymbol: "not a JSON value",
  PropertyNameExpected: "a property name in double quotes is expected",
  ValueExpected: "a value is expected",
  ColonExpected: "`:` is expected",
  CommaExpected: "`,` is expected",
  CloseBraceExpected: "`}` is expected",
  CloseBracketExpected: "`]` is expected",
  EndOfFileExpected: "nothing may follow the value",
  InvalidCommentToken: "comments are not allowed here",
  InvalidCharacter: "a control character in a string must be escaped",
};

/** `UnexpectedEndOfString` as words. */
function words(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}

/** Beyond this the parser needs longer than a change may take. */
const maxYaml = 300_000;

export async function yamlChecker(): Promise<Checker> {
  const { parseAllDocuments, repeatedKeys } = await import("../lib/yaml-parser.js");
  return {
    issues(text) {
      if (text.length > maxYaml) throw new Unchecked("too large");
      if (isDeeplyNested(text)) throw new Unchecked("nested too deeply");
      if (template.test(text)) throw new Unchecked("a template");
      const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: "error", uniqueKeys: false });
      const places = new Places(text);
      const faults = [...documents].flatMap((document) => [
        ...document.errors.map(({ message, pos }) => ({ at: pos[0], text: message.split("\n", 1)[0] ?? message })),
        ...repeatedKeys(document.contents).map(({ at, key }) => ({
          at,
          text: `the key ${excerpt(key)} is there twice`,
        })),
      ]);
      faults.sort((a, b) => a.at - b.at);
      return faults.map(({ at, text: words }) => {
        const issue: SyntaxIssue = { ...places.at(at), text: words };
        if (at >= places.end) issue.isOpen = true;
        return issue;
      });
    },
  };
}

/** Tags of a template engine outside quotes: what is on disk is not what will be read as YAML. */
const template = /^[ \t]*(?:- )?(?:\{%|\{\{)|:[ \t]+\{\{/m;

export async function tomlChecker(): Promise<Checker> {
  const { parse, TomlError } = await import("smol-toml");
  return {
    issues(text) {
      try {
        parse(text);
        return [];
      } catch (error) {
        if (!(error instanceof TomlError)) throw error;
        const { line, column, message } = error;
        const words = (message.split("\n", 1)[0] ?? message).replace(/^Invalid TOML document: /, "");
        const issue: SyntaxIssue = { line, column, text: words };
        const places = new Places(text);
        const last = places.at(places.end);
        const isLast = line > last.line || (line === last.line && column >= last.column);
        if (isLast || words.startsWith("unfinished")) issue.isOpen = true;
        return [issue];
      }
    },
  };
}
