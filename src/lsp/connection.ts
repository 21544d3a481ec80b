// Requests and answers over one server's pipes (JSON-RPC 2.0).
// Invariant: every request settles: answered, cancelled, late, or failed with the connection. A message with a method is
// never taken for an answer, whatever its id; every request of the server's is answered. After `close` nothing is sent.

import { Cancelled, ModelError, messageOf } from "../core/errors.js";
import { isObject } from "../lib/json.js";
import { RunningTimer } from "../lib/running-timer.js";
import { FrameReader, frame } from "./framing.js";

export interface Peer {
  write(bytes: Buffer): void;
  /** A request of the server; what is returned is the result, what is thrown an error answer. */
  asked(method: string, params: unknown): unknown;
  told(method: string, params: unknown): void;
  /** What came is no message; the connection is closed. */
  broken(why: string): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The server said no. */
export class ServerRefusal extends ModelError {
  override name = "ServerRefusal";
  readonly code: number;

  constructor(text: string, code: number) {
    super(text);
    this.code = code;
  }
}

export interface RequestOptions {
  signal: AbortSignal;
  timeoutMs: number;
}

const methodNotFound = -32601;
const internalError = -32603;

export class Connection {
  readonly #peer: Peer;
  readonly #name: string;
  readonly #reader: FrameReader;
  readonly #pending = new Map<number, Pending>();
  #next = 0;
  #closed: ModelError | undefined;

  /** `name`: how the server is called in errors. */
  constructor(name: string, peer: Peer) {
    this.#name = name;
    this.#peer = peer;
    this.#reader = new FrameReader({
      message: (message) => this.#take(message),
      fault: (why) => {
        this.close(new ModelError(`The language server ${name} sent what is no message: ${why}.`));
        peer.broken(why);
      },
    });
  }

  /** Why nothing more comes or goes. */
  get closed(): ModelError | undefined {
    return this.#closed;
  }

  receive(chunk: Buffer): void {
    if (!this.#closed) this.#reader.push(chunk);
  }

  notify(method: string, params: object | null): void {
    if (!this.#closed) this.#peer.write(frame({ jsonrpc: "2.0", method, ...(params ? { params } : {}) }));
  }

  request(method: string, params: object | null, { signal, timeoutMs }: RequestOptions): Promise<unknown> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal.aborted) return Promise.reject(new Cancelled());
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const settle = () => {
        timer.end();
        signal.removeEventListener("abort", onAbort);
        this.#pending.delete(id);
      };
      const giveUp = (error: Error) => {
        settle();
        this.notify("$/cancelRequest", { id });
        reject(error);
      };
      const onAbort = () => giveUp(new Cancelled());
      const late = `The language server ${this.#name} has not answered ${method} within ${timeoutMs / 1000} s.`;
      const timer = new RunningTimer(timeoutMs, () =>
        giveUp(new ModelError(`${late} It still runs; nothing was changed.`)),
      );
      signal.addEventListener("abort", onAbort, { once: true });
      this.#pending.set(id, {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#peer.write(frame({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) }));
    });
  }

  /** Fails what is pending and everything from now on. */
  close(why: ModelError): void {
    if (this.#closed) return;
    this.#closed = why;
    for (const pending of [...this.#pending.values()]) pending.reject(why);
  }

  #take(message: unknown): void {
    if (this.#closed || !isObject(message as never)) return;
    const { id, method, params, result, error } = message as Record<string, unknown>;
    if (typeof method === "string") {
      if (id === undefined || id === null) this.#peer.told(method, params);
      else void this.#answer(id, method, params);
      return;
    }
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined;
    if (!pending) return;
    if (error === undefined || error === null) pending.resolve(result);
    else pending.reject(this.#refusal(error));
  }

  async #answer(id: unknown, method: string, params: unknown): Promise<void> {
    try {
      const result = await this.#peer.asked(method, params);
      this.#send({ id, ...(result === undefined ? { error: unknown(method) } : { result }) });
    } catch (thrown) {
      this.#send({ id, error: { code: internalError, message: messageOf(thrown) } });
    }
  }

  #send(message: object): void {
    if (!this.#closed) this.#peer.write(frame({ jsonrpc: "2.0", ...message }));
  }

  #refusal(error: unknown): ServerRefusal {
    const { code, message } = error as { code?: unknown; message?: unknown };
    const said = typeof message === "string" && message !== "" ? message.split("\n")[0] : "it gave no reason";
    const text = `The language server ${this.#name} refused: ${said}. Nothing was changed.`;
    return new ServerRefusal(text.replace(/\.\. /, ". "), typeof code === "number" ? code : 0);
  }
}

function unknown(method: string) {
  return { code: methodNotFound, message: `${method} is not known here` };
}
