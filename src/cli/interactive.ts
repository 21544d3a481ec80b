// `cinch` in a terminal: from flags to the interface and back to an exit code. Order: flags, settings, session, interface, close.
// Invariant: whatever ends it, the terminal is as it was (tui/tty.ts) and what was said is in the log.

import { join } from "node:path";
import { UserError } from "../core/errors.js";
import { nodeFs } from "../lib/fs.js";
import { safeText } from "../lib/safe-text.js";
import { systemClock } from "../lib/system.js";
import { knownSecrets } from "../secrets/known.js";
import type { CommandLine } from "./args.js";
import { openDoor } from "./attach/door.js";
import { type Current, currentSettings } from "./current.js";
import { Desk } from "./desk.js";
import { takeEnvironment } from "./environment.js";
import { missingKey } from "./first-run/needed.js";
import { type Setup, setupOf } from "./setup.js";
import { Signals } from "./signals.js";
import { onStdoutGone, writeOut } from "./stdio.js";
import { App } from "./tui/app.js";
import { candidatesOf } from "./tui/complete/sources.js";
import { History } from "./tui/editor/history.js";
import { editorOf } from "./tui/external-editor.js";
import { loadHighlighter } from "./tui/highlight.js";
import { type KeyChoice, Keymap, keysFault } from "./tui/keys.js";
import { pictureProtocol } from "./tui/picture.js";
import { PlainApp } from "./tui/plain.js";
import { StatusLine } from "./tui/status-line.js";
import type { Theme } from "./tui/theme.js";
import { askTrust } from "./tui/trusting.js";
import { ProcessTty } from "./tui/tty.js";
import { opening } from "./views/remarks.js";

