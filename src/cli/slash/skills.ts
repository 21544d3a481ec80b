// /skills: what the user and the project have of skills, by name and description. This version loads none, and says so: nothing of
// them is told to the model or run, whether the project is trusted or not.

import { join } from "node:path";
import { readFrontMatter } from "../../lib/front-matter.js";
import { nodeFs } from "../../lib/fs.js";
import { readSmall } from "../../lib/small-file.js";
import { defineSlash } from "./slash.js";

const folders = [".cinch/skills", ".claude/skills", ".agents/skills"];
const largest = 64 * 1024;

export default defineSlash({
  name: "skills",
  usage: "",
  doc: "The skills that you and the project have; this version loads none",
  anytime: true,

  async run({ session, dirs }) {
    const places = [join(dirs.config, "skills"), ...folders.map((folder) => join(session.init.root, folder))];
    const found = (await Promise.all(places.map(skillsIn))).flat();
    if (found.length === 0) return { text: `There are no skills in ${places.join(", ")}.` };
    return { text: [...found, "This version loads no skills: the model is told of none of them."].join("\n") };
  },
});

async function skillsIn(place: string): Promise<string[]> {
  const names = nodeFs.existsSync(place) ? nodeFs.readdirSync(place).sort() : [];
  const lines = await Promise.all(names.map((name) => skillLine(join(place, name, "SKILL.md"), name)));
  return lines.flatMap((line) => line ?? []);
}

/** Null: there is no skill in it. */
async function skillLine(file: string, folder: string): Promise<string | null> {
  const read = readSmall(nodeFs, file, largest);
  if (!read) return null;
  const { fields } = await readFrontMatter(read.text);
  const said = (field: string) => {
    const value = fields.get(field)?.value;
    return typeof value === "string" ? value.split("\n")[0] : undefined;
  };
  return `${(said("name") ?? folder).padEnd(20)} ${said("description") ?? "without a description"} (${file})`;
}
