// Text made safe for a terminal. Whatever a model, a file or a program wrote, it can neither steer the terminal (escape
// sequences, control characters) nor hide or reorder what is shown (bidirectional controls, zero-width characters).
// Invariants: a `SafeText` holds no control character but tab, line feed and what `drawnLine` and `terminalCodes` put there; text in pieces gives
// what the whole gives. Not for files or pipes: they get bytes as is.

declare const safe: unique symbol;

/** The only kind of text that the writers of the terminal take. Made here and nowhere else. */
export type SafeText = string & { readonly [safe]: true };

const suspicious = /[^\t\n\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0600]/;

/**
 * CSI, OSC/DCS/APC/PM/SOS strings up to their end, and two-character escapes; 7-bit and 8-bit.
 * A string without an end, or with another one in it, loses only its beginning: it must not take the rest of the text with it.
 */
const sequence =
  /(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]{0,4096}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,16}[0-~]?/g;
/** What may still become one of them. */
const openSequence =
  /(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}$|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]{0,4096}\x1b?$|\x1b[ -/]{0,16}$/;
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Soft hyphen, bidirectional and zero-width controls, line separators, fillers that look like blanks, variation and tag characters. */
const invisible =
  /\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\u00ad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Half a character, or a joiner whose second picture has not come. */
const openCharacter = /\u200d[\ud800-\udbff]?$|[\ud800-\udbff]$/;

const joined = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*$/u;
const pictograph = /^\p{Extended_Pictographic}/u;
/** Characters that a joiner looks back. */
const lookBack = 8;

/** `text` without escape sequences and control characters; what would be invisible is shown as `\u{202e}`. */
export function safeText(text: string): SafeText {
  if (!suspicious.test(text)) return text as SafeText;
  const filter = new TerminalFilter();
  return (filter.push(text) + filter.end()) as SafeText;
}

/** The same for text that comes in pieces: a sequence or a character may be cut in two. */
export class TerminalFilter {
  #sequence = "";
  #character = "";
  #before = "";

  push(piece: string): SafeText {
    const text = this.#sequence + piece;
    const open = text.search(openSequence);
    this.#sequence = open < 0 ? "" : text.slice(open);
    return this.#visible(plain(open < 0 ? text : text.slice(0, open)), false);
  }

  end(): SafeText {
    const rest = plain(this.#sequence);
    this.#sequence = "";
    return this.#visible(rest, true);
  }

  #visible(piece: string, ended: boolean): SafeText {
    const text = this.#character + piece;
    const open = ended ? -1 : text.search(openCharacter);
    const now = open < 0 ? text : text.slice(0, open);
    this.#character = open < 0 ? "" : text.slice(open);
    const whole = this.#before + now;
    const skip = this.#before.length;
    this.#before = whole.slice(-lookBack);
    return showInvisible(whole, skip).text.slice(skip) as SafeText;
  }
}

/** `text` with what would be invisible shown as `\u{202e}`, from `skip` on, and how many such characters there were. */
export function showInvisible(text: string, skip = 0): { text: string; count: number } {
  let count = 0;
  const shown = text.replace(invisible, (unit, at: number) => {
    if (at < skip || joins(unit, at, text)) return unit;
    count++;
    return escaped(unit);
  });
  return { text: shown, count };
}

/** `text` with every control character that safe text leaves out as its code: for what somebody is asked about. */
export function showControls(text: string): string {
  return text.replace(/\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, inJson);
}

function plain(text: string): string {
  return text.replace(sequence, "").replace(control, "");
}

/** One line for a status display: safe, without line breaks and tabs, at most `width` characters. */
export function safeLine(text: string, width: number): SafeText {
  const line = safeText(text).replace(/\s+/g, " ").trim();
  const letters = [...line];
  return (letters.length <= width ? line : `${letters.slice(0, Math.max(0, width - 1)).join("")}…`) as SafeText;
}

/** JSON and a line feed; every value is exact, what a terminal would act on or hide is written as `\u009b`. */
export function safeJson(value: unknown, indent = 2): SafeText {
  const json = JSON.stringify(value, null, indent);
  const hidden =
    /\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff]/g;
  return `${json.replace(hidden, (unit) => [...unit.split("")].map(inJson).join(""))}\n` as SafeText;
}

