// /preview: starts what the project shows to a browser, on this machine's own address; `status` asks it, `stop` ends it.
// Its command is asked about like every other one, and ends with Cinch unless detached.

import type { PreviewStatus } from "../../build/ports.js";
import { previewsOf } from "../../build/preview/of-project.js";
import { UserError } from "../../core/errors.js";
import { defineSlash } from "./slash.js";

export default defineSlash({
  name: "preview",
  usage: "[status | stop | detach]",
  doc: "Starts the application on this machine's own address; status asks it, stop ends it, detach starts it to stay",

  async run({ harness, session, argument, signal }) {
    const previews = previewsOf(harness, session);
    if (argument === "status") return { text: previewText(await previews.status()) };
    if (argument === "stop") return { text: previewText(await previews.stop()) };
    if (argument !== "" && argument !== "detach")
      throw new UserError(`/preview does not know ${JSON.stringify(argument)}.`, "It knows: status, stop, detach.", 1);
    const shown = await previews.start({ detach: argument === "detach" }, signal);
    if (shown.state === "healthy") return { text: previewText(shown) };
    throw new UserError(previewText(shown), undefined, 1);
  },
});

function previewText({ state, url, stack, what }: PreviewStatus): string {
  return stack === null ? what : `${url} (${stack}) is ${state}. ${what}`;
}
