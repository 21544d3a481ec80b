// What the terminal interface does for slash commands (leave, change colours, tell its keys), and how it calls somebody back
// who looks elsewhere: the end of a run, a question.

import { safeLine, terminalCodes } from "../../lib/safe-text.js";
import type { SlashFront } from "../slash/slash.js";
import type { Canvas } from "./canvas.js";
import type { Keymap } from "./keys.js";
import { type ThemeName, themeNames } from "./theme.js";
import type { Tty } from "./tty.js";

export function frontOf(
  canvas: Canvas,
  keymap: Keymap,
  app: { quit(): void; queue(): void; refresh(): void },
): SlashFront {
  return {
    quit: app.quit,
    hears: true,
    queue: app.queue,
    theme: {
      get current() {
        return canvas.theme;
      },
      names: themeNames,
      set(name) {
        canvas.theme = name as ThemeName;
        app.refresh();
      },
    },
    keys: keymap.rows.map(({ keys, doc }) => ({ keys: keys.join(", "), doc })),
  };
}

export function callBack(tty: Tty, { root, asking, bell }: { root: string; asking: boolean; bell: boolean }): void {
  if (bell) tty.write(terminalCodes.bell);
  const text = `${asking ? "waits for an answer" : "is done"}: ${root}`;
  tty.write(terminalCodes.notify(safeLine("Cinch", 20), safeLine(text, 120)));
}
