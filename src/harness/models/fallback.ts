// The models of a session: the one that was chosen, and those of `models.fallback`, which go on with a run while the one
// before stays unavailable.
// Invariants: each is asked at most once in a run, in the order of the setting; only an unavailable provider makes another
// one take over, and then the log names it before it is asked; the next run begins with the first again.

import type { Fallback, Log } from "../../agent/ports.js";
import { messageOf } from "../../core/errors.js";
import type { Emit } from "../../core/event.js";
import type { Model, ModelFacts, ModelFailure, ModelRequest } from "../../core/model.js";

export interface FallbackPorts {
  log: Pick<Log, "append">;
  emit: Emit;
  expectBreak(cause: string): void;
}

/** A model that another one can stand in for. */
export class ModelChain implements Model {
  readonly first: Model;
  readonly #others: readonly string[];
  readonly #open: (id: string) => Promise<Model>;
  readonly #opened = new Map<string, Promise<Model>>();
  #now: Model;
  /** How many of the others were tried in this run. */
  #tried = 0;

  /** `others`: ids. `open`: throws a UserError that says why a model cannot be asked. */
  constructor(first: Model, others: readonly string[], open: (id: string) => Promise<Model>) {
    this.first = first;
    this.#now = first;
    this.#others = others;
    this.#open = open;
  }

  get id(): string {
    return this.#now.id;
  }

  get facts(): ModelFacts {
    return this.#now.facts;
  }

  stream(request: ModelRequest, signal: AbortSignal) {
    return this.#now.stream(request, signal);
  }

  restart(): void {
    this.#now = this.first;
    this.#tried = 0;
  }

  /** The next one that can be asked is the model from now on; null = there is none. `skipped` hears why others cannot. */
  async next(skipped: (id: string, why: unknown) => void): Promise<Model | null> {
    for (;;) {
      const id = this.#others[this.#tried++];
      if (id === undefined) return null;
      try {
        const opening = this.#opened.get(id) ?? this.#open(id);
        this.#opened.set(id, opening);
        this.#now = await opening;
        return this.#now;
      } catch (error) {
        skipped(id, error);
      }
    }
  }

  /** As the agent sees it: every change is an entry and a notice, and the break of the cache is expected. */
  fallback({ log, emit, expectBreak }: FallbackPorts): Fallback {
    /** Why each of the models of this run was given up. */
    let spent: string[] = [];
    return {
      restart: () => {
        spent = [];
        this.restart();
      },
      takeOver: async (failure) => {
        if (!this.#givesUp(failure)) return failure;
        const [before, why] = [this.id, failure.text.replace(/\.$/, "")];
        spent.push(why);
        const model = await this.next((id, error) => {
          const text = `${id} is left out of models.fallback: ${messageOf(error)}`;
          emit({ type: "notice", level: "warning", code: "fallback", text });
        });
        // Whatever the last one answered, what ends the run is that none of them was there.
        if (!model) return spent.length === 1 ? failure : { type: "fail", kind: "network", text: spent.join("; ") };
        expectBreak("model");
        const params = { maxOutput: model.facts.maxOutput };
        log.append("model", { id: model.id, params, fallbackFor: this.first.id });
        const text = `${before} stays unavailable (${why}); ${model.id} goes on with this run.`;
        emit({ type: "notice", level: "warning", code: "fallback", text });
        return null;
      },
    };
  }

  /** A key that is refused is the user's to mend, except where it is only that of a stand-in. */
  #givesUp({ kind }: ModelFailure): boolean {
    return kind === "network" || kind === "rate" || (kind === "auth" && this.id !== this.first.id);
  }
}
