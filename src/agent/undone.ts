// What a run that has answered would leave in disorder, in sentences for the model and the user.

import type { AgentPorts } from "./ports.js";
import type { Tally } from "./tally.js";

/** Null when all is well. */
export async function undoneBy(
  ports: Pick<AgentPorts, "unfinished" | "observer">,
  tally: Tally,
): Promise<string | null> {
  const broken = (await ports.unfinished?.list()) ?? null;
  const late = ports.observer?.late() ?? null;
  const cut = [...tally.cutFiles.values()].join(", ");
  const sentences = [
    ...(broken === null ? [] : [`These files do not parse since you changed them: ${broken}.`]),
    ...(cut === "" ? [] : [`These files end where your reply was cut: ${cut}.`]),
    ...(late === null ? [] : [late]),
  ];
  return sentences.length > 0 ? sentences.join(" ") : null;
}
