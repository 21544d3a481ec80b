// Which formation fits a piece of work: by how hard it is and how much of it there is. Pure.
//
//            small                 medium                large
//   routine  single-file           lightweight-feature   lightweight-feature
//   medium   lightweight-feature   lightweight-feature   feature-impl
//   complex  lightweight-feature   feature-impl          all-hands-planning
//   novel    new-project           new-project           new-project

import { UserError } from "../core/errors.js";

const scopes: readonly string[] = ["small", "medium", "large"];

const table = {
  routine: ["single-file", "lightweight-feature", "lightweight-feature"],
  medium: ["lightweight-feature", "lightweight-feature", "feature-impl"],
  complex: ["lightweight-feature", "feature-impl", "all-hands-planning"],
  novel: ["new-project", "new-project", "new-project"],
} as const;

/** The name of the formation. @throws UserError that lists what is valid */
export function routeFormation(complexity: string, scope: string): string {
  const row = Object.hasOwn(table, complexity) ? table[complexity as keyof typeof table] : undefined;
  const name = row?.[scopes.indexOf(scope)];
  if (row && name) return name;
  const [what, given, valid] = row
    ? ["scope", scope, scopes]
    : (["complexity", complexity, Object.keys(table)] as const);
  throw new UserError(`There is no ${what} ${JSON.stringify(given)}.`, `There are: ${valid.join(", ")}.`);
}
