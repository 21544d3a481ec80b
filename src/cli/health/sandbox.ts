// Whether commands run in a sandbox, and what was tried from inside of it.

import type { Harness } from "../../index.js";
import { type Finding, finding } from "./finding.js";

export async function checkSandbox(
  { problems }: { problems: readonly { level: string }[] },
  harness: Pick<Harness, "sandbox">,
): Promise<Finding[]> {
  if (problems.some(({ level }) => level !== "project"))
    return [finding("sandbox", "note", "the sandbox was not tried out", "Fix the settings first.")];
  const { state, why, probe } = await harness.sandbox();
  if (state === "none") {
    const text = `commands that nobody approved run without a sandbox: ${why}`;
    return [
      finding("sandbox", "note", text, "Install bubblewrap where user namespaces are allowed (docs/sandbox.md)."),
    ];
  }
  const summary =
    state === "full"
      ? finding("sandbox", "ok", "commands that nobody approved run in a sandbox")
      : finding("sandbox", "note", `the sandbox guards files only: ${why}`, "See docs/sandbox.md, States.");
  return [
    summary,
    ...probe.map(({ what, held }) =>
      held
        ? finding("sandbox", "ok", `from inside it is impossible to ${what}`)
        : finding("sandbox", "wrong", `from inside it is possible to ${what}`, "Don't rely on the sandbox here."),
    ),
  ];
}
