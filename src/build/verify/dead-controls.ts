// Buttons and forms of a page that do nothing: an expression that is run in the page, and finds them without a click.
// Invariants: nothing is sent but GET requests for the page itself; a control is told only when nothing up to the window listens
// to it (so one that hands its events up is heard) and the browser does nothing with it by itself.

/** Its value is a JSON text: a sentence for each. Needs the console's own functions, for `getEventListeners`. */
export const deadControls = String.raw`(async () => {
  const most = 5;
  // The console takes it back with the first wait.
  const listenersOf = getEventListeners;
  const presses = /^(?:click|dblclick|(?:mouse|pointer)(?:down|up)|touch(?:start|end)|command)$/;
  const sends = /^(?:submit|formdata)$/;
  const listens = (at, types) => Object.keys(listenersOf(at)).some((type) => types.test(type));
  const isHeard = (element, types) => {
    for (let at = element; at; at = at.parentNode ?? at.host) if (listens(at, types)) return true;
    return listens(window, types) || [...element.querySelectorAll("*")].some((each) => listens(each, types));
  };
  const isSeen = (element) => element.checkVisibility() && !element.closest("[inert], [aria-disabled=true]");
  const nameOf = (element) => JSON.stringify((element.innerText || element.value || element.ariaLabel || element.id || "").trim().slice(0, 60));
  const hasWork = ["popovertarget", "commandfor", "command", "formaction", "is"];
  const isDead = (button) =>
    isSeen(button) && !button.matches(":disabled") && !hasWork.some((name) => button.hasAttribute(name)) &&
    !(button.form && button.type !== "button") && !button.closest("a[href], summary, label, select") && !isHeard(button, presses);
  const buttons = [...document.querySelectorAll("button, input[type=button]")].filter(isDead);
  const text = async (url) => (await fetch(url, { signal: AbortSignal.timeout(3000) })).text();
  /** Filled in and sent it is the same page again, and no script reads what was sent. */
  const comesToNothing = async (form) => {
    const to = new URL(location.href);
    for (const { name } of form.elements) if (name) to.searchParams.set(name, "cinch");
    const loaded = performance.getEntriesByType("resource").filter(({ initiatorType, name }) => initiatorType === "script" || /\.m?js$/.test(name));
    const scripts = [...document.scripts].map((each) => each.text);
    for (const { name } of loaded) scripts.push(await text(name));
    if (scripts.some((each) => /location\b|URLSearchParams|searchParams|document\.URL/.test(each))) return false;
    const before = await text(location.href);
    return before === (await text(to)) && before === (await text(location.href));
  };
  const forms = [];
  for (const form of document.forms) {
    const own = [...form.elements];
    const goes = form.hasAttribute("action") || form.hasAttribute("method") || own.some((each) => each.hasAttribute("formaction"));
    const submits = own.some((each) => /^(?:submit|image)$/.test(each.type)) || own.filter((each) => each.tagName === "INPUT").length === 1;
    if (goes || !submits || !isSeen(form) || isHeard(form, sends) || own.some((each) => isHeard(each, presses))) continue;
    if (await comesToNothing(form).catch(() => false)) forms.push(form);
  }
  return JSON.stringify([
    ...buttons.slice(0, most).map((each) => "the button " + nameOf(each) + " does nothing: no script listens for a click on it, or on anything around it"),
    ...forms.slice(0, most).map((each) => "the form " + JSON.stringify(each.id || each.name || "") + " has no action, and no script listens for its submit event: sending it only loads the same page again"),
  ]);
})()`;
