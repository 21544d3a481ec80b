// `cinch doctor`: looks at settings, trust, sessions, kept contents, leftovers, tasks, the catalogue and programs, and says of each
// what is wrong and how to mend it. Changes nothing. Exit 1 when something is wrong.

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Harness } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { catalogIds, factsOf } from "../../models/catalog.js";
import { recordOf } from "../../trust/store.js";
import { type Current, currentHarness, currentSettings } from "../current.js";
import { jsonFlag } from "../flags.js";
import { type Finding, finding } from "../health/finding.js";
import { checkLanguageServers } from "../health/language-servers.js";
import { checkPrograms } from "../health/programs.js";
import { checkSandbox } from "../health/sandbox.js";
import { checkState, checkTemp } from "../health/state.js";
import { checkTasks } from "../health/tasks.js";
import { writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [jsonFlag],
  showsSettings: true,

  async run(values) {
    const findings = await findingsOf(await currentSettings(values), currentHarness(values));
    const wrong = wrongs(findings);
    if (values.has("json")) {
      writeOut(safeJson({ well: wrong === 0, findings: findings.map((one) => ({ ...one })) }));
    } else writeOut(safeText(`${asText(findings, wrong)}\n`));
    return wrong > 0 ? 1 : 0;
  },
};

export default command;

/** What it asks of a harness. */
type Looked = Pick<Harness, "languages" | "sandbox">;

/** The same for a front end. */
export async function doctorText(current: Current, harness: Looked): Promise<string> {
  const findings = await findingsOf(current, harness);
  return asText(findings, wrongs(findings));
}

async function findingsOf(current: Current, harness: Looked): Promise<Finding[]> {
  return [
    ...settings(current),
    trust(current),
    ...checkState(nodeFs, current.dirs.state),
    ...checkTemp(nodeFs, tmpdir()),
    ...checkTasks(nodeFs, current.dirs.state),
    catalogue(),
    ...(await checkPrograms(nodeFs, process.env["PATH"] ?? "")),
    ...(await checkSandbox(current, harness)),
    ...checkLanguageServers(await harness.languages.status()),
  ];
}

function wrongs(findings: readonly Finding[]): number {
  return findings.filter(({ state }) => state === "wrong").length;
}

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

function trust({ dirs, root }: Current): Finding {
  const file = join(dirs.config, "trust.json");
  if (!nodeFs.existsSync(file)) return finding("trust", "ok", "no project has been trusted");
  const { fault } = recordOf({ disk: nodeFs, file }, root);
  if (fault === undefined) return finding("trust", "ok", `${file} can be read`);
  const fix = "Mend or remove it: projects are untrusted until you trust them again.";
  return finding("trust", "wrong", fault, fix);
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
