// `cinch export`: a session and the agents that worked for it in one of its written forms, and the file it goes to.
// Invariant: reads the session without its lock; the file is new and complete, or not there: nothing is overwritten.

import { codeOf, messageOf, UserError } from "../../core/errors.js";
import { createFile } from "../../lib/atomic-file.js";
import { asHtml } from "../../session/export/html.js";
import { asJsonl } from "../../session/export/jsonl.js";
import { asMarkdown } from "../../session/export/markdown.js";
import { storyOf } from "../../session/export/story.js";
import { materialOf, type Report, type ReportPlace, readReport } from "./session-report.js";

export const exportFormats = ["jsonl", "md", "html"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface Exported {
  session: string;
  entries: number;
  /** Lines of the logs that are damaged and left out, each from 1 in its own. */
  damaged: readonly number[];
  text: string;
}

/** `all`: every branch, where the form would leave out all but the active one. */
export async function exportSession(
  at: ReportPlace,
  query: string,
  format: ExportFormat,
  all: boolean,
): Promise<Exported> {
  const report = readReport(at, query);
  const text = await written(at, report, format, all);
  const family = [report, ...report.agents];
  const entries = family.reduce((sum, member) => sum + member.entries.length, 0);
  return { session: report.info.id, entries, damaged: family.flatMap(({ damaged }) => damaged), text };
}

async function written(at: ReportPlace, report: Report, format: ExportFormat, all: boolean): Promise<string> {
  if (format === "jsonl") return asJsonl([report, ...report.agents].flatMap(({ entries }) => entries));
  const story = storyOf(await materialOf(at, report));
  return format === "html" ? asHtml(story) : asMarkdown(story, all);
}

/** For its owner's eyes: a session holds what files and commands said. @throws UserError (exit 1) */
export async function saveExport(disk: ReportPlace["disk"], file: string, text: string): Promise<void> {
  try {
    await createFile(disk, file, text, { mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") {
      throw new UserError(`${file} exists; nothing was written.`, "Give another name, or remove the file first.", 1);
    }
    const why = codeOf(error) === "ENOENT" ? "its directory is not there" : messageOf(error);
    throw new UserError(`${file} could not be written: ${why}.`, "Give another name.", 1);
  }
}
