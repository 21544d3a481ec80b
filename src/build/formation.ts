// A formation: the roles of a team, the waves they work in, and what a build has to pass at its end. Data, read from YAML.
// Invariants: what comes out of here is whole: every role works in exactly one wave, and two roles of one wave own nothing in
// common. A problem names its line, and a file with problems is no formation.
// Not here: where files are looked for (catalog.ts), who does the work (agents) and how owning is enforced (claims).

import * as z from "zod";
import { type Profile, profileEffects, profiles } from "../core/policy.js";
import { longestPattern } from "../lib/automaton.js";
import { nearest } from "../lib/nearest.js";
import { overlap } from "../lib/ownership.js";
import { nameFault } from "../models/open.js";
import { builtinTools } from "../tools/index.js";
import { type Checked, checkValue, type Flaw, readYaml } from "./yaml-text.js";

const name = z.string().regex(/^[a-z][a-z0-9-]*$/, "a name is lower case letters, digits and hyphens");

const glob = z.string().min(1).max(longestPattern, `a glob may have ${longestPattern} characters`);

const role = z.strictObject({
  name,
  /** What it is there for; part of its instructions. */
  description: z.string().min(1),
  /** The agent that plays it, by name. */
  agent: name,
  /** `fast`, `smart`, or the id of a model; default the session's own. */
  model: z.string().min(1).default("inherit"),
  /** What it may do at most. */
  tools: z.enum(profiles as [string, ...string[]]).default("full"),
  /** Tools it does not get, whatever else is said. */
  deny: z.array(z.string().min(1)).default([]),
  /** Files that only it may change while it works: globs from the working directory. Empty: what it changes is its own. */
  owns: z.array(glob).default([]),
});

const formation = z.strictObject({
  name,
  description: z.string().min(1),
  roles: z.array(role).min(1),
  /** Names of roles; those of one wave work side by side, and each wave waits for the one before. */
  waves: z.array(z.array(z.string()).min(1, "a wave needs a role")).min(1),
  /** What the reviewer at the end is to judge by, one sentence each. */
  gate: z.array(z.string().min(1)).default([]),
  /** Tools nobody gets. */
  deny: z.array(z.string().min(1)).default([]),
});

export type Role = z.infer<typeof role>;
export type Formation = z.infer<typeof formation>;

export function mayWrite({ tools }: Pick<Role, "tools">): boolean {
  return (profileEffects[tools as Profile] as readonly string[]).includes("write");
}

/** Place of a role's wave, from 0; -1 = there is no such role. */
export function waveOf({ waves }: Formation, role: string): number {
  return waves.findIndex((wave) => wave.includes(role));
}

/** `agents`: names that a role may be played by. */
export function readFormation(text: string, agents: readonly string[]): Checked<Formation> {
  return readYaml(text, formation, (read) => disagreements(read, agents));
}

/** From a value: one that was read before. Whether its agents are there is found out when they are asked for. */
export function checkFormation(value: unknown): Checked<Formation> {
  return checkValue(value, formation, (read) => disagreements(read, agentsOf(read)));
}

function agentsOf({ roles }: Formation): string[] {
  return roles.map(({ agent }) => agent);
}

/** What each part allows and the whole does not. */
function disagreements({ roles, waves, deny }: Formation, agents: readonly string[]): Flaw[] {
  const found: Flaw[] = [...unknownTools(deny, ["deny"])];
  const names = roles.map((each) => each.name);
  const complain = (path: readonly PropertyKey[], text: string) => void found.push({ path, text });
  for (const [i, each] of roles.entries()) {
    found.push(...unknownTools(each.deny, ["roles", i, "deny"]));
    if (names.indexOf(each.name) !== i) complain(["roles", i, "name"], `there are two roles ${each.name}`);
    if (!agents.includes(each.agent))
      complain(["roles", i, "agent"], `there is no agent ${each.agent}; there are: ${agents.join(", ")}`);
    const unknown = nameFault(each.model);
    if (unknown !== null) complain(["roles", i, "model"], unknown);
    const uses = waves.flat().filter((other) => other === each.name).length;
    if (uses !== 1)
      complain(["roles", i], `the role ${each.name} is in ${uses === 0 ? "no wave" : `${uses} waves`}; it works once`);
  }
  for (const [i, wave] of waves.entries()) {
    for (const [j, member] of wave.entries())
      if (!names.includes(member))
        complain(["waves", i, j], `there is no role ${member}; there are: ${names.join(", ")}`);
    found.push(...sharing(roles, wave, i));
  }
  return found;
}

/** What is denied by another name than its own would be there. Tools of servers are known when these are. */
function unknownTools(names: readonly string[], path: readonly PropertyKey[]): Flaw[] {
  const known = builtinTools.flatMap(({ descriptor: { name, alias } }) => [name, ...(alias === null ? [] : [alias])]);
  return names.flatMap((tool, i) => {
    if (known.includes(tool) || /^mcp__\w[\w-]*__\w/.test(tool)) return [];
    const meant = nearest(tool, known);
    const guess = meant === undefined ? "those of a server are mcp__server__tool" : `did you mean ${meant}?`;
    return [{ path: [...path, i], text: `there is no tool ${tool}; ${guess}` }];
  });
}

function sharing(roles: readonly Role[], wave: readonly string[], at: number): Flaw[] {
  const members = roles.filter((each) => wave.includes(each.name));
  return members.flatMap((one, i) =>
    members.slice(i + 1).flatMap((other) => {
      const both = one.owns.flatMap((mine) =>
        other.owns.filter((theirs) => overlap(mine, theirs)).map((t) => [mine, t]),
      );
      return both.map(([mine, theirs]) => ({
        path: ["waves", at],
        text: `${one.name} and ${other.name} work side by side and both own files: ${mine} and ${theirs} overlap`,
      }));
    }),
  );
}
