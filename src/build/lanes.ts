// How many tasks of a build talk to one provider at once: each has a rate limit of its own, and more agents than it bears only
// wait for each other. Pure. `tasks.parallel` limits all of them together.

const most: Readonly<Record<string, number>> = { bedrock: 3, openrouter: 6 };
const usual = 4;

/** The provider of a role's model: `own` is the session's, for a role that names none, or a tier of it. */
export function laneOf(model: string, own: string): string {
  const named = model.includes("/") ? model : own;
  return named.slice(0, named.indexOf("/"));
}

/** Of these, the first that fit beside the lanes that are under way, in their order. */
export function fitting<Task>(
  ready: readonly Task[],
  lane: (task: Task) => string,
  running: readonly string[],
): Task[] {
  const used = new Map<string, number>();
  const take = (name: string) => used.set(name, (used.get(name) ?? 0) + 1);
  running.forEach(take);
  return ready.filter((task) => {
    const name = lane(task);
    if ((used.get(name) ?? 0) >= (most[name] ?? usual)) return false;
    take(name);
    return true;
  });
}
