// `cinch doctor`: looks at settings, trust, sessions, kept contents, leftovers, the catalogue and programs, and says of each
// what is wrong and how to mend it. Changes nothing. Exit 1 when something is wrong.

import { join } from "node:path";
import { nodeFs } from "../../lib/fs.js";
import { isObject, parseJson } from "../../lib/json.js";
import { safeText } from "../../lib/safe-text.js";
import { readSmall } from "../../lib/small-file.js";
import { catalogIds, factsOf } from "../../models/catalog.js";
import { type Current, currentSettings } from "../current.js";
import { jsonFlag } from "../flags.js";
import { type Finding, finding } from "../health/finding.js";
import { checkPrograms } from "../health/programs.js";
import { checkState } from "../health/state.js";
import { writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [jsonFlag],

  async run(values) {
    const current = await currentSettings(values);
    const findings = [
      ...settings(current),
      trust(current),
      ...checkState(nodeFs, current.dirs.state),
      catalogue(),
      ...(await checkPrograms(nodeFs, process.env["PATH"] ?? "")),
    ];
    const wrong = findings.filter(({ state }) => state === "wrong").length;
    if (values.has("json")) {
      writeOut(`${JSON.stringify({ well: wrong === 0, findings: findings.map((one) => ({ ...one })) }, null, 2)}\n`);
    } else writeOut(`${safeText(asText(findings, wrong))}\n`);
    return wrong > 0 ? 1 : 0;
  },
};

export default command;

function settings({ problems, dirs }: Current): Finding[] {
  if (problems.length === 0) return [finding("settings", "ok", "no mistakes in settings")];
  // A mistake in a project's file never stops a run.
  return problems.map(({ level, text }) =>
    finding(
      "settings",
      level === "project" ? "note" : "wrong",
      text,
      `Mend the file; user settings are in ${dirs.config}.`,
    ),
  );
}

const mostTrust = 4 * 1024 * 1024;

function trust({ dirs }: Current): Finding {
  const file = join(dirs.config, "trust.json");
  if (!nodeFs.existsSync(file)) return finding("trust", "ok", "no project has been trusted");
  const content = readSmall(nodeFs, file, mostTrust);
  if (content && !content.cut && isObject(parseJson(content.text)))
    return finding("trust", "ok", `${file} can be read`);
  const fix = "Remove it: projects are then untrusted until you trust them again.";
  return finding("trust", "wrong", `${file} cannot be read`, fix);
}

function catalogue(): Finding {
  const ids = catalogIds();
  const date = ids.map((id) => factsOf(id).prices?.date).find((at) => at !== undefined);
  return finding("models", "ok", `${ids.length} models are known, prices as of ${date ?? "no date"}`);
}

const signs = { ok: "ok   ", note: "note ", wrong: "WRONG" } as const;

function asText(findings: readonly Finding[], wrong: number): string {
  const lines = findings.flatMap(({ about, state, text, fix }) => [
    `${signs[state]}  ${about.padEnd(10)}${text}`,
    ...(fix === "" ? [] : [`${" ".repeat(17)}${fix}`]),
  ]);
  const end = wrong === 0 ? "All well." : `${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong.`;
  return [...lines, "", end].join("\n");
}
