// In a real tmux: what has scrolled away is in its history, once.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { needs } from "../support/needs.js";
import { bin, cleanEnv, tempDir } from "../support/run.js";

needs("tmux")(
  "every line of a 200-line answer is in the history of tmux exactly once, also in a narrower window, where its lines wrap",
  async () => {
    const base = tempDir();
    const [project, home, socket] = [join(base, "project"), join(base, "home"), join(base, "tmux.sock")];
    for (const dir of [join(project, ".git"), home]) mkdirSync(dir, { recursive: true });
    const text = Array.from({ length: 200 }, (_, at) => `- row number ${at + 1} of the answer`).join("\n");
    writeFileSync(
      join(base, "script.json"),
      JSON.stringify([
        { text, chunk: 40, delay_ms: 1 },
        { text: text.replaceAll("row", "line"), chunk: 40, delay_ms: 4 },
        { text: "The third." },
      ]),
    );
    const env = cleanEnv({ CINCH_HOME: home, TERM: "xterm-256color", LC_ALL: "C.UTF-8" });
    const tmux = (...args: string[]) =>
      execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { cwd: project, env, encoding: "utf8" });
    tmux(
      "new-session",
      "-d",
      "-s",
      "cinch",
      "-x",
      "80",
      "-y",
      "24",
      process.execPath,
      bin,
      "-m",
      `scripted/${join(base, "script.json")}`,
    );
    onTestFinished(() => void tmux("kill-server"));
    const shows = (what: string | RegExp) =>
      vi.waitFor(() => expect(tmux("capture-pane", "-p", "-t", "cinch")).toMatch(what), {
        timeout: 30_000,
        interval: 50,
      });
    await shows("What is to be done?");
    tmux("send-keys", "-t", "cinch", "go", "Enter");
    await shows("row number 200");
    await shows("What is to be done?");
    tmux("resize-window", "-t", "cinch", "-x", "120", "-y", "40");
    // It tells the program late; the rule above the editor says that it has been told.
    await shows(/^─{119}$/m);
    tmux("resize-window", "-t", "cinch", "-x", "30", "-y", "12");
    await shows(/^[^─]*\n─{29}\n❯/m);
    tmux("send-keys", "-t", "cinch", "again", "Enter");
    await shows("Escape cancels");
    await shows("line number 200");
    await shows("What is to be done?");
    tmux("resize-window", "-t", "cinch", "-x", "100", "-y", "30");
    tmux("send-keys", "-t", "cinch", "once more", "Enter");
    await shows("The third.");
    const history = tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "cinch");
    for (const what of ["row", "line"]) {
      const seen = [...history.matchAll(new RegExp(`${what} number (\\d+) `, "g"))].map(([, n]) => Number(n));
      expect(seen).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    }
  },
);
