// The entry point "./models": opening a model by id, and what a provider of your own needs.

export { catalogIds, type FactOverrides, factsOf } from "./catalog.js";
export { discoverLocal, type LocalModel } from "./discover.js";
export { keyVariables, type ModelDeps, type ModelSettings, openModel, providerNames } from "./open.js";
export { type Pick, pickModel } from "./pick.js";
export { defineProvider, type OpenContext, type Provider, type ProviderDescriptor } from "./provider.js";
