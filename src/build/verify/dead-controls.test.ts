// What a browser finds of buttons and forms that do nothing, and of those that only look so.

import { createServer } from "node:http";
import { expect, onTestFinished } from "vitest";
import { needs } from "../../../test/support/needs.js";
import { nodeFs } from "../../lib/fs.js";
import { freePort } from "../preview/free-port.js";
import { findBrowser } from "./browser.js";
import { lookAt } from "./page.js";

const withBrowser = needs("chromium");
const path = process.env["PATH"] ?? "";

/** Texts of what is found; `answer`: what the server says to a query. */
async function dead(html: string, answer: (query: string) => string = () => ""): Promise<string[]> {
  const port = await freePort(9_800);
  const server = createServer(({ url = "" }, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(html + answer(url.split("?")[1] ?? ""));
  });
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const program = findBrowser(nodeFs, path, "/nowhere") ?? "";
  const url = `http://127.0.0.1:${port}/`;
  const { faults } = await lookAt({ disk: nodeFs, program, path, url, signal: new AbortController().signal });
  return faults.map(({ kind, text }) => `${kind}: ${text.split(":")[0]}`);
}

withBrowser("a button and a form that nobody listens to", async () => {
  const html = `<button id=a>Start</button><button id=b onclick="x = 1">Works</button>
    <form id=add><input name=title><button>Add</button></form><form id=ok><input><button>Ok</button></form>
    <script>document.getElementById("ok").addEventListener("submit", (event) => event.preventDefault())</script>`;
  expect(await dead(html)).toEqual([
    'control: the button "Start" does nothing',
    'control: the form "add" has no action, and no script listens for its submit event',
  ]);
});

withBrowser(
  "no alarm: handlers further up, on window, and in a shadow; what the browser or a server does",
  async () => {
    const html = `<div id=root><button>By its root</button></div>
    <div id=host></div>
    <button disabled>Off</button><button aria-disabled=true>Off</button><button hidden>Unseen</button>
    <button popovertarget=p>Opens</button><div popover id=p>Pop</div>
    <details><summary><button>Within a summary</button></summary></details>
    <a href="/x" class=button role=button>A link</a><a href="/x"><button>In a link</button></a>
    <button id=inner><span>Icon</span></button>
    <form action="/save" method=post><input name=a><button>Save</button><button type=reset>Reset</button></form>
    <form method=post><input name=a><button>Same page</button></form>
    <form><input name=q><button>Search</button></form>
    <dialog open><form method=dialog><button>Close</button></form></dialog>
    <script>
      root.addEventListener("click", () => {});
      inner.firstChild.addEventListener("pointerdown", () => {});
      host.attachShadow({ mode: "open" }).innerHTML = "<button>Shadow</button>";
    </script>`;
    expect(await dead(html, (query) => `found: ${query}`)).toEqual([]);
    expect(await dead("<button>One</button><script>addEventListener('click', () => {})</script>")).toEqual([]);
    const read = "<form><input name=q><button>Go</button></form><script>new URLSearchParams(location.search)</script>";
    expect(await dead(read)).toEqual([]);
  },
);

withBrowser("where something else is wrong first, that is told alone", async () => {
  expect(await dead("<button id=a>Start</button><script>missing(); a.onclick = () => {};</script>")).toEqual([
    "exception: ReferenceError",
  ]);
});
