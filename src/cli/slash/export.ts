// /export: this session as a file.

import { resolve } from "node:path";
import { UserError } from "../../core/errors.js";
import { exportFormats, exportSession, saveExport } from "../../harness/sessions/export.js";
import { nodeFs } from "../../lib/fs.js";
import { currentAt } from "../current.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "export",
  usage: "<FILE>",
  doc: "Writes this session to a new file: .md, .html or .jsonl",

  async run({ session, dirs, argument }) {
    const { root, cwd } = session.init;
    const format = exportFormats.find((each) => argument.endsWith(`.${each}`));
    if (!format)
      throw new UserError(
        "/export needs a file whose name says the format.",
        "Write /export session.html, .md or .jsonl.",
      );
    const { state } = dirs;
    const { models } = (await currentAt(root, dirs)).settings;
    const file = resolve(cwd, argument.replace(/^"([^"]*)"$/, "$1"));
    const { text } = await exportSession({ root, state, disk: nodeFs, models }, session.id, format, false);
    await saveExport(nodeFs, file, text);
    return { text: `${file} holds this session.` };
  },
});
