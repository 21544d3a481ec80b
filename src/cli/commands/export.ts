// `cinch export <session>`: a session as JSONL, Markdown or HTML, on stdout or in a new file.

import { isatty } from "node:tty";
import { UserError } from "../../core/errors.js";
import { type ExportFormat, exportFormats, exportSession, saveExport } from "../../harness/sessions/export.js";
import { nodeFs } from "../../lib/fs.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import type { Values } from "../args.js";
import { currentSettings } from "../current.js";
import { jsonFlag } from "../flags.js";
import { pathOf } from "../setup.js";
import { writeErr, writeExact, writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [
    {
      name: "format",
      kind: { is: "choice", values: [...exportFormats] },
      doc: "Default: what the file's name ends in, else md",
    },
    { name: "output", short: "o", kind: { is: "path" }, hint: "<file>", doc: "A new file; default stdout" },
    { name: "all", kind: { is: "switch" }, doc: "md: every branch, not only the active one" },
    jsonFlag,
  ],
  words: { max: 1, hint: "<session>" },

  async run(values: Values, [session]: readonly string[]): Promise<number> {
    if (session === undefined) {
      throw new UserError(
        "cinch export needs a session.",
        "Write it like: cinch export <id> --format html -o session.html",
      );
    }
    const { root, dirs, settings } = await currentSettings(values);
    const file = pathOf(values, "output");
    const format = formatOf(values.text("format"), file);
    const at = { root, state: dirs.state, disk: nodeFs, models: settings.models };
    const { text, ...exported } = await exportSession(at, session, format, values.has("all"));
    if (file !== undefined) await saveExport(nodeFs, file, text);
    if (values.has("json")) {
      const { session: session_id, entries, damaged } = exported;
      const facts = { session_id, format, file: file ?? null, bytes: Buffer.byteLength(text), entries };
      writeOut(safeJson({ ...facts, damaged_lines: [...damaged], ...(file ? {} : { text }) }));
    } else if (file !== undefined) writeOut(safeText(`${file} holds session ${exported.session}.\n`));
    else if (isatty(1)) writeOut(safeText(text));
    else writeExact(text);
    const { length } = exported.damaged;
    if (length > 0) writeErr(safeText(`${length} damaged or unfinished lines of the log were left out.\n`));
    return 0;
  },
};

export default command;

function formatOf(given: string | undefined, file: string | undefined): ExportFormat {
  const wanted = given ?? file?.slice(file.lastIndexOf(".") + 1);
  return exportFormats.find((format) => format === wanted) ?? "md";
}
