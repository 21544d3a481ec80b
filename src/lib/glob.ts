// Globs over relative paths, as search tools mean them. Pure.
//   *  any characters but "/"     **  any directories     ?  one character     [ab] [!ab]  a set     {a,b}  alternatives
// A pattern without "/" is matched against the last name, at any depth; with one, against the whole path.

/** A test for paths that use "/" and do not begin with it. */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = glob.replace(/^\.?\/+/, "");
  const expression = new RegExp(`^(?:${translate(pattern)})$`, "su");
  if (pattern.includes("/")) return (path) => expression.test(path);
  return (path) => expression.test(path.slice(path.lastIndexOf("/") + 1));
}

function translate(glob: string): string {
  let out = "";
  let depth = 0;
  for (let i = 0; i < glob.length; ) {
    const rest = glob.slice(i);
    const token = /^(?:\*\*\/|\/\*\*$|\*+|\?|\[[!^]?\]?[^\]/]*\]|\{(?=[^{}]*(?:\{[^{}]*\}[^{}]*)*\})|\\.)/su.exec(
      rest,
    )?.[0];
    const unit = token ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
    i += unit.length;
    if (token === undefined) {
      if (unit === "}" && depth > 0) {
        depth--;
        out += ")";
      } else if (unit === "," && depth > 0) out += "|";
      else out += literal(unit);
    } else if (token === "{") {
      depth++;
      out += "(?:";
    } else out += wildcard(token);
  }
  return out;
}

function wildcard(token: string): string {
  if (token === "**/") return "(?:.*/)?";
  if (token === "/**") return "/.*";
  if (token.startsWith("*")) return token.length > 1 ? ".*" : "[^/]*";
  if (token === "?") return "[^/]";
  if (token.startsWith("\\")) return literal(token.slice(1));
  const negated = /^\[[!^]/.test(token);
  const members = token.slice(negated ? 2 : 1, -1).replace(/[\\\][&~^|]/g, "\\$&");
  return negated ? `[^/${members}]` : `[${members}]`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
