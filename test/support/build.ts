// Builds dist/ for tests that run the shipped program, and only when the sources changed. Global setup of the `face`
// tests; a house test that runs the program calls it itself. Declarations are left out: no test reads them.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function buildDist(): void {
  const script = fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url));
  execFileSync(process.execPath, [script, "--if-stale", "--no-types"], { stdio: "inherit" });
}
