// What an awk program does: whether it only computes and prints, and which files it names.
// Invariant: only a small language is understood; whatever is outside of it may do anything.

export type AwkProgram = "pure" | "runs" | { files: readonly string[]; known: boolean };

/** Of these some run programs, some open files, some show the environment, and some never end. */
const beyond =
  /[@#\\]|getline|close|fflush|extension|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARGV|ARGC|ARGIND|FILENAME\s*=|while|func|(?<![A-Za-z_])do\b|for\s*\((?!\s*\w+\s+in\s+\w+\s*\)|\s*\w+\s*=\s*\w+\s*;\s*\w+\s*<=?\s*\w+\s*;\s*\w+\+\+\s*\))/;
// Without word boundaries: to awk `$0system("x")` is a field and a call.
const starts = /system|\|(?!\|)/;

export function readAwk(program: string): AwkProgram {
  const parts = withoutTexts(program);
  if (parts === null) return /system|\||getline/.test(program) ? "runs" : { files: texts(program), known: false };
  const { code } = parts;
  if (starts.test(code.replaceAll("||", " "))) return "runs";
  const targets = [...code.matchAll(/(?<!>)>>?(?!=)\s*("?)/g)].filter(({ index }) => isInAction(code, index));
  if (targets.length === 0 && !beyond.test(code)) return "pure";
  return { files: texts(program), known: targets.every(([, quote]) => quote === '"') && !/getline/.test(code) };
}

/** The program with `""` for every text and `0` for every pattern; null when one cannot be told from the other. */
function withoutTexts(program: string): { code: string } | null {
  let code = "";
  for (let at = 0; at < program.length; at++) {
    const char = program.charAt(at);
    if (char === '"') {
      const [text] = /^"(?:[^"\\\n]|\\[^\n])*"/.exec(program.slice(at)) ?? [];
      if (text === undefined) return null;
      code += '""';
      at += text.length - 1;
    } else if (char === "/") {
      // A division has nothing between two slashes that a pattern must not have either.
      const end = program.indexOf("/", at + 1);
      const inner = end < 0 ? "" : program.slice(at + 1, end);
      if (/["{}#\n@;]|\\$|\[[^\]]*$|system|getline|print/.test(inner)) return null;
      const isPattern = inner.includes("|") || inner.includes(">");
      code += end < 0 ? "/" : isPattern ? patternOnly(code) : ` ${inner.replace(/\\./g, " ")} `;
      if (code.endsWith("\0")) return null;
      at = end < 0 ? at : end;
    } else code += char;
  }
  return { code };
}

/** Where only a pattern can stand, what is in it is no code. */
function patternOnly(before: string): string {
  return /(^|[{(,;!~&|\n]|&&|\|\|)\s*$/.test(before) ? " 0 " : "\0";
}

function isInAction(code: string, at: number): boolean {
  const before = code.slice(0, at);
  return (before.match(/\{/g) ?? []).length > (before.match(/\}/g) ?? []).length;
}

function texts(program: string): string[] {
  return [...program.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text);
}
