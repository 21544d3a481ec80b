// Finding files by glob, newest first.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import type { Place } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { pathAs } from "./parts/hook-view.js";
import { listed } from "./parts/listing.js";

const input = z.object({ glob: z.string(), path: z.string().optional() });

const place = pathAs("path");

export default defineTool<z.infer<typeof input>, { glob: string; place: Place }, "search">({
  name: "find_files",
  verb: "find",
  alias: "Glob",
  family: "core",
  order: 7,
  effects: ["read"],
  needs: ["search"],
  description: "Finds files by glob (**/*.ts), newest first.",
  input,
  prepare({ glob, path = "." }, { search }) {
    const place = search.locate(path);
    return readPlan(`find ${glob} in ${place.shown}`, [place], { glob, place });
  },
  hook: {
    to: ({ glob, ...input }, plan) => ({ pattern: glob, ...place.to(input, plan) }),
    from: ({ pattern, ...input }) => ({ ...input, glob: pattern }),
  },
  async apply({ data: { glob, place } }, { search, signal }) {
    return listed(await search.find(glob, place.path, signal), "(no files)", "narrow it with path or glob");
  },
});
