// The ways in which one secret is written: as it is, percent-encoded, inside a JSON string, and in base64, whose letters
// depend on where in three bytes it begins. Pure.
// Invariant: no form is shorter than 8 characters, so that nothing is taken for a secret by accident.

const shortest = 8;

export function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const percent = percentEncoded(value);
  const forms = [value, json, percent, percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())];
  forms.push(percent.replaceAll("%20", "+"));
  for (const base64 of [0, 1, 2].map((before) => inBase64(value, before))) {
    forms.push(base64, base64.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...new Set(forms)].filter((form) => form.length >= shortest);
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
