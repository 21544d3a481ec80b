// Colours by purpose, and the one place that turns laid-out text into what a terminal gets.
// Invariant: escape sequences come from the closed tables of this file and from nowhere else; a theme changes no character.
// `terminal` uses the terminal's own sixteen colours, so it fits any palette; NO_COLOR leaves bold, dim and underline.

import { type SafeText, terminalCodes } from "../../lib/safe-text.js";
import type { Line } from "./span.js";

export type Style =
  | ("plain" | "dim" | "bold" | "italic" | "struck" | "accent" | "user" | "good" | "bad" | "warn")
  | ("heading" | "code" | "link" | "added" | "removed" | "hunk" | "selected")
  | ("keyword" | "string" | "number" | "comment" | "name" | "type");

export const themeNames = ["terminal", "dark", "light", "mono"] as const;
export type ThemeName = (typeof themeNames)[number];

/** SGR parameters per style; what is absent is plain. */
type Palette = Partial<Record<Style, string>>;

const shape: Palette = { dim: "2", bold: "1", italic: "3", struck: "9", heading: "1", link: "4", selected: "7" };

const palettes: Record<ThemeName, Palette> = {
  mono: { ...shape, accent: "1", user: "1", bad: "1", warn: "1", removed: "2", hunk: "2", comment: "2" },
  terminal: {
    ...shape,
    ...{ accent: "36", user: "1;34", good: "32", bad: "31", warn: "33", heading: "1;36", code: "33", link: "4;34" },
    ...{ added: "32", removed: "31", hunk: "36" },
    ...{ keyword: "35", string: "32", number: "33", comment: "2", name: "34", type: "36" },
  },
  dark: {
    ...shape,
    dim: "38;5;245",
    ...{ accent: "38;5;80", user: "1;38;5;117", good: "38;5;114", bad: "38;5;210", warn: "38;5;222" },
    ...{ heading: "1;38;5;117", code: "38;5;222", link: "4;38;5;117" },
    ...{ added: "38;5;114", removed: "38;5;210", hunk: "38;5;80" },
    ...{ keyword: "38;5;176", string: "38;5;150", number: "38;5;215", comment: "38;5;245" },
    ...{ name: "38;5;111", type: "38;5;80" },
  },
  light: {
    ...shape,
    dim: "38;5;242",
    ...{ accent: "38;5;30", user: "1;38;5;25", good: "38;5;28", bad: "38;5;160", warn: "38;5;130" },
    ...{ heading: "1;38;5;25", code: "38;5;130", link: "4;38;5;25" },
    ...{ added: "38;5;28", removed: "38;5;160", hunk: "38;5;30" },
    ...{ keyword: "38;5;90", string: "38;5;28", number: "38;5;130", comment: "38;5;242" },
    ...{ name: "38;5;25", type: "38;5;30" },
  },
};

export interface Theme {
  name: ThemeName;
  /** The terminal knows OSC 8. */
  links: boolean;
  /** Sequences at all; a dumb terminal gets the characters alone. */
  sequences: boolean;
}

/** What a terminal gets for a line. */
export function inked(line: Line, { name, links, sequences }: Theme): SafeText {
  let made = "";
  for (const { text, style, link } of line) {
    const codes = palettes[name][style];
    const inside = !sequences || codes === undefined ? text : `${terminalCodes.style(codes)}${text}${reset}`;
    made += links && sequences && link ? terminalCodes.link(link, inside as SafeText) : inside;
  }
  return made as SafeText;
}

const reset = terminalCodes.style("0");
