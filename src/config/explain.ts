// Every settings key with its type, default, current value and where that comes from: the data of `cinch config
// --explain`. The table is schema.ts's, so what is shown and what is accepted cannot differ.
// Not here: printing.

import type { Json } from "../core/json.js";
import { defaultSettings } from "./defaults.js";
import { type Loaded, valueAt } from "./load.js";
import { type Kind, keyText, type Row, rows } from "./schema.js";

export interface Explained {
  /** As in settings.json, `models.<provider>.baseUrl`. */
  key: string;
  /** What a value must be, for people. */
  type: string;
  default: Json;
  /** Keys that name a model or provider are listed once for each that is set. */
  value: Json;
  /** `default`, `flags` or `file:line`. */
  source: string;
  doc: string;
  /** `user` = only the user; `tighten` = a project may narrow it; `trusted` = a project may, once trusted. */
  scope: "user" | "tighten" | "trusted";
  available: boolean;
}

export function explain({ settings, sources }: Pick<Loaded, "settings" | "sources">): Explained[] {
  const defaults = defaultSettings();
  return rows.flatMap((row) => {
    const fixed = {
      type: kindText(row.kind),
      doc: row.doc,
      scope: row.project ?? "user",
      available: !row.later,
    } as const;
    const paths = [row.path, ...setPaths(row, sources)];
    return paths.map((path): Explained => {
      const key = keyText(path);
      const fallback = valueAt(defaults, path) ?? null;
      return {
        key,
        ...fixed,
        default: fallback,
        value: valueAt(settings, path) ?? null,
        source: sources[key] ?? "default",
      };
    });
  });
}

/** For a row with `<…>`: the paths that are set. The name may itself contain dots. */
function setPaths(row: Row, sources: Readonly<Record<string, string>>): string[][] {
  const wild = row.path.findIndex((part) => part.startsWith("<"));
  if (wild === -1) return [];
  const before = `${keyText(row.path.slice(0, wild))}.`;
  const tail = row.path.slice(wild + 1);
  const after = tail.length > 0 ? `.${keyText(tail)}` : "";
  return Object.keys(sources).flatMap((key) => {
    if (!key.startsWith(before) || !key.endsWith(after)) return [];
    const name = key.slice(before.length, key.length - after.length);
    const literal = rows.some((other) => other !== row && keyText(other.path) === key);
    return name === "" || literal ? [] : [[...row.path.slice(0, wild), name, ...tail]];
  });
}

function kindText(kind: Kind): string {
  switch (kind.is) {
    case "integer":
    case "number":
      if (kind.max !== undefined) return `${kind.is} ${kind.min}..${kind.max}`;
      return kind.is === "integer" ? `integer >= ${kind.min}` : "number > 0";
    case "choice":
      return kind.values.join(" | ");
    case "names":
      return kind.values ? `list of ${kind.values.join(" | ")}` : "list of strings";
    case "rules":
      return kind.list === "protect" ? "list of path patterns" : "list of rules";
    case "models":
      return "boolean | list of strings";
    case "price":
      return "{input, output, cacheRead?, cacheWrite?, date?}";
    case "window":
      return "number | {window?, maxOutput?}";
    case "hooks":
      return "{<event>: list of {matcher?, hooks}}";
    case "json":
      return "object";
    default:
      return kind.is;
  }
}
