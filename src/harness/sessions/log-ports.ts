// What every log of a session is opened with, whoever opens it: the world, and what takes secrets out of an entry before it is
// one (SPEC 1.5). No other file of harness/ gives a log its ports.

import { join } from "node:path";
import type { RedactEntry, Redactor } from "../../core/redactor.js";
import { knownSecrets } from "../../secrets/known.js";
import { redactedEntry } from "../../secrets/redacted.js";
import type { SessionPorts } from "../../session/ports.js";
import type { Place } from "../place.js";

type World = Pick<Place, "disk" | "clock" | "ids" | "state">;

export function logPorts({ disk, clock, ids, state }: World): SessionPorts {
  return { spillDir: join(state, "spill"), disk, clock, ids, redact };
}

/** For what somebody else has written down: text of every kind loses what has the shape of a secret, too. */
export function foreignLogPorts(world: World): SessionPorts {
  return { ...logPorts(world), redact: redactForeign };
}

const redact: RedactEntry = (type, data) => redactedEntry(knownSecrets, type, data);

const whole: Pick<Redactor, "values" | "all"> = {
  values: (text) => knownSecrets.all(text),
  all: (text) => knownSecrets.all(text),
};

const redactForeign: RedactEntry = (type, data) => redactedEntry(whole, type, data);
