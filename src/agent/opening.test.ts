import { describe, expect, it } from "vitest";
import { withoutOpening } from "./opening.js";

const code = "f();\n\n  g();\n";

describe("an answer that goes on from an open fence", () => {
  it.each([
    ["is closed", `\n${code}\`\`\``, code, ""],
    ["is closed with a line end", `\n${code}\`\`\`\n`, code, ""],
    ["is closed with blanks", `\r\n${code}\`\`\`  \n\n`, code, ""],
    ["is not closed", `\n${code}`, code, ""],
    ["keeps a missing line end when not closed", "\nf()", "f()", ""],
    ["keeps the first line's indent", "\n  f();\n```", "  f();\n", ""],
    ["keeps blank lines at both ends", "\n\nf();\n\n```", "\nf();\n\n", ""],
    ["did not go on from it", code, code, ""],
    ["did not go on from it and closes it", `${code}\`\`\``, code, ""],
    ["has a remark behind it", `\n${code}\`\`\`\n\nThis calls f.\n`, code, "This calls f."],
    ["began anew", `\`\`\`js\n${code}\`\`\`\n`, `\`\`\`js\n${code}\`\`\`\n`, ""],
    ["has a pair of fences inside", "\n/*\n```\nx\n```\n*/\n```", "/*\n```\nx\n```\n*/\n", ""],
    ["has a pair of fences inside and is not closed", "\n/*\n```js\nx\n```\n*/\n", "/*\n```js\nx\n```\n*/\n", ""],
    ["ends in a pair of its own", "\n```js\nx\n```\n", "```js\nx\n```\n", ""],
    [
      "has a pair, a closing fence and a remark: in doubt all of it stays",
      "\na\n```\nx\n```\n```\nSo.",
      "a\n```\nx\n```\n```\nSo.",
      "",
    ],
    ["has an indented fence, which closes nothing", "\n  ```\nx\n", "  ```\nx\n", ""],
    ["is only closed", "\n```", "", ""],
    ["is empty", "", "", ""],
  ])("%s", (_, answer, text, remark) => {
    expect(withoutOpening(answer, true)).toEqual({ text, remark });
  });

  it("is taken as far as it goes when it was cut", () => {
    expect(withoutOpening("\nf();\n```\nThe next", false)).toEqual({ text: "f();\n```\nThe next", remark: "" });
    expect(withoutOpening("\nf();\ng();\n", false)).toEqual({ text: "f();\ng();\n", remark: "" });
  });
});
