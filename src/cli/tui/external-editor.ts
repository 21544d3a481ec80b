// The text in the user's own editor: a private file, the editor on the terminal, and back.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { makeTempDirectory } from "../../lib/temp-directory.js";

export interface EditorPlace {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  disk: Fs;
}

/** Null when there is no editor, or it did not end well. */
export function editorOf({ env, cwd, disk }: EditorPlace): (text: string) => Promise<string | null> {
  return async (text) => {
    const editor = env["VISUAL"] || env["EDITOR"] || "vi";
    const directory = makeTempDirectory(disk, tmpdir());
    const file = join(directory, "message.md");
    try {
      await replaceFile(disk, file, text, { mode: 0o600 });
      const { runOnTerminal } = await import("../../lib/process.js");
      // The variable may hold arguments, as everywhere: a shell of the user's own takes it apart.
      const exit = await runOnTerminal("/bin/sh", ["-c", `${editor} "$1"`, "editor", file], { cwd, env });
      return exit === 0 ? disk.readFileSync(file, "utf8") : null;
    } finally {
      disk.rmSync(directory, { recursive: true, force: true });
    }
  };
}