function inJson(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Draws over the line the cursor is in. */
export function drawnLine(line: SafeText, dim: boolean): SafeText {
  return `\r\x1b[2K${dim && line !== "" ? `\x1b[2m${line}\x1b[22m` : line}` as SafeText;
}

/**
 * What the terminal interface says to a terminal beside text. A closed list: numbers go in, and text that is safe already,
 * so nothing that a model or a file wrote can become one of these.
 */
export const terminalCodes = {
  /** Parameters of SGR, numbers with semicolons. */
  style: (codes: string): SafeText => `\x1b[${codes.replace(/[^0-9;]/g, "")}m` as SafeText,
  /** OSC 8; only addresses that a browser or an editor opens, and nothing of them that could end the sequence. */
  link: (to: SafeText, text: SafeText): SafeText =>
    /^(?:https?|file):\/\/[\x21-\x7e]+$/.test(to) ? (`\x1b]8;;${to}\x1b\\${text}\x1b]8;;\x1b\\` as SafeText) : text,
  up: (rows: number): SafeText => (rows > 0 ? (`\x1b[${rows}A` as SafeText) : ("" as SafeText)),
  down: (rows: number): SafeText => (rows > 0 ? (`\x1b[${rows}B` as SafeText) : ("" as SafeText)),
  /** From 0. */
  column: (at: number): SafeText => (at === 0 ? ("\r" as SafeText) : (`\x1b[${at + 1}G` as SafeText)),
  /** OSC 9;4: a task is under way, or none is. */
  progress: (busy: boolean): SafeText => `\x1b]9;4;${busy ? "3" : "0"};\x07` as SafeText,
  /** OSC 777 is the one that most terminals show and none types back. */
  notify: (title: SafeText, body: SafeText): SafeText =>
    `\x1b]777;notify;${title.replace(/[;\n]/g, " ")};${body.replace(/[;\n]/g, " ")}\x07` as SafeText,
  /** Asks for a status report, which comes behind whatever was typed before. */
  askReport: "\x1b[5n" as SafeText,
  /** A picture of kitty's or iTerm's protocol, or nothing: its data are base64, and all else is letters and numbers. */
  picture: (sequence: string): SafeText => (pictures.test(sequence) ? (sequence as SafeText) : ("" as SafeText)),
  title: (text: SafeText): SafeText => `\x1b]2;${text.replace(/\n/g, " ")}\x07` as SafeText,
  ...({
    newLine: "\r\n",
    clearLine: "\x1b[2K",
    clearRight: "\x1b[K",
    clearBelow: "\x1b[J",
    beginFrame: "\x1b[?2026h",
    endFrame: "\x1b[?2026l",
    hideCursor: "\x1b[?25l",
    showCursor: "\x1b[?25h",
    saveCursor: "\x1b7",
    backToCursor: "\x1b8",
    pasteOn: "\x1b[?2004h",
    pasteOff: "\x1b[?2004l",
    keysOn: "\x1b[>1u",
    keysOff: "\x1b[<u",
    otherScreen: "\x1b[?1049h\x1b[H",
    ownScreen: "\x1b[?1049l",
    home: "\x1b[H",
    bell: "\x07",
  } as Record<TerminalWord, SafeText>),
} as const;

const pictures =
  /^(?:(?:\x1b_G[a-zA-Z0-9=,]+;[A-Za-z0-9+/=]*\x1b\\)+|\x1b\]1337;File=[a-zA-Z0-9=;]+:[A-Za-z0-9+/=]*\x07)$/;

type TerminalWord =
  | ("newLine" | "clearLine" | "clearRight" | "clearBelow" | "beginFrame" | "endFrame" | "hideCursor" | "showCursor")
  | ("saveCursor" | "backToCursor")
  | ("pasteOn" | "pasteOff" | "keysOn" | "keysOff" | "otherScreen" | "ownScreen" | "home" | "bell");

/** Safe pieces one after the other. */
export function together(...pieces: readonly SafeText[]): SafeText {
  return pieces.join("") as SafeText;
}

/** A joiner between two pictographs makes one picture of them and hides nothing. */
function joins(unit: string, at: number, whole: string): boolean {
  return (
    unit === "\u200d" &&
    joined.test(whole.slice(Math.max(0, at - lookBack), at)) &&
    pictograph.test(whole.slice(at + 1))
  );
}

function escaped(unit: string): string {
  return `\\u{${(unit.codePointAt(0) ?? 0).toString(16)}}`;
}
