// The project's Markdown as the house tests see it: pages, their relative links, headings, tables and code blocks.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { root } from "./source.js";

export interface Page {
  /** Relative to the project's root, with slashes. */
  path: string;
  text: string;
}

export interface Link {
  from: string;
  /** Relative to the project's root; "" for a link within the page. */
  path: string;
  anchor: string | undefined;
}

export function page(path: string): Page {
  return { path, text: readFileSync(join(root, path), "utf8") };
}

/** Every .md file at the top, in docs/ and in src/. */
export function pages(): Page[] {
  const below = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      posix.join(folder, name.replaceAll("\\", "/")),
    );
  const paths = [...readdirSync(root), ...below("docs"), ...below("src")];
  return paths.filter((path) => path.endsWith(".md")).map(page);
}

/** Links to files of the project. Code blocks and code spans are not looked into. */
export function linksOf({ path, text }: Page): Link[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", anchor] = target.split("#");
      return { from: path, path: file && posix.join(dirname(path), file), anchor };
    });
}

/** The anchors of a page's headings, as code hosts make them. */
export function anchorsOf({ text }: Page): string[] {
  return [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The text of the code block whose info line is exactly `info`. Throws when there is not exactly one. */
export function blockOf({ path, text }: Page, info: string): string {
  const blocks = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].filter(([, line]) => line === info);
  if (blocks.length !== 1) throw new Error(`${path} has ${blocks.length} code blocks "\`\`\`${info}", expected one.`);
  return blocks[0]?.[2] ?? "";
}

/** The rows of the first table below `heading`, as cells, without head and rule. */
export function tableOf({ path, text }: Page, heading: string): string[][] {
  const at = text.indexOf(`\n${heading}\n`);
  if (at < 0) throw new Error(`${path} has no heading "${heading}".`);
  const lines = text.slice(at + heading.length + 2).split("\n");
  const first = lines.findIndex((line) => line.startsWith("|"));
  const end = lines.findIndex((line, i) => i > first && !line.startsWith("|"));
  const rows = first < 0 ? [] : lines.slice(first + 2, end < 0 ? undefined : end);
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
