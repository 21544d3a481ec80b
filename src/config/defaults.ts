// What holds where nobody has said anything else.

import type { Settings } from "./schema.js";
import { defaultUi } from "./ui.js";

const mega = 1024 * 1024;

export function defaultSettings(): Settings {
  return {
    models: { local: false, fallback: [], prices: {}, windows: {}, images: {} },
    permissions: { mode: "ask", allow: [], ask: [], deny: [], protect: [] },
    sandbox: { mode: "auto", network: true, required: false, write: [], read: [] },
    env: { pass: [], block: [] },
    tools: { profile: "full", declare: [] },
    files: {
      overwrite: "refuse",
      placeholder: "refuse",
      twoStage: false,
      maxBytes: 10 * mega,
      maxIgnoredBytes: mega,
      maxSessionBytes: 500 * mega,
      maxEntries: 200_000,
    },
    limits: { turns: 2000, stall: 60 },
    loop: { recoveries: 3 },
    hooks: [],
    hookRetries: 3,
    context: { maxBytes: 32_768 },
    compaction: { at: 0.8, keep: 20_000 },
    ui: { ...defaultUi },
    lsp: { wait_ms: 800, disabled: [] },
    tasks: { parallel: 8, depth: 2, retention: 14, resume: "ask", wake: false, maxBytes: 256 * mega },
  };
}
