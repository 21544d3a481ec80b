// The entries of one directory, without those that .gitignore leaves out.

import * as z from "zod";
import { readPlan } from "../core/plan.js";
import type { Place } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { pathAs } from "./parts/hook-view.js";
import { listed } from "./parts/listing.js";

const input = z.object({ path: z.string().optional() });

export default defineTool<z.infer<typeof input>, Place, "search">({
  name: "list_files",
  verb: "list",
  alias: "LS",
  family: "core",
  order: 6,
  effects: ["read"],
  needs: ["search"],
  description: "Lists a directory, honouring .gitignore.",
  input,
  prepare({ path = "." }, { search }) {
    const place = search.locate(path);
    return readPlan(`list ${place.shown}`, [place], place);
  },
  hook: pathAs("path"),
  async apply({ data: place }, { search, signal }) {
    return listed(await search.list(place.path, signal), "(empty directory)", "path lists a part of it");
  },
});
