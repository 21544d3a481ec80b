// What a browser makes of one page: its title, what went wrong in it, what it could not load, and a picture.
// Invariants: whatever the page does, the look ends in bounded time and with the browser; what a page says (its title, its
// errors) is cut and is data. Nothing is clicked here.

import type { JsonObject } from "../../core/json.js";
import type { Fs } from "../../lib/fs.js";
import { parseJson } from "../../lib/json.js";
import { type Browser, type Heard, objectOf, startBrowser } from "./browser.js";
import { deadControls } from "./dead-controls.js";

export interface PageFault {
  /** gone: what stands there at last is no page of the application. control: a button or a form that does nothing. */
  kind: "console" | "exception" | "request" | "gone" | "control";
  text: string;
  /** Address of the script, or of what was asked for. */
  url?: string;
  /** 1-based. */
  line?: number;
}

export interface PageLook {
  title: string;
  /** Characters of text on it. */
  text: number;
  faults: readonly PageFault[];
  /** What it wanted from elsewhere, and did not get. */
  blocked: readonly string[];
  /** PNG; null = it could not be taken. */
  picture: Buffer | null;
}

export interface LookOptions {
  disk: Fs;
  program: string;
  /** PATH of the browser. */
  path: string;
  url: string;
  signal: AbortSignal;
  /** Milliseconds for all of it. */
  patience?: number;
}

/** A page is there when nothing was on its way for so long, in milliseconds; one that never is quiet is looked at anyhow. */
const quietMs = 500;
const restlessMs = 5_000;
const maxFaults = 20;

/** Rejects with what went wrong when there is nothing to see: no browser, no answer, not in time. */
export async function lookAt({ disk, program, path, url, signal, patience = 60_000 }: LookOptions): Promise<PageLook> {
  const page = new Watched(url);
  const browser = await startBrowser(disk, program, path, page.hear);
  const late = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    return await ended(look(browser, page, url), late, patience);
  } finally {
    await browser.close();
  }
}

function ended<Value>(work: Promise<Value>, late: AbortSignal, patience: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`The browser was given up after ${patience / 1_000} s.`));
    if (late.aborted) giveUp();
    late.addEventListener("abort", giveUp, { once: true });
    // What fails when it was given up has been said.
    work.then(resolve, reject).finally(() => late.removeEventListener("abort", giveUp));
  });
}

