// The programs that hand out the clipboard are small ones of the test, first in the path: what they are asked, what is taken of it.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clipboardImage } from "./clipboard.js";

function place(programs: Readonly<Record<string, string>>, env: Record<string, string>, platform = "linux") {
  const cwd = mkdtempSync(join(tmpdir(), "clipboard-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o700);
  }
  return { cwd, platform, env: { PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin`, ...env } };
}

const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString();

test("the program of the desktop is asked for an image, and sees nothing else of the environment", async () => {
  const tell = 'printf "%s|" "$0" "$@" "$SECRET" | sed "s#.*/bin/##"';
  const all = { "wl-paste": tell, xclip: tell, pngpaste: tell };
  const wayland = place(all, { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0", SECRET: "x" });
  expect(text(await clipboardImage(wayland))).toBe("wl-paste|--type|image/png||");
  expect(text(await clipboardImage(place(all, { DISPLAY: ":0" })))).toBe(
    "xclip|-selection|clipboard|-t|image/png|-o||",
  );
  expect(text(await clipboardImage(place(all, {}, "darwin")))).toBe("pngpaste|-||");
});

test("one that fails, says nothing or is not there is passed over", async () => {
  const env = { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" };
  expect(text(await clipboardImage(place({ "wl-paste": "echo no; exit 1", xclip: "printf image" }, env)))).toBe(
    "image",
  );
  expect(text(await clipboardImage(place({ "wl-paste": ":", xclip: "printf image" }, env)))).toBe("image");
  const none = place({}, env);
  expect(await clipboardImage({ ...none, env: { ...env, PATH: join(none.cwd, "bin") } })).toBeNull();
  expect(await clipboardImage(place({ xclip: "printf image" }, {}))).toBeNull();
});

test("what is far too big is cut off, so that its size can be refused", async () => {
  const bytes = await clipboardImage(place({ xclip: "exec cat /dev/zero" }, { DISPLAY: ":0" }));
  expect(bytes?.length).toBeGreaterThan(8 * 1024 * 1024);
  expect(bytes?.length).toBeLessThan(16 * 1024 * 1024);
});
