// Keys of the table as the bytes that terminals send.

import { bindings, type Place } from "../../src/cli/tui/keys.js";

/** What terminals send. */
const sent: Readonly<Record<string, string>> = {
  ...{ escape: "\x1b", enter: "\r", tab: "\t", space: " ", backspace: "\x7f", delete: "\x1b[3~" },
  ...{ up: "\x1b[A", down: "\x1b[B", right: "\x1b[C", left: "\x1b[D", home: "\x1b[H", end: "\x1b[F" },
  ...{ pageUp: "\x1b[5~", pageDown: "\x1b[6~", "shift+tab": "\x1b[Z", "shift+enter": "\x1b[13;2u" },
  ...{
    "alt+up": "\x1b[1;3A",
    "alt+down": "\x1b[1;3B",
    "alt+left": "\x1b[1;3D",
    "alt+right": "\x1b[1;3C",
    "alt+delete": "\x1b[3;3~",
  },
  ...{ "ctrl+left": "\x1b[1;5D", "ctrl+right": "\x1b[1;5C", "ctrl+backspace": "\x1b[127;5u", "ctrl+-": "\x1b[45;5u" },
  ...{ "alt+enter": "\x1b\r", "alt+backspace": "\x1b\x7f", "ctrl+_": "\x1f" },
};

export function bytesOf(key: string): string {
  const known = sent[key];
  if (known !== undefined) return known;
  if (key.startsWith("alt+")) return `\x1b${key.slice(4)}`;
  if (key.startsWith("ctrl+")) return String.fromCharCode(key.charCodeAt(5) - 96);
  return key;
}

/** Every key of every action at a place. */
export function keysAt(place: Place): [action: string, key: string][] {
  return bindings.flatMap((each) =>
    each.place === place ? each.keys.map((key): [string, string] => [each.action, key]) : [],
  );
}
