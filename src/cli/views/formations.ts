// Formations as text for a person. Pure.

import type { KnownFormation } from "../../build/catalog.js";
import { row } from "./row.js";

/** One row each: a name of a file, or what its author says, begins none. */
export function formationsView(known: readonly KnownFormation[]): string {
  const width = Math.max(...known.map(({ name }) => name.length));
  return known
    .map(({ name, level, formation, problems }) => {
      const from = level === "built-in" ? "" : ` (${level})`;
      return `${row(name).padEnd(width)}  ${row(formation ? `${formation.description}${from}` : problems.join("; "))}`;
    })
    .join("\n");
}

export function formationView({ name, level, file, formation, problems }: KnownFormation): string {
  if (!formation) return problems.join("\n");
  const waves = formation.waves.map((wave, i) => `  ${i + 1}  ${wave.join(", ")}`);
  const roles = formation.roles.flatMap(({ name: role, agent, model, tools, deny, owns, description }) => [
    `  ${role}: ${description}`,
    `    agent ${agent}, model ${model}, tools ${tools}${deny.length > 0 ? ` without ${deny.join(", ")}` : ""}${owns.length > 0 ? `, owns ${owns.join(" ")}` : ""}`,
  ]);
  const gate = formation.gate.length > 0 ? ["Gate", ...formation.gate.map((line) => `  ${line}`)] : [];
  return [
    `${name}: ${formation.description}`,
    `From ${file ?? level}.`,
    "Waves",
    ...waves,
    "Roles",
    ...roles,
    ...gate,
  ].join("\n");
}
