// `cinch models`: which providers there are and whether their keys are found (never what they are), which model a run
// would use and why, local servers that answer, and what the catalogue knows.

import type { Json } from "../../core/json.js";
import { safeJson, safeText } from "../../lib/safe-text.js";
import { catalogIds, factsOf } from "../../models/catalog.js";
import { discoverLocal, type LocalModel } from "../../models/discover.js";
import { providers } from "../../models/index.gen.js";
import { pickModel } from "../../models/pick.js";
import type { Values } from "../args.js";
import { type Current, currentSettings } from "../current.js";
import { jsonFlag } from "../flags.js";
import { writeErr, writeOut } from "../stdio.js";
import type { Command } from "./index.js";

const command: Command = {
  flags: [jsonFlag],

  async run(values: Values): Promise<number> {
    const current = await currentSettings(values);
    const facts = gather(current, await discoverLocal());
    if (values.has("json")) writeOut(safeJson(facts satisfies Json));
    else writeOut(safeText(`${asText(facts)}\n`));
    for (const problem of current.problems) writeErr(safeText(`${problem.text}\n`));
    return 0;
  },
};

export default command;

type Facts = ReturnType<typeof gather>;

function gather({ settings, sources, keys }: Current, local: readonly LocalModel[]) {
  const { models } = settings;
  return {
    selected: selected({ settings, sources, keys }, local),
    providers: providers.map(({ descriptor }) => ({
      name: descriptor.names[0] ?? "",
      names: [...descriptor.names],
      protocol: descriptor.protocol,
      keys: descriptor.keyEnv.map((name) => ({ name, set: isSet(name), kept: Object.hasOwn(keys, name) })),
      base_urls: descriptor.baseUrlEnv.map((name) => ({ name, set: isSet(name) })),
      default_model: descriptor.defaultModel,
    })),
    local: local.map(({ id, server, baseUrl }) => ({ id, server, base_url: baseUrl })),
    models: catalogIds().map((id) => {
      const { window, maxOutput, prices } = factsOf(id, models);
      return { id, window, max_output: maxOutput, prices: prices ? pricesOf(prices) : null };
    }),
  };
}

function pricesOf({ input, output, cacheRead, cacheWrite, date }: NonNullable<ReturnType<typeof factsOf>["prices"]>) {
  return { input, output, cache_read: cacheRead ?? null, cache_write: cacheWrite ?? null, date };
}

function isSet(name: string): boolean {
  return Boolean(process.env[name]);
}

type Selecting = Pick<Current, "settings" | "sources" | "keys">;

function selected({ settings, sources, keys }: Selecting, local: readonly LocalModel[]) {
  const picked = pickModel({ ...keys, ...process.env }, settings);
  if (picked) {
    const from = sources["model"];
    const isKept = Object.hasOwn(keys, picked.source) && !isSet(picked.source);
    const key = isKept ? `${picked.source} in keys.json` : `${picked.source} is set`;
    const why = settings.model === undefined ? key : from === "flags" ? "-m" : `model in ${from}`;
    return { id: picked.id, why };
  }
  const [first] = local;
  return first && settings.models.local ? { id: first.id, why: `models.local, ${first.server} answers` } : null;
}

function asText({ selected, providers, local, models }: Facts): string {
  const date = models.find(({ prices }) => prices)?.prices?.date;
  return [
    selected
      ? `A run would use ${selected.id}: ${selected.why}.`
      : "A run would have no model: no key is set and none is named.",
    "",
    "Providers",
    ...providers.map(({ names, protocol, keys }) => `  ${names.join(", ").padEnd(32)}${protocol}; ${keysText(keys)}`),
    "",
    "Local servers",
    ...(local.length > 0 ? local.map(({ id, server }) => `  -m ${id}   (${server})`) : ["  none answers"]),
    "",
    `Known models (window, longest reply, US dollars per million tokens in and out${date ? `, ${date}` : ""})`,
    ...models.map(({ id, window, max_output, prices }) => {
      const price = prices ? `$${prices.input} $${prices.output}` : "price unknown";
      return `  ${id.padEnd(52)}${short(window).padStart(7)}${short(max_output).padStart(8)}   ${price}`;
    }),
    "",
    "Any other id of a provider works as well, without a price unless models.prices gives one.",
  ].join("\n");
}

function keysText(keys: readonly { name: string; set: boolean; kept: boolean }[]): string {
  if (keys.length === 0) return "needs no key";
  const found = keys
    .filter(({ set, kept }) => set || kept)
    .map(({ name, set }) => (set ? name : `${name} of keys.json`));
  if (found.length > 0) return `key found in ${found.join(", ")}`;
  return `no key (${keys.map((key) => key.name).join(" or ")})`;
}

function short(tokens: number): string {
  return tokens >= 1_000_000 ? `${Number((tokens / 1_000_000).toFixed(2))}M` : `${Math.round(tokens / 1000)}k`;
}
