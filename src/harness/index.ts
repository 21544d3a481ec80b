// The composition root: the only place where a harness is put together. Order of wiring: open.ts.

import { inTurn } from "../lib/in-turn.js";
import { once } from "../lib/once.js";
import { knownSecrets } from "../secrets/known.js";
import type { Harness, HarnessOptions, OpenOptions, Tasks } from "./api/index.js";
import { loadHistory, loadPermitting, loadRoster, loadTaskDesk, loadTrustReview } from "./lazy.js";
import { mustOpen } from "./models/model.js";
import { openSession } from "./open.js";
import { placeOf } from "./place.js";
import type { LiveSession } from "./session.js";
import { languageStatus, look, type Surroundings } from "./surroundings.js";

/**
 * A harness for one working directory. Nothing is read or started until the first `open`, which throws UserError
 * for what a user can mend: bad settings (exit 2), no model or no key (exit 3), a locked session (exit 1).
 */
export function createHarness(options: HarnessOptions): Harness {
  const sessions = new Set<LiveSession>();
  let surroundings: Promise<Surroundings> | undefined;
  const history = once(async () => {
    const place = placeOf(options);
    knownSecrets.learnEnvironment(options.env ?? process.env, { exists: (path) => place.disk.existsSync(path) });
    return new (await loadHistory()).History(place);
  });
  const trust = once(async () => new (await loadTrustReview()).Trusting(options));
  const permissions = once(async () => new (await loadPermitting()).Permitting(options));
  const here = () => (surroundings ??= look(options));
  return {
    tasks: tasksOf(once(async () => new (await loadTaskDesk()).TaskDesk(await here()))),
    permissions: {
      list: async () => (await permissions()).list(),
      explain: async (command) => (await permissions()).explain(command),
      revoke: async (rule) => (await permissions()).revoke(rule),
    },
    trust: {
      status: async () => (await trust()).status(),
      approve: async (shown) => (await trust()).approve(shown),
      revoke: async () => (await trust()).revoke(),
    },
    agents: async () => (await loadRoster()).agentSummaries(await here()),
    checkModel: async (named) => mustOpen(named, await here()),
    formations: async () => (await loadRoster()).formationFiles(await here()),
    sandbox: async () => (await here()).sandboxing.report(),
    languages: {
      // Also where settings are so wrong that no session opens.
      status: async () => (surroundings ? (await surroundings).languages.status() : languageStatus(options)),
    },
    sessions: {
      list: async (which) => (await history()).list(which),
      show: async (session) => (await history()).show(session),
      tree: async (session) => (await history()).tree(session),
      label: async (...named) => (await history()).label(...named),
      fork: async (entry, how) => (await history()).fork(entry, how),
      delete: async (session) => (await history()).delete(session),
    },
    async open(open: OpenOptions = {}) {
      const session = await openSession(await here(), open);
      sessions.add(session);
      return session;
    },
    async close() {
      const open = [...sessions];
      sessions.clear();
      // When they could not be looked at, `open` has said so and nothing was started.
      const at = await surroundings?.catch(() => undefined);
      await inTurn([...open.map((session) => () => session.close()), () => at && end(at)]);
    },
  };
}

/** Loaded with the first question. */
function tasksOf(tasks: () => Promise<Tasks>): Tasks {
  return {
    list: async () => (await tasks()).list(),
    faults: async () => (await tasks()).faults(),
    show: async (task) => (await tasks()).show(task),
    output: async (task, range) => (await tasks()).output(task, range),
    cancel: async (task) => (await tasks()).cancel(task),
    listens: async (...asked) => (await tasks()).listens(...asked),
  };
}

function end({ tasks, languages, supervision, sandboxing }: Surroundings): Promise<void> {
  return inTurn([tasks, languages, supervision, sandboxing].map((part) => () => part.close()));
}
