// Pictures of the terminal for README.md and docs/, made of the golden screens (test/golden-screens) and of nothing else:
// `node scripts/screens.mjs` writes docs/screens/*.svg, `--check` fails when they do not show what is there.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const shown = ["question-80", "answer-80"];
const root = new URL("..", import.meta.url);

const [cellWidth, rowHeight, margin] = [8.4, 18, 14];
const plain = "#d4d7dd";
const background = "#16181d";
// The sixteen colours of a terminal.
const palette = [
  ...["#16181d", "#e5736f", "#8cc570", "#d9b45b", "#6ea3e8", "#c58ae0", "#5cc0c7", plain],
  ...["#7b818c", "#f08a86", "#a5d98b", "#eecb76", "#8bb9f5", "#d8a5f0", "#7ad6dc", "#ffffff"],
];

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function attributesOf(style) {
  const [, colour, letters] = /^(\d*)([bdur]*)$/.exec(style);
  const fill = colour === "" ? plain : palette[Number(colour)];
  return [
    `fill="${letters.includes("r") ? background : fill}"`,
    letters.includes("b") ? 'font-weight="bold"' : "",
    letters.includes("d") ? 'opacity="0.6"' : "",
    letters.includes("u") ? 'text-decoration="underline"' : "",
  ].filter((each) => each !== "");
}

/** What lies between the styled pieces of a row is plain. */
function piecesOf(row, styles) {
  const pieces = [];
  let at = 0;
  for (const { column, length, style } of styles) {
    pieces.push({ column: at, text: row.slice(at, column), style: "" });
    pieces.push({ column, text: row.slice(column, column + length), style });
    at = column + length;
  }
  return [...pieces, { column: at, text: row.slice(at), style: "" }].filter(({ text }) => text.trim() !== "");
}

function svgOf(golden) {
  const lines = golden.trimEnd().split("\n");
  const [, columns, count] = /^(\d+) columns, (\d+) rows$/.exec(lines[0]).map(Number);
  const rows = lines.slice(1, count + 1);
  const styles = lines.slice(count + 2).map((line) => {
    const [row, column, length, style] = line.split(" ");
    return { row: Number(row), column: Number(column), length: Number(length), style };
  });
  const size = { width: Math.round(columns * cellWidth + 2 * margin), height: count * rowHeight + 2 * margin };
  const drawn = rows.flatMap((row, at) =>
    piecesOf(
      row,
      styles.filter(({ row: own }) => own === at),
    ).map(({ column, text, style }) => {
      const x = (margin + column * cellWidth).toFixed(1);
      const width = (text.length * cellWidth).toFixed(1);
      const y = margin + at * rowHeight + 13;
      const box = style.includes("r")
        ? `<rect x="${x}" y="${y - 13}" width="${width}" height="${rowHeight}" fill="${plain}"/>`
        : "";
      const attributes = attributesOf(style).join(" ");
      return `${box}<text x="${x}" y="${y}" textLength="${width}" xml:space="preserve" ${attributes}>${escaped(text)}</text>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}">`,
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    ...drawn,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

const check = process.argv.includes("--check");
for (const name of shown) {
  const golden = readFileSync(new URL(`test/golden-screens/${name}.txt`, root), "utf8");
  const file = fileURLToPath(new URL(`docs/screens/${name}.svg`, root));
  const svg = svgOf(golden);
  if (!check) writeFileSync(file, svg);
  else if (readFileSync(file, "utf8") !== svg) {
    console.error(`docs/screens/${name}.svg does not show its golden screen: run node scripts/screens.mjs`);
    process.exitCode = 1;
  }
}
