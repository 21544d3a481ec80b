// Claiming files for this agent, so that no other agent changes them meanwhile. Changing a file claims it by itself, for
// the run; this is for work that has to stay together. Its effect is a read: nothing of the project changes.

import * as z from "zod";
import { type Plan, readPlan } from "../core/plan.js";
import type { Place } from "../core/ports.js";
import { defineTool } from "../core/tool.js";

const input = z.object({ paths: z.array(z.string()).min(1).max(100), release: z.boolean().optional() });

interface Data {
  places: Place[];
  release: boolean;
}

export default defineTool<z.infer<typeof input>, Data, "claims">({
  name: "claim_files",
  verb: "claim",
  alias: null,
  family: "claims",
  effects: ["read"],
  needs: ["claims"],
  description:
    "Keeps other agents from changing these files until you release them (release: true) or the session ends; all or none. A file you change is yours for the run without this.",
  input,
  prepare({ paths, release = false }, { claims }): Plan<Data> {
    const places = claims.locate(paths);
    if (!release) for (const place of places) claims.check(place);
    const summary = `${release ? "release" : "claim"} ${shown(places)}`;
    return readPlan(summary, places, { places, release });
  },
  apply({ data: { places, release } }, { claims }) {
    if (!release) {
      claims.hold(places);
      return { status: "ok", text: `claimed ${shown(places)}` };
    }
    const ours = claims.release(places);
    const others = places.filter(({ path }) => !ours.some((place) => place.path === path));
    const parts = ours.length > 0 ? [`released ${shown(ours)}`] : [];
    if (others.length > 0) parts.push(`not claimed by you: ${shown(others)}`);
    return { status: "ok", text: parts.join("; ") };
  },
});

function shown(places: readonly Place[]): string {
  return places.map((place) => place.shown).join(", ");
}
