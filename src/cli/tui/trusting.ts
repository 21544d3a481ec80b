// Asks about a project whose own instructions or programs were left out when the session was opened, and opens it anew after a yes.

import type { Desk } from "../desk.js";
import type { App } from "./app.js";
import { TrustDialog } from "./dialogs/trust.js";

/** Resolves when the question is put, or there is none. */
export async function askTrust(app: App, desk: Desk): Promise<void> {
  const { trust, ignored } = desk.session.init;
  if (trust !== "untrusted" || ignored.length === 0) return;
  const shown = await desk.harness.trust.status();
  const dialog = new TrustDialog(shown, (yes) => {
    app.answered(dialog);
    if (yes) void app.do(() => approve(desk, shown));
    else app.say(notNow);
  });
  app.ask(dialog);
}

const notNow =
  "Not trusted for now: its files are data. /trust project shows them again, with the word that trusts them.";

async function approve(desk: Desk, shown: Awaited<ReturnType<Desk["harness"]["trust"]["status"]>>): Promise<string> {
  const told = await desk.harness.trust.approve(shown);
  await desk.reopen({});
  return [...(told === null ? [] : [told]), "Trusted: its instructions and programs count from here on."].join("\n");
}
