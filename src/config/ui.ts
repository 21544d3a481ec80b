// The settings of the terminal interface: the rows of the table that begin with `ui`, their type and their defaults.
// What a key or a status line may say is checked where they are used, for the tables of actions and words are there.

import type { Json } from "../core/json.js";
import type { Row } from "./schema.js";

export interface UiSettings {
  theme: "terminal" | "dark" | "light" | "mono";
  calls: "line" | "diff" | "view";
  images: "auto" | "off";
  editor: "plain" | "vim";
  keys: { [action: string]: Json | undefined };
  status?: string;
  statusCommand?: string;
  bell: boolean;
  screenReader: boolean;
}

export const defaultUi: UiSettings = {
  theme: "terminal",
  calls: "diff",
  images: "auto",
  editor: "plain",
  keys: {},
  bell: false,
  screenReader: false,
};

export const uiRows: readonly Row[] = [
  {
    path: ["ui", "theme"],
    kind: { is: "choice", values: ["terminal", "dark", "light", "mono"] },
    doc: "Colours: those of the terminal, for a dark or a light background, or none.",
  },
  {
    path: ["ui", "calls"],
    kind: { is: "choice", values: ["line", "diff", "view"] },
    doc: "What is shown of a call: its line, its line and what it changed in files, or all of its view.",
  },
  {
    path: ["ui", "images"],
    kind: { is: "choice", values: ["auto", "off"] },
    doc: "Pictures below what was said with them, where the terminal is known to show some; their names are always there.",
  },
  { path: ["ui", "editor"], kind: { is: "choice", values: ["plain", "vim"] }, doc: "How the line editor takes keys." },
  {
    path: ["ui", "keys"],
    kind: { is: "json" },
    doc: 'Other keys for actions: {"steer": "ctrl+s"}; docs/terminal.md lists them.',
  },
  {
    path: ["ui", "status"],
    kind: { is: "string" },
    doc: "The status line: text with {model}, {mode}, {branch}, {context}, {cost}, {cache}, {tasks}, {waiting}, {session}; parts between | are left out when unknown.",
  },
  {
    path: ["ui", "statusCommand"],
    kind: { is: "string" },
    doc: "Command whose first line of output is the status line; it gets the facts as JSON on stdin.",
  },
  {
    path: ["ui", "bell"],
    kind: { is: "boolean" },
    doc: "Ring the terminal's bell at the end of a run and with a question.",
  },
  {
    path: ["ui", "screenReader"],
    kind: { is: "boolean" },
    doc: "Plain lines that are never drawn over, for screen readers.",
  },
];
