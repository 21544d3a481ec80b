// Lets terminals attach to the session of this process (`cinch attach`), from one second after it began: what lasts less long is not
// worth the code for it.

import type { SteerMode } from "../../core/event.js";
import type { Session } from "../../index.js";
import type { Porch } from "./porch.js";

export interface Attachable {
  state: string;
  /** The one that is open now. */
  session(): Session;
  busy(): boolean;
  /**
   * Takes what somebody attached has said: a run that is under way is steered with it, and its id comes back; null: it
   * begins a run. Throws UserError when nothing takes it.
   */
  hear(text: string, mode: SteerMode): string | null;
}

/** Returns how to close it: whoever is attached is told. */
export function openDoor(at: Attachable): () => void {
  let porch: Porch | undefined;
  let closed = false;
  const open = async () => {
    const { Porch } = await import("./porch.js");
    porch = new Porch(at);
    if (!closed) await porch.look();
  };
  const timer = setTimeout(() => void open(), 1_000).unref();
  return () => {
    closed = true;
    clearTimeout(timer);
    porch?.close();
  };
}