async function look(browser: Browser, page: Watched, url: string): Promise<PageLook> {
  const { targetId } = await browser.ask("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await browser.ask("Target.attachToTarget", { targetId: targetId ?? "", flatten: true });
  const session = String(sessionId);
  const ask = (method: string, params: JsonObject = {}) => browser.ask(method, params, session);
  page.attach(session, (method, params) => void ask(method, params).catch(() => undefined));
  await browser.ask("Browser.setDownloadBehavior", { behavior: "deny" });
  for (const domain of ["Page", "Runtime", "Network", "Log"]) await ask(`${domain}.enable`);
  const { errorText } = await ask("Page.navigate", { url });
  if (typeof errorText === "string" && errorText !== "") throw new Error(`The page does not load: ${errorText}.`);
  await page.quiet();
  const { result } = await ask("Runtime.evaluate", {
    expression: "JSON.stringify([document.title, document.body ? document.body.innerText.length : 0])",
    returnByValue: true,
  });
  const [title, text] = JSON.parse(String(objectOf(result)["value"] ?? '["",0]')) as [string, number];
  const found = { faults: [...page.faults], blocked: [...page.blocked] };
  found.faults.push(...(await controlFaults(ask, url, found)));
  // A page that never stops drawing has no picture.
  const { data } = await ask("Page.captureScreenshot", { format: "png" }).catch((): JsonObject => ({}));
  const picture = typeof data === "string" ? Buffer.from(data, "base64") : null;
  return { title: String(title).slice(0, 200), text, ...found, picture };
}

/** Where a script failed or could not be loaded, a control without a handler only follows from that. */
async function controlFaults(
  ask: (method: string, params: JsonObject) => Promise<JsonObject>,
  url: string,
  { faults, blocked }: Pick<PageLook, "faults" | "blocked">,
): Promise<PageFault[]> {
  if (faults.length > 0 || blocked.length > 0) return [];
  const { result } = await ask("Runtime.evaluate", {
    ...{ expression: deadControls, includeCommandLineAPI: true, awaitPromise: true, returnByValue: true },
  });
  const said = parseJson(String(objectOf(result)["value"] ?? "[]"));
  return (Array.isArray(said) ? said : []).map((text) => ({ kind: "control", text: String(text).slice(0, 500), url }));
}

/** Listens to one page. */
class Watched {
  readonly faults: PageFault[] = [];
  readonly blocked: string[] = [];
  readonly #origin: string;
  readonly #asked = new Map<string, string>();
  /** Where the page is that is not the application's; null = it is there. */
  #gone: string | null = null;
  readonly #onItsWay = new Set<string>();
  #session: string | undefined;
  #tell: (method: string, params: JsonObject) => void = () => {};
  #loaded = false;
  #heardAt = 0;

  constructor(url: string) {
    this.#origin = new URL(url).origin;
  }

  attach(session: string, tell: (method: string, params: JsonObject) => void): void {
    this.#session = session;
    this.#tell = tell;
  }

  readonly hear: Heard = (method, params, session) => {
    if (session === undefined || session !== this.#session) return;
    this.#heardAt = performance.now();
    this.#parts[method]?.(params);
  };

  readonly #parts: Readonly<Record<string, (params: JsonObject) => void>> = {
    "Page.frameNavigated": ({ frame }) => this.#moved(objectOf(frame)),
    "Page.loadEventFired": () => {
      this.#loaded = true;
    },
    // It would wait for a click for ever.
    "Page.javascriptDialogOpening": () => this.#tell("Page.handleJavaScriptDialog", { accept: false }),
    "Runtime.exceptionThrown": ({ exceptionDetails }) => this.#exception(objectOf(exceptionDetails)),
    "Runtime.consoleAPICalled": (said) => this.#console(said),
    "Log.entryAdded": ({ entry }) => this.#logged(objectOf(entry)),
    "Network.requestWillBeSent": ({ requestId, request }) => {
      this.#wants(String(requestId), String(objectOf(request)["url"]));
      this.#onItsWay.add(String(requestId));
    },
    "Network.webSocketCreated": ({ requestId, url }) => this.#wants(String(requestId), String(url)),
    "Network.webSocketFrameError": ({ requestId, errorMessage }) => this.#failed(String(requestId), errorMessage),
    "Network.responseReceived": ({ requestId, response }) => this.#answered(String(requestId), objectOf(response)),
    "Network.loadingFinished": ({ requestId }) => void this.#onItsWay.delete(String(requestId)),
    "Network.loadingFailed": ({ requestId, errorText, canceled }) => {
      this.#onItsWay.delete(String(requestId));
      if (canceled !== true) this.#failed(String(requestId), errorText);
    },
  };

  /** A frame that is within none is the page itself; the browser's own page about an error names what it stands for. */
  #moved({ parentId, url, unreachableUrl }: JsonObject): void {
    if (parentId !== undefined) return;
    if (typeof unreachableUrl === "string") this.#gone = unreachableUrl;
    else this.#gone = typeof url === "string" && this.#isOwn(url) ? null : String(url);
  }

  /** By another of its names it is the same. */
  #isOwn(url: string): boolean {
    return URL.canParse(url) && new URL(url).origin.replace("//localhost:", "//127.0.0.1:") === this.#origin;
  }

  /** Resolves when nothing more is to be expected soon. */
  async quiet(): Promise<void> {
    await this.#quiet();
    if (this.#gone !== null) this.#add({ kind: "gone", text: this.#gone });
  }

  async #quiet(): Promise<void> {
    const begun = performance.now();
    for (;;) {
      const now = performance.now();
      const isQuiet = this.#loaded && this.#onItsWay.size === 0 && now - this.#heardAt > quietMs;
      if (isQuiet || (this.#loaded && now - begun > restlessMs) || now - begun > 2 * restlessMs) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #add(fault: PageFault): void {
    const { text, kind, url } = fault;
    const known = this.faults.some((each) => each.text === text && each.kind === kind && each.url === url);
    if (!known && this.faults.length < maxFaults) this.faults.push({ ...fault, text: text.slice(0, 500) });
  }

  #exception({ text, exception, url, lineNumber, stackTrace }: JsonObject): void {
    const { description, value } = objectOf(exception);
    const said = typeof description === "string" ? description.split("\n", 1)[0] : String(value ?? text ?? "");
    const at = typeof url === "string" && url !== "" ? { url, lineNumber } : frameOf(stackTrace);
    this.#add({ kind: "exception", text: said || String(text), ...placeOf(at) });
  }

  #console({ type, args, stackTrace }: JsonObject): void {
    if (type !== "error" && type !== "assert") return;
    const words = Array.isArray(args) ? args.map((each) => wordOf(objectOf(each))) : [];
    this.#add({ kind: "console", text: words.join(" "), ...placeOf(frameOf(stackTrace)) });
  }

  /** What the browser itself complains of; of requests more is known from the network. */
  #logged({ level, source, text, url, lineNumber }: JsonObject): void {
    if (level !== "error" || source === "network") return;
    this.#add({ kind: "console", text: String(text), ...placeOf({ url: url ?? "", lineNumber: lineNumber ?? 0 }) });
  }

  #wants(id: string, url: string): void {
    this.#asked.set(id, url);
    if (!isHere(url) && this.blocked.length < maxFaults && !this.blocked.includes(url)) this.blocked.push(url);
  }

  #answered(id: string, { status, url }: JsonObject): void {
    if (typeof status === "number" && status >= 400)
      this.#fault(String(url ?? this.#asked.get(id)), `answers ${status}`);
  }

  #failed(id: string, why: unknown): void {
    const url = this.#asked.get(id);
    if (url !== undefined) this.#fault(url, `failed (${String(why)})`);
  }

  #fault(url: string, what: string): void {
    // Browsers ask for it unasked.
    if (!url.startsWith(this.#origin) || new URL(url).pathname === "/favicon.ico") return;
    this.#add({ kind: "request", text: `${url.slice(0, 300)} ${what}`, url });
  }
}

function isHere(url: string): boolean {
  if (!/^(?:https?|wss?):/.test(url)) return true;
  return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
}

function frameOf(trace: unknown): JsonObject {
  const { callFrames } = objectOf(trace as JsonObject);
  return objectOf(Array.isArray(callFrames) ? callFrames[0] : undefined);
}

function placeOf({ url, lineNumber }: JsonObject): Pick<PageFault, "url" | "line"> {
  if (typeof url !== "string" || url === "") return {};
  return { url, ...(typeof lineNumber === "number" ? { line: lineNumber + 1 } : {}) };
}

function wordOf({ value, description, type }: JsonObject): string {
  if (typeof description === "string") return description.split("\n", 1)[0] ?? "";
  return value === undefined ? String(type) : typeof value === "string" ? value : JSON.stringify(value);
}
