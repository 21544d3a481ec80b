// `cinch formations list | show <name> | validate [<file>]`: the teams there are, and whether they hold. Starts nothing.
// Exit 1 says that something does not hold; each problem has its file and line.

import { formationIn } from "../../build/catalog.js";
import { formationsOf } from "../../build/roster.js";
import { untrustedFormation } from "../../build/session-build.js";
import { UserError } from "../../core/errors.js";
import { createHarness } from "../../index.js";
import { nodeFs } from "../../lib/fs.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { readSmall } from "../../lib/small-file.js";
import type { Values } from "../args.js";
import { jsonFlag } from "../flags.js";
import { pathOf, workingDirectory } from "../setup.js";
import { writeOut } from "../stdio.js";
import { formationsView, formationView } from "../views/formations.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [{ name: "trust", kind: { is: "switch" }, doc: "Trust this project for this run only" }, jsonFlag],
  words: { max: 2, hint: "list | show <name> | validate [<file>]" },

  async run(values, [verb = "list", named]): Promise<number> {
    const settingsFile = pathOf(values, "settings");
    const cwd = workingDirectory(values);
    const trust = values.has("trust") ? { trust: true } : {};
    const harness = createHarness({ cwd, ...trust, ...(settingsFile === undefined ? {} : { settingsFile }) });
    const known = await formationsOf(harness);
    if (verb === "list") return say(values, { formations: known }, formationsView(known));
    if (verb === "show") {
      const called = known.filter(({ name }) => name === named);
      const found = called.find(({ formation }) => formation) ?? called[0];
      if (!found)
        throw unknown(
          named,
          known.map(({ name }) => name),
        );
      if (found.untrusted) throw untrustedFormation(found);
      return say(values, found, formationView(found)) || Number(found.problems.length > 0);
    }
    if (verb !== "validate")
      throw new UserError(
        `cinch formations does not know "${verb}".`,
        "It knows: list, show <name>, validate [<file>].",
      );
    const agents = (await harness.agents()).map(({ name }) => name);
    const problems = named === undefined ? known.flatMap((each) => each.problems) : problemsIn(named, agents);
    const count = named === undefined ? `${known.length} formations hold.` : `${named} holds.`;
    return (
      say(values, { problems }, problems.length === 0 ? count : problems.join("\n")) || Number(problems.length > 0)
    );
  },
};

export default command;

function unknown(named: string | undefined, names: readonly string[]): UserError {
  const what = named === undefined ? "cinch formations show needs a name." : `There is no formation "${named}".`;
  return new UserError(what, `There are: ${names.join(", ")}.`);
}

const largest = 256 * 1024;

function problemsIn(file: string, agents: readonly string[]): string[] {
  const read = readSmall(nodeFs, file, largest);
  if (!read || read.cut) throw new UserError(`${file} is no small file that can be read.`, "Name a YAML file.", 1);
  return formationIn(file, read.text, agents).problems;
}

function say(values: Values, json: object, text: string): number {
  writeOut(values.has("json") ? safeJson(json) : safeText(`${text}\n`));
  return 0;
}
