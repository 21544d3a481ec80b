// Language servers as `cinch doctor` sees them: what serves the files of this project, or why nothing does.

import type { LanguageStatus } from "../../index.js";
import { type Finding, finding } from "./finding.js";

export function checkLanguageServers({ servers, problems }: LanguageStatus): Finding[] {
  const broken = problems.map((text) =>
    finding("languages", "wrong", text, "Mend the file; docs/lsp.md says how it is written."),
  );
  const here = servers.filter(({ wanted }) => wanted);
  const ready = here.filter(({ state }) => state === "ready" || state === "running");
  const served = new Set(ready.flatMap(({ extensions }) => extensions));
  const findings = ready.map(({ name, extensions, command }) =>
    finding("languages", "ok", `${name} serves ${extensions.join(" ")} with ${command.join(" ")}`),
  );
  const lacking = here.filter(
    (each) => !ready.includes(each) && each.extensions.some((extension) => !served.has(extension)),
  );
  const notes = lacking.map(({ name, extensions, why, source }) => {
    const fix =
      source === "built-in" ? "Nothing has to be done; without it there is no lsp_* tool for these files." : "";
    return finding("languages", "note", `${name} would serve ${extensions.join(" ")}: ${why}`, fix);
  });
  const all = [...broken, ...findings, ...notes];
  return all.length > 0 ? all : [finding("languages", "ok", "no files of this project have a known language server")];
}
