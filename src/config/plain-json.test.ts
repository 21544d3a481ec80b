import fc from "fast-check";
import { expect, test } from "vitest";
import { locateText } from "./located.js";
import { locatePlain } from "./plain-json.js";

/** What the parser of JSON with comments makes of it; an empty comment is what plain JSON has not. */
const parsed = async (text: string) => (await locateText(`${text}/**/`)).root;

test("the tree is the parser's, lines and all, for whatever is plain JSON", async () => {
  const indents = fc.constantFrom(undefined, 1, "\t");
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), indents, async (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(locatePlain(text, 64)).toEqual(await parsed(text));
    }),
  );
});

test.each([
  '{"a": 1, "a": 2,\n"__proto__": {"b": null}}',
  '\r\n { "quote\\"d" :\r\n [ ] , "\\\\": [[], {},\n\n-1.5e3, true ] } \n',
  '{"key, with: {signs}": "and \\n [more], ä😀"}',
])("keys twice, line ends, signs in strings: %j", async (text) => {
  expect(locatePlain(text, 64)).toEqual(await parsed(text));
});

test.each(["", "{", '{"a": 1,}', '{"a": 1} // note', "{'a': 1}"])("what is no plain JSON is not taken: %j", (text) => {
  expect(locatePlain(text, 64)).toBeNull();
});

test("nesting is bounded where the parser bounds it", async () => {
  const nested = (depth: number) => `{"a": ${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  for (const depth of [63, 64, 65, 66]) {
    expect(locatePlain(nested(depth), 64), `${depth}`).toEqual(await parsed(nested(depth)));
  }
  expect(locatePlain(nested(50_000), 64)).toBeNull();
});