export async function runInteractive(line: CommandLine): Promise<number> {
  const setup = setupOf(line, true);
  const signals = new Signals();
  const env = takeEnvironment();
  const current = await currentSettings(line.values);
  const desk = await opened(setup, current, env);
  if (desk === null) return signals.code ?? 3;
  try {
    const { keymap, faults } = keymapOf(current.settings.ui.keys);
    const said = [
      ...opening(desk.session.init),
      ...faults,
      ...(isFirstTime(current.dirs.state) ? threeThings(current) : []),
    ];
    // What was said before is drawn once, with its colours.
    if (setup.open.resume !== undefined) await loadHighlighter();
    const app = isPlain(current, env) ? new PlainApp(desk) : drawn({ desk, current, env, keymap, color: setup.color });
    signals.onStop(() => app.quit());
    onStdoutGone(() => app.quit());
    const closeDoor = openDoor({
      ...{ state: current.dirs.state, session: () => desk.session },
      busy: () => app.talk.busy,
      hear: (text, mode) => app.talk.hear(text, mode),
    });
    await app.run({ opening: said, first: setup.prompt }).finally(closeDoor);
    farewell(desk);
    return signals.code ?? 0;
  } finally {
    await desk.close();
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Null: the user has left instead of naming a model or a key. */
async function opened(setup: Setup, current: Current, env: Environment): Promise<Desk | null> {
  const { resume } = setup.open;
  const named = setup.harness.model as string | undefined;
  if (resume === undefined) return deskWith(await modelFor(named, current, env), setup, env);
  // A session that goes on knows its model, and only its log says which.
  try {
    return await deskWith({}, setup, env);
  } catch (error) {
    if (!(error instanceof UserError) || error.exit !== 3) throw error;
    const { sessions } = new Desk({ ...setup.harness, env }).harness;
    const its = named ?? (await sessions.show(resume === true ? undefined : resume)).model ?? undefined;
    return deskWith(await modelFor(its, current, env), setup, env);
  }
}

/** On its session, or nothing is left open. */
async function deskWith(model: { model?: string } | null, setup: Setup, env: Environment): Promise<Desk | null> {
  if (model === null) return null;
  const desk = new Desk({ ...setup.harness, ...model, env });
  try {
    await desk.open(setup.open);
    return desk;
  } catch (error) {
    await desk.close();
    throw error;
  }
}

/** What is to be added to the options; null: the user has left. */
async function modelFor(
  named: string | undefined,
  current: Current,
  env: Environment,
): Promise<{ model?: string } | null> {
  const { disk, config, keys } = { disk: nodeFs, config: current.dirs.config, keys: current.keys };
  const missing = missingKey({ named, settings: current.settings, env, keys });
  if (!missing) return {};
  const { firstRun } = await import("./first-run/first-run.js");
  const { LineReader } = await import("./first-run/line-reader.js");
  const { discoverLocal } = await import("../models/discover.js");
  const ask = new LineReader();
  try {
    return await firstRun({ ask, disk, config, ...missing, discover: discoverLocal });
  } finally {
    ask.close();
  }
}

interface AppFacts {
  desk: Desk;
  current: Current;
  env: Environment;
  keymap: Keymap;
  color: boolean;
}

function appOf({ desk, current, env, keymap, color }: AppFacts): App {
  const { settings, dirs, root } = current;
  const { ui } = settings;
  const tty = new ProcessTty();
  const refresh = () => app.refresh();
  const recomplete = () => app.recomplete();
  const redact = (text: string) => knownSecrets.values(text);
  const began = systemClock.now() - systemClock.mono();
  const status = new StatusLine({ ui, env, root, disk: nodeFs, refresh });
  const app: App = new App({
    desk,
    tty,
    keymap,
    theme: themeOf(ui.theme, color, env),
    calls: ui.calls,
    pictures: ui.images === "off" ? null : pictureProtocol(env),
    vim: ui.editor === "vim",
    home: env["HOME"],
    bell: ui.bell,
    now: () => began + systemClock.mono(),
    history: new History({ disk: nodeFs, file: join(dirs.state, "history.jsonl"), root, redact }),
    candidates: candidatesOf({ root: current.cwd, env, refresh: recomplete }),
    status: (facts) => status.text(facts),
    changed: (event) => {
      status.event(event);
      // Before the first code of an answer; the prompt does not wait for it.
      if (event.type === "run.start") void loadHighlighter();
    },
    clipboard: async () =>
      (await import("./tui/clipboard.js")).clipboardImage({ env, platform: process.platform, cwd: current.cwd }),
    edit: editorOf({ env, cwd: current.cwd, disk: nodeFs }),
  });
  return app;
}

function drawn(facts: AppFacts): App {
  const app = appOf(facts);
  void askTrust(app, facts.desk);
  return app;
}

/** Nothing can be drawn over, or somebody listens to the lines. */
function isPlain({ settings }: Current, env: AppFacts["env"]): boolean {
  return settings.ui.screenReader || env["TERM"] === "dumb";
}

function themeOf(name: Theme["name"], color: boolean, env: AppFacts["env"]): Theme {
  // Apple's terminal shows the address of OSC 8 as text.
  const links = env["TERM_PROGRAM"] !== "Apple_Terminal";
  return { name: color ? name : "mono", links, sequences: true };
}

function keymapOf(own: Record<string, unknown>): { keymap: Keymap; faults: string[] } {
  const faults: string[] = [];
  const good: [string, unknown][] = [];
  for (const [action, keys] of Object.entries(own)) {
    const fault = keysFault(action, keys);
    if (fault === null) good.push([action, keys]);
    else faults.push(`ui.keys: ${fault}.`);
  }
  return { keymap: new Keymap(Object.fromEntries(good) as KeyChoice), faults };
}

/** How to come back, when there is something to come back to. */
function farewell({ session }: Desk): void {
  for (const entry of session.entries()) {
    if (entry.type !== "message") continue;
    writeOut(safeText(`cinch -r ${session.id} goes on with this session.\n`));
    return;
  }
}

function isFirstTime(state: string): boolean {
  return !nodeFs.existsSync(join(state, "history.jsonl"));
}

function threeThings({ root }: Current): string[] {
  const told = ["AGENTS.md", "CLAUDE.md"].some((name) => nodeFs.existsSync(join(root, name)));
  return [
    ...(told ? [] : ["This project has no AGENTS.md: /init writes one from what is found here."]),
    'Three things to try: "what does this project do?", @ and the name of a file, Shift+Tab for plan mode. /help lists the rest.',
  ];
}
