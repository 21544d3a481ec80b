// highlight.js with the languages people ask agents about. Loaded after the first frame (highlight.ts).
// JavaScript, because the package's own types bring all of the browser's into this program; grammars.d.ts is what we need.

import core from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = { bash, c, cpp, csharp, css, diff, go, java, javascript, json, markdown, php, python, ruby, rust };

for (const [name, grammar] of Object.entries({ ...languages, sql, typescript, xml, yaml })) {
  core.registerLanguage(name, grammar);
}

/** HTML with classes, and whether nothing is open at its end; null for a language that is not here. */
export function highlighted(text, language) {
  if (!core.getLanguage(language)) return null;
  const { value, _top: mode } = core.highlight(text, { language, ignoreIllegals: true });
  return { html: value, closed: mode.parent === undefined };
}
