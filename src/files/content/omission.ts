// Whether a comment says that something is left out, and nothing else. Pure, phrases only: one comment, no language, no place.
// A phrase is first reduced to classes of words, so that the patterns stay short: N any noun for a part of a file, W for the
// whole of something, C code, I implementation, S "unchanged" or "omitted", B "omitted for brevity", L "here" or "below".
// Invariant: patterns cover the whole comment. A sentence that merely contains the words never matches.

export interface Omission {
  /** False: an honest comment elsewhere; only as the whole content of a block it stands for left-out code. */
  sure: boolean;
  /** It has an ellipsis or brackets as its sign. */
  marked: boolean;
}

const classes: Readonly<Record<string, string>> = {
  C: "code codebase logic functionality",
  I: "implementation impl",
  W: "file component class module program script function functions method methods page template stylesheet styles css html markup",
  N: "files implementations classes components contents content body bodies modules scripts section sections document imports import exports export rules rule tests test cases case routes route handlers handler props properties fields field types type definitions definition config configuration options option data items item entries entry elements element lines setup statements declarations variables keys values endpoints queries hooks state helpers utilities parameters arguments features part parts",
};
const linkedEnding =
  /\b(?:(?:is|are|was|were|remains?|stays?|goes|go|continues?|left|kept|been|has|have|be|and) )*([SBL])$/;
const forBrevity =
  /(?:omitted|elided|left out|removed|truncated|shortened|skipped) for (?:brevity|clarity|readability|space|simplicity|conciseness)$/;
const same =
  /(?:unchanged|unmodified|untouched|(?:the )?same as (?:before|above|previously|(?:in )?the original)|the same|as[ -]is|as before|omitted|elided|snipped|truncated|abbreviated|left out|not shown)(?: here| below| above)?(?: (?:for|due to|because of) [a-z]+)?$/;
const place = /(?:here|below|above|continues|follows)$/;

const lead = "(?:(?:and|the|your|our|my|all|any|keep|leave|with|include|of|other|more|some|this|that|these) )*";
const kept = "(?:existing|previous|original|remaining|current|other|old|more|additional|further|unchanged|omitted)";
const noun = "(?:\\w+ ){0,2}[NWCI]";

/** With an ellipsis before or after them. */
const elliptic = compile(
  `${lead}(?:rest|remainder) of (?:\\S+ ?){1,6}`,
  "(?:the )?rest [WCISBL]",
  `${lead}${kept} ${noun}(?: [SBL])?`,
  `${lead}(?:existing|previous|original|remaining) (?:\\w+ ?){1,3}(?: [SBL])?`,
  `${lead}${noun} [SB]`,
  "(?:more )?[CISBL]",
);
/** As they are. */
const plain = compile(
  "(?:the )?(?:rest|remainder) of (?:(?:the|this|your|our|my|existing|original|current|previous) )*(?:\\w+ ){0,2}[WCI](?: [SBL])?",
  "(?:the )?(?:rest|remainder) of (?:\\S+ ){1,4}[SBL]",
  "(?:the )?(?:rest|remainder)(?: of it| [CI])? [SB]",
  `${lead}(?:existing|previous|original|remaining|other) ${noun} [SBL]`,
  "(?:the )?(?:existing|remaining|unchanged|omitted) [CI]",
  "(?:the )?(?:[CIW]|W N) [SB]",
  "(?!for )(?:\\S+ ){1,3}B",
  "I L",
  "snip(?:ped)?|C snipped",
);
/** Honest beside code. */
const doubtful = compile(
  "S|C L|(?:the )?same|[CI]|continued",
  "no changes?(?: needed)?(?: L)?",
  `${lead}${kept} ${noun}`,
);
const tagged = /^[<[](?:unchanged|omitted|snip|same as before|rest unchanged|existing code)[>\]]$/;

/** Words without one of which nothing is an omission. */
export const omissionHint =
  /\brest\b|remainder|remaining|existing|omitted|elided|unchanged|unmodified|\bsnip|same as|as before|as[ -]is\b|not shown|left out|for brevity|implementation|\bprevious |no change|(?:\.{3}|…)\s*(?:more|other|additional|code|same)|(?:code|more) ?(?:\.{3}|…)|\bother [\w ]{0,120}(?:\.{3}|…)/i;

const longest = 120;
let byWord: Map<string, string> | undefined;

/** `comment`: what stands between the delimiters. Null when it says anything else. */
export function omission(comment: string): Omission | null {
  if (comment.length > longest || !omissionHint.test(comment) || /^(?:\/\/|#)/.test(comment)) return null;
  const text = comment
    .toLowerCase()
    .replaceAll("…", "...")
    .replace(/8<|>8|\s+/g, " ")
    .trim();
  if (tagged.test(text)) return { sure: true, marked: true };
  const core = text.replace(/^[^a-z0-9]+/, "").replace(/[^a-z0-9]+$/, "");
  const from = text.indexOf(core);
  const marked = text.slice(0, from).includes("...") || text.slice(from + core.length).includes("...");
  const said = reduced(core.replace(/[()[\]]/g, "").replace(/\s*(?:[,;:.–—]| -+ )\s*/g, " "));
  if ((marked && elliptic.test(said)) || plain.test(said)) return { sure: true, marked };
  return doubtful.test(said) ? { sure: false, marked } : null;
}

/** The phrase with classes in the place of words and endings. */
function reduced(phrase: string): string {
  byWord ??= new Map(
    Object.entries(classes).flatMap(([name, words]) => words.split(" ").map((word) => [word, name] as const)),
  );
  const known = byWord;
  const ended = phrase.replace(forBrevity, "B").replace(same, "S").replace(place, "L");
  return ended.replace(/[a-z]+/g, (word) => known.get(word) ?? word).replace(linkedEnding, "$1");
}

function compile(...alternatives: string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join("|")})$`);
}
