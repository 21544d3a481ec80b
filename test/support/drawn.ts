// A screen of the emulator as text that can be kept and compared: its rows, and below them which cells are not plain.
//   row column length style     (style: colour 0 to 15 and letters: b bold, d dim, u underlined, r reversed)

import type { Emulator } from "./app.js";

type Cell = NonNullable<
  ReturnType<NonNullable<ReturnType<Emulator["terminal"]["buffer"]["active"]["getLine"]>>["getCell"]>
>;

export async function drawn(tty: Emulator): Promise<string> {
  const rows = await tty.screen();
  const { active } = tty.terminal.buffer;
  const styles: string[] = [];
  for (const at of rows.keys()) {
    const line = active.getLine(active.baseY + at);
    let run = { style: "", from: 0 };
    for (let column = 0; column <= tty.terminal.cols; column++) {
      const cell = column < tty.terminal.cols ? line?.getCell(column) : undefined;
      const style = cell ? styleOf(cell) : "";
      if (style === run.style) continue;
      if (run.style !== "") styles.push(`${at} ${run.from} ${column - run.from} ${run.style}`);
      run = { style, from: column };
    }
  }
  const { columns } = tty.size();
  return [`${columns} columns, ${rows.length} rows`, ...rows, "styles", ...styles, ""].join("\n");
}

function styleOf(cell: Cell): string {
  const colour = cell.isFgDefault() ? "" : String(cell.getFgColor());
  const letters = [
    cell.isBold() ? "b" : "",
    cell.isDim() ? "d" : "",
    cell.isUnderline() ? "u" : "",
    cell.isInverse() ? "r" : "",
  ];
  return colour + letters.join("");
}
