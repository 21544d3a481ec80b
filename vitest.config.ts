// Groups of tests. `unit` (and test/sdk, on the sources of the SDK) needs no build; `house` looks at the sources and builds only where
// it says so; `face` (the rest of test/) works on dist/, which is built once before it when the sources changed;
// `slow` runs only with CINCH_SLOW=1. `npm test` runs all but the last.

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const slow = process.env["CINCH_SLOW"] === "1";

export default defineConfig({
  define: { __CINCH_VERSION__: JSON.stringify(version) },
  test: {
    pool: "forks",
    // One second by default, which a busy machine needs to start a program.
    expect: { poll: { timeout: 50_000 } },
    // In CI a test that fails is run once more, and reported as retried: machines there are shared.
    retry: process.env["CI"] ? 1 : 0,
    // Vitest would take one worker on two cores.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/sdk/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { name: "house", include: ["test/house/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: "face",
          include: ["test/**/*.test.ts"],
          exclude: ["test/slow/**", "test/house/**", "test/sdk/**"],
          globalSetup: ["test/support/build.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      ...(slow
        ? [
            {
              extends: true as const,
              test: {
                name: "slow",
                include: ["test/slow/**/*.test.ts"],
                globalSetup: ["test/support/build.ts"],
                testTimeout: 600_000,
                hookTimeout: 600_000,
              },
            },
          ]
        : []),
    ],
  },
});
