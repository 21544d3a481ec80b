// Builds dist/ once before the tests that run the shipped program, and only when the sources changed.
// Declarations are left out: no test reads them from dist/, and they cost more than everything else together.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function setup(): void {
  const script = fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url));
  execFileSync(process.execPath, [script, "--if-stale", "--no-types"], { stdio: "inherit" });
}
