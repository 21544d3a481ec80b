// Facts about models: window, output limit, prices, whether they take images. Data in catalog.json, overridden by the user's settings.
// Invariant: what is not known is not invented: an unknown model has no price, and cautious limits (SPEC 2.16).
// Not here: anything the provider reports itself; reported usage is the fact, a price is an estimate with a date.

import type { ModelFacts, Prices } from "../core/model.js";
import catalog from "./catalog.json" with { type: "json" };

/** Per million tokens, US dollars; `date` defaults to "settings". */
export type PriceOverride = Omit<Prices, "date" | "cacheRead" | "cacheWrite"> & {
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  date?: string | undefined;
};

/** Tokens; a bare number is the window. */
export type WindowOverride = number | { window?: number | undefined; maxOutput?: number | undefined };

/** `models.prices`, `models.windows` and `models.images` of the settings, by model id (`provider/model`, or the model alone). */
export interface FactOverrides {
  prices?: Readonly<Record<string, PriceOverride>> | undefined;
  windows?: Readonly<Record<string, WindowOverride>> | undefined;
  images?: Readonly<Record<string, boolean>> | undefined;
}

/** How providers call their small models, as a word of the id. Scripts and cassettes are files and have no size. */
const smallNames = /^(?!scripted\/|cassette\/).*[-/._](?:haiku|mini|small|lite|flash|nano)(?![a-z])/;

const unknownModel = { window: 128_000, maxOutput: 8_192 } as const;

/** The most that Bedrock lets Nova write, whatever the model could do. */
export const novaMaxOutput = 5_120;

interface CatalogRow {
  window: number;
  maxOutput: number;
  /** input, output, cache read, cache write */
  prices?: number[];
  prefill?: boolean;
  /** Unlike the others of its provider. */
  images?: boolean;
}

const rows: Readonly<Record<string, CatalogRow>> = catalog.models;

/** Facts of one model. Never throws; an id that nobody knows gets `unknownModel` and no price. */
export function factsOf(id: string, overrides: FactOverrides = {}): ModelFacts {
  const row = rows[id] ?? rows[family(id)];
  const facts: ModelFacts = { window: row?.window ?? unknownModel.window, maxOutput: maxOutputOf(id, row) };
  const prices = pricesOf(row);
  if (prices) facts.prices = prices;
  if (row?.prefill) facts.prefill = true;
  if (row?.images ?? catalog.images.some((models) => family(id).startsWith(models))) facts.images = true;
  if (smallNames.test(id)) facts.small = true;
  return override(facts, id, overrides);
}

/** Every id in the catalogue, in its order. */
export function catalogIds(): string[] {
  return Object.keys(rows);
}

/** The id without what varies for one and the same model: Bedrock's region prefix and version, a date at the end. */
function family(id: string): string {
  return id
    .replace(/^bedrock\/(?:[a-z]{2,6}(?:-gov)?\.)?(?=amazon\.|anthropic\.)/, "bedrock/")
    .replace(/(?:-20\d{6})?(?:-v\d+(?::\d+)?)?$/, "")
    .replace(/-20\d\d-\d\d-\d\d$/, "");
}

function maxOutputOf(id: string, row: CatalogRow | undefined): number {
  if (id.startsWith("bedrock/") && id.includes("amazon.nova")) return novaMaxOutput;
  return row?.maxOutput ?? unknownModel.maxOutput;
}

function pricesOf(row: CatalogRow | undefined): Prices | undefined {
  const [input, output, cacheRead, cacheWrite] = row?.prices ?? [];
  if (input === undefined || output === undefined) return undefined;
  const prices: Prices = { input, output, date: catalog.date };
  if (cacheRead !== undefined) prices.cacheRead = cacheRead;
  if (cacheWrite !== undefined) prices.cacheWrite = cacheWrite;
  return prices;
}

function override(facts: ModelFacts, id: string, overrides: FactOverrides): ModelFacts {
  const short = id.slice(id.indexOf("/") + 1);
  const window = overrides.windows?.[id] ?? overrides.windows?.[short];
  const price = overrides.prices?.[id] ?? overrides.prices?.[short];
  const { images, ...rest } = facts;
  const out: ModelFacts = { ...rest };
  if (overrides.images?.[id] ?? overrides.images?.[short] ?? images) out.images = true;
  if (typeof window === "number") out.window = window;
  else if (window) {
    out.window = window.window ?? out.window;
    out.maxOutput = window.maxOutput ?? out.maxOutput;
  }
  if (price) {
    out.prices = { input: price.input, output: price.output, date: price.date ?? "settings" };
    if (price.cacheRead !== undefined) out.prices.cacheRead = price.cacheRead;
    if (price.cacheWrite !== undefined) out.prices.cacheWrite = price.cacheWrite;
  }
  return out;
}
