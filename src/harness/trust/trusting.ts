// What is trusted in the project of a harness, and decisions about it, between sessions: a decision counts for the next one.

import { join } from "node:path";
import { approve, type ReviewFacts, review, revoke, type TrustStatus } from "../../trust/review.js";
import { speakersOf } from "../../trust/speakers.js";
import { projectFiles } from "../agents/project-files.js";
import type { HarnessOptions, Trust } from "../api/index.js";
import { placeOf } from "../place.js";
import { languageServersOf, settingsOf } from "../surroundings.js";
import { resourcesOf, trustPlace } from "./resources.js";

export class Trusting implements Trust {
  readonly #options: HarnessOptions;

  constructor(options: HarnessOptions) {
    this.#options = options;
  }

  async status(): Promise<TrustStatus> {
    return review(await this.#facts());
  }

  async approve(shown: TrustStatus): Promise<string | null> {
    return approve(await this.#facts(), shown, placeOf(this.#options).clock.now());
  }

  async revoke(): Promise<boolean> {
    return revoke(await this.#facts(), placeOf(this.#options).clock.now());
  }

  async #facts(): Promise<ReviewFacts> {
    const place = placeOf(this.#options);
    const { disk, state } = place;
    const where = trustPlace(place, this.#options);
    const loaded = await settingsOf(place, this.#options);
    const servers = await languageServersOf(place, this.#options, loaded.settings);
    const own = await resourcesOf(loaded, { ...where, disk }, projectFiles(place));
    const resources = [...own, ...servers.resources];
    const speakers = speakersOf(disk, place);
    return { ...where, disk, kept: join(state, "trust"), speakers, resources };
  }
}
