// The ways in which one secret is written: as it is, percent-encoded, inside a JSON string (as several writers of JSON escape it), and in base64, whose letters
// depend on where in three bytes it begins. Pure.
// Invariant: no form is shorter than 8 characters, so that nothing is taken for a secret by accident.

const shortest = 8;

export function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const percent = percentEncoded(value);
  const forms = [value, ...jsonForms(json), percent, percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())];
  forms.push(percent.replaceAll("%20", "+"));
  for (const base64 of [0, 1, 2].map((before) => inBase64(value, before))) {
    forms.push(base64, base64.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}

/** Writers of JSON differ in what they escape beside what they must. */
function jsonForms(json: string): string[] {
  const slashed = json.replaceAll("/", "\\/");
  const coded = (text: string, which: RegExp) =>
    text.replace(which, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const all = [json, slashed].flatMap((text) => [text, coded(text, /[&<>]/g), coded(text, /[&<>'+=`]/g)]);
  const ascii = all.flatMap((text) => [text, coded(text, /[\u0080-\uffff]/g)]);
  return ascii.flatMap((text) => [
    text,
    text.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`),
  ]);
}

function percentEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half a surrogate pair has no encoding.
    return value;
  }
}

/** The letters that the value alone decides when `before` bytes of something else stand before it. */
function inBase64(value: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value, "utf8")]);
  const first = Math.ceil((before * 8) / 6);
  return bytes.toString("base64").slice(first, Math.floor((bytes.length * 8) / 6));
}
