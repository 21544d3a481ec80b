// A Pomodoro timer. Everything stays in this browser: settings, tasks and statistics live in localStorage.
//   state   what is saved; changed only by the functions of its section, then `save()` and `render()`
//   timer   counts towards a moment in time, not in ticks, so a sleeping tab or laptop loses nothing
"use strict";

const storageKey = "pomodoro.v1";
const modes = ["focus", "short", "long"];
const labels = { focus: "Focus", short: "Short break", long: "Long break" };

const defaultSettings = {
  focus: 25,
  short: 5,
  long: 15,
  every: 4,
  autoBreak: false,
  autoFocus: false,
  notify: false,
  sound: true,
  volume: 60,
};

const limits = { focus: [1, 180], short: [1, 60], long: [1, 120], every: [1, 12], volume: [0, 100] };

const $ = (id) => document.getElementById(id);

// --- State -----------------------------------------------------------------------------------------------------------

/** A whole number within [low, high], or `otherwise` when `value` is no number at all. */
function within(value, [low, high], otherwise) {
  const number = Math.round(Number(value));
  if (!Number.isFinite(number)) return otherwise;
  return Math.min(high, Math.max(low, number));
}

/** Settings that are complete and within their limits, whatever was stored. */
function cleanSettings(stored) {
  const settings = { ...defaultSettings };
  for (const [name, otherwise] of Object.entries(defaultSettings)) {
    const value = stored?.[name];
    if (value === undefined) continue;
    settings[name] = typeof otherwise === "boolean" ? Boolean(value) : within(value, limits[name], otherwise);
  }
  return settings;
}

function cleanTask(stored) {
  return {
    id: String(stored.id),
    text: String(stored.text).slice(0, 120),
    estimate: within(stored.estimate, [1, 20], 1),
    finished: within(stored.finished, [0, 999], 0),
    done: Boolean(stored.done),
  };
}

/** Completed focus rounds by day: { "2026-01-31": { rounds, minutes } }. */
function cleanDays(stored) {
  const days = {};
  for (const [day, value] of Object.entries(stored ?? {})) {
    if (!/^\d{4}-\d\d-\d\d$/.test(day)) continue;
    days[day] = { rounds: within(value?.rounds, [0, 1e4], 0), minutes: within(value?.minutes, [0, 1e5], 0) };
  }
  return days;
}

/** `endsAt` is set while the timer runs (milliseconds since the epoch); `left` is what counts while it stands. */
function cleanTimer(stored, settings) {
  const mode = modes.includes(stored?.mode) ? stored.mode : "focus";
  const whole = settings[mode] * 60_000;
  return {
    mode,
    round: within(stored?.round, [1, settings.every], 1),
    left: within(stored?.left, [0, whole], whole),
    endsAt: Number.isFinite(stored?.endsAt) ? Math.min(stored.endsAt, Date.now() + whole) : null,
  };
}

/** Null when nothing is stored, or when this browser keeps nothing. */
function storedText() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function load() {
  let stored = {};
  try {
    stored = JSON.parse(storedText()) ?? {};
  } catch {
    announce("The saved data cannot be read; starting afresh.");
  }
  const settings = cleanSettings(stored.settings);
  const tasks = Array.isArray(stored.tasks) ? stored.tasks.filter((task) => task?.text).map(cleanTask) : [];
  return {
    settings,
    tasks,
    chosen: tasks.some((task) => task.id === stored.chosen) ? stored.chosen : null,
    days: cleanDays(stored.days),
    timer: cleanTimer(stored.timer, settings),
  };
}

function save() {
  try {
    localStorage.setItem(storageKey, JSON.stringify(state));
  } catch {
    announce("This browser does not let the timer save anything; it works until the page is closed.");
  }
}

// --- Timer -----------------------------------------------------------------------------------------------------------

const isRunning = () => state.timer.endsAt !== null;
const wholeRound = () => state.settings[state.timer.mode] * 60_000;
const timeLeft = () => (isRunning() ? Math.max(0, state.timer.endsAt - Date.now()) : state.timer.left);

function start() {
  if (isRunning()) return;
  if (state.timer.left <= 0) state.timer.left = wholeRound();
  state.timer.endsAt = Date.now() + state.timer.left;
  announce(`${labels[state.timer.mode]} started, ${spoken(state.timer.left)} left.`);
  changed();
}

function pause() {
  if (!isRunning()) return;
  state.timer.left = timeLeft();
  state.timer.endsAt = null;
  announce(`Paused, ${spoken(state.timer.left)} left.`);
  changed();
}

function toggle() {
  wakeSound();
  if (isRunning()) pause();
  else start();
}

/** Puts the timer at the beginning of a mode, standing still. */
function enter(mode) {
  state.timer.mode = mode;
  state.timer.left = wholeRound();
  state.timer.endsAt = null;
}

function reset() {
  enter(state.timer.mode);
  announce(`${labels[state.timer.mode]} reset.`);
  changed();
}

function choose(mode) {
  if (mode === state.timer.mode) return;
  enter(mode);
  announce(`${labels[mode]}, ${spoken(state.timer.left)}.`);
  changed();
}

/** Which mode follows, and which round that is. A break belongs to the round before it. */
function following({ mode, round }, every) {
  if (mode === "focus") return { mode: round >= every ? "long" : "short", round };
  return { mode: "focus", round: round >= every ? 1 : round + 1 };
}

function advance() {
  const next = following(state.timer, state.settings.every);
  state.timer.round = next.round;
  enter(next.mode);
}

function skip() {
  advance();
  announce(`Skipped. Next: ${labels[state.timer.mode]}.`);
  changed();
}

/** The round ran to its end: count it, tell the user, go on to the next. */
function finish() {
  // Another tab may have been faster; whoever saved first has counted the round.
  const stored = storedText() === null ? state : load();
  if (stored.timer.endsAt !== state.timer.endsAt) {
    state = stored;
    return render();
  }
  const ended = state.timer.mode;
  if (ended === "focus") countRound();
  advance();
  const next = state.timer.mode;
  const goesOn = next === "focus" ? state.settings.autoFocus : state.settings.autoBreak;
  if (goesOn) state.timer.endsAt = Date.now() + state.timer.left;
  const text = `${labels[ended]} is over. ${goesOn ? "Now" : "Next"}: ${labels[next]}.`;
  announce(text);
  notify(text);
  if (state.settings.sound) chime(ended);
  changed();
}

function countRound() {
  const day = dayKey(new Date());
  const before = state.days[day] ?? { rounds: 0, minutes: 0 };
  state.days[day] = { rounds: before.rounds + 1, minutes: before.minutes + state.settings.focus };
  const task = state.tasks.find(({ id }) => id === state.chosen);
  if (task) task.finished += 1;
}

/** Four times a second is smooth enough; the browser slows this down in the background, which does no harm. */
function tick() {
  if (!isRunning()) return;
  if (timeLeft() <= 0) finish();
  else renderTime();
}

// --- Words, sound, notifications -------------------------------------------------------------------------------------

function clock(ms) {
  const seconds = Math.ceil(ms / 1000);
  const pad = (number) => String(number).padStart(2, "0");
  return `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`;
}

function spoken(ms) {
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const parts = [];
  if (minutes > 0) parts.push(minutes === 1 ? "1 minute" : `${minutes} minutes`);
  if (seconds % 60 > 0) parts.push(seconds % 60 === 1 ? "1 second" : `${seconds % 60} seconds`);
  return parts.join(" ") || "no time";
}

/** For screen readers: said once, when it is said. */
function announce(text) {
  $("status").textContent = text;
}

let audio = null;

/** Browsers allow sound only after a gesture of the user, so every gesture that starts something comes through here. */
function wakeSound() {
  const Context = window.AudioContext ?? window.webkitAudioContext;
  if (!Context) return;
  audio ??= new Context();
  if (audio.state === "suspended") audio.resume().catch(() => {});
}

/** Three notes: upwards when a focus round ends, downwards when a break ends. */
function chime(ended) {
  if (!audio) return;
  const notes = ended === "focus" ? [523.25, 659.25, 783.99] : [783.99, 659.25, 523.25];
  const loudness = (state.settings.volume / 100) ** 2 * 0.5;
  if (loudness === 0) return;
  notes.forEach((frequency, index) => {
    const begin = audio.currentTime + index * 0.22;
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.type = "sine";
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(loudness, begin + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.0001, begin + 0.9);
    tone.connect(gain).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + 1);
  });
}

function notify(text) {
  if (!state.settings.notify || !("Notification" in window) || Notification.permission !== "granted") return;
  new Notification("Pomodoro", { body: text, tag: "pomodoro" });
}

/** Asks for permission when the user switches notifications on; false when the browser says no. */
async function mayNotify() {
  if (!("Notification" in window)) return false;
  if (Notification.permission === "default") await Notification.requestPermission();
  return Notification.permission === "granted";
}

// --- Tasks -----------------------------------------------------------------------------------------------------------

function addTask(text, estimate) {
  const id = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  state.tasks.push(cleanTask({ id, text: text.trim(), estimate, finished: 0, done: false }));
  state.chosen ??= id;
  changed();
}

function setDone(id, done) {
  for (const task of state.tasks) if (task.id === id) task.done = done;
  if (done && state.chosen === id) state.chosen = state.tasks.find((task) => !task.done)?.id ?? null;
  changed();
}

function chooseTask(id) {
  state.chosen = state.chosen === id ? null : id;
  changed();
}

function removeTasks(unwanted) {
  state.tasks = state.tasks.filter((task) => !unwanted(task));
  if (!state.tasks.some((task) => task.id === state.chosen)) state.chosen = null;
  changed();
}

// --- Statistics ------------------------------------------------------------------------------------------------------

/** The local day, because "today" is the user's today. */
function dayKey(date) {
  const pad = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

function daysAgo(count) {
  const date = new Date();
  date.setHours(12, 0, 0, 0);
  date.setDate(date.getDate() - count);
  return date;
}

const roundsOn = (date) => state.days[dayKey(date)]?.rounds ?? 0;

/** Days in a row with at least one round; a day that has only begun does not break it. */
function streak() {
  let count = roundsOn(daysAgo(0)) > 0 ? 1 : 0;
  for (let ago = 1; roundsOn(daysAgo(ago)) > 0; ago += 1) count += 1;
  return count;
}

// --- Showing ---------------------------------------------------------------------------------------------------------

function changed() {
  save();
  render();
}

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function renderTime() {
  const left = timeLeft();
  const text = clock(left);
  $("time").textContent = text;
  $("hand").style.strokeDashoffset = String(1000 * (1 - left / wholeRound()));
  const fresh = !isRunning() && left === wholeRound();
  document.title = fresh ? "Pomodoro timer" : `${isRunning() ? "" : "⏸ "}${text} · ${labels[state.timer.mode]}`;
}

function renderTimer() {
  const { mode, round } = state.timer;
  document.body.dataset.mode = mode;
  for (const button of document.querySelectorAll("[data-mode-button]")) {
    button.setAttribute("aria-pressed", String(button.dataset.modeButton === mode));
  }
  $("toggle").textContent = isRunning() ? "Pause" : state.timer.left < wholeRound() ? "Resume" : "Start";
  $("round").textContent = `Round ${round} of ${state.settings.every}`;
  const task = state.tasks.find(({ id }) => id === state.chosen);
  $("now").textContent = mode === "focus" ? (task?.text ?? "No task chosen") : "Time for a break";
  renderTime();
}

function taskRow(task) {
  const box = element("input", { type: "checkbox", checked: task.done });
  box.setAttribute("aria-label", `Finished: ${task.text}`);
  box.addEventListener("change", () => setDone(task.id, box.checked));
  const name = element("button", { type: "button", className: "choose", textContent: task.text });
  name.setAttribute("aria-pressed", String(task.id === state.chosen));
  name.title = "Work on this task";
  name.addEventListener("click", () => chooseTask(task.id));
  const count = element("span", { className: "count", textContent: `${task.finished}/${task.estimate}` });
  count.title = "Finished and estimated pomodoros";
  const remove = element("button", { type: "button", className: "quiet", textContent: "×" });
  remove.setAttribute("aria-label", `Delete: ${task.text}`);
  remove.addEventListener("click", () => {
    removeTasks(({ id }) => id === task.id);
    $("task-text").focus();
  });
  const row = element("li", { className: task.done ? "task done" : "task" }, box, name, count, remove);
  row.dataset.id = task.id;
  return row;
}

/** Rebuilds the list and puts the focus back to where the keyboard user was. */
function renderTasks() {
  const list = $("task-list");
  const row = document.activeElement?.closest?.(".task");
  const place = row ? [...row.children].indexOf(document.activeElement) : -1;
  list.replaceChildren(...state.tasks.map(taskRow));
  if (row) list.querySelector(`[data-id="${row.dataset.id}"]`)?.children[place]?.focus();
  $("task-empty").hidden = state.tasks.length > 0;
  $("clear-done").hidden = !state.tasks.some((task) => task.done);
}

function renderStatistics() {
  const today = state.days[dayKey(new Date())] ?? { rounds: 0, minutes: 0 };
  $("stat-today").textContent = String(today.rounds);
  $("stat-minutes").textContent = String(today.minutes);
  $("stat-streak").textContent = String(streak());
  $("stat-total").textContent = String(Object.values(state.days).reduce((sum, { rounds }) => sum + rounds, 0));
  const week = [6, 5, 4, 3, 2, 1, 0].map(daysAgo);
  const most = Math.max(1, ...week.map(roundsOn));
  const bars = week.map((date) => {
    const rounds = roundsOn(date);
    const pillar = element("div", { className: "pillar" });
    pillar.style.setProperty("--share", String(rounds / most));
    const name = date.toLocaleDateString(undefined, { weekday: "short" });
    return element("li", {}, element("span", { textContent: String(rounds) }), pillar, element("span", { textContent: name }));
  });
  $("chart").replaceChildren(...bars);
}

function render() {
  renderTimer();
  renderTasks();
  renderStatistics();
}

// --- Settings --------------------------------------------------------------------------------------------------------

function openSettings() {
  const form = $("settings-form");
  for (const [name, value] of Object.entries(state.settings)) {
    const field = form.elements[name];
    if (field.type === "checkbox") field.checked = value;
    else field.value = String(value);
  }
  $("settings").showModal();
}

function settingsInForm() {
  const form = $("settings-form");
  const entries = Object.keys(defaultSettings).map((name) => {
    const field = form.elements[name];
    return [name, field.type === "checkbox" ? field.checked : field.value];
  });
  return cleanSettings(Object.fromEntries(entries));
}

async function saveSettings() {
  const untouched = !isRunning() && state.timer.left === wholeRound();
  state.settings = settingsInForm();
  if (state.settings.notify && !(await mayNotify())) {
    state.settings.notify = false;
    announce("This browser does not allow notifications.");
  }
  state.timer.round = Math.min(state.timer.round, state.settings.every);
  // A round that has not begun takes the new length; one that has keeps its end, as far as the new length allows.
  if (untouched) state.timer.left = wholeRound();
  else state.timer = cleanTimer({ ...state.timer, left: timeLeft() }, state.settings);
  changed();
}

// --- Keys and start --------------------------------------------------------------------------------------------------

const shortcuts = {
  " ": toggle,
  r: reset,
  s: skip,
  1: () => choose("focus"),
  2: () => choose("short"),
  3: () => choose("long"),
  n: () => $("task-text").focus(),
  ",": openSettings,
  "?": () => $("help").showModal(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select")) return;
  // Space on a button already presses that button.
  if (event.key === " " && event.target.closest("button, a")) return;
  const action = shortcuts[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
}

function listen() {
  const onClick = (id, action) => $(id).addEventListener("click", action);
  onClick("toggle", toggle);
  onClick("reset", reset);
  onClick("skip", skip);
  onClick("open-settings", openSettings);
  onClick("open-help", () => $("help").showModal());
  onClick("cancel-settings", () => $("settings").close());
  onClick("clear-done", () => removeTasks((task) => task.done));
  onClick("clear-stats", () => {
    if (!window.confirm("Clear all statistics?")) return;
    state.days = {};
    changed();
  });
  onClick("try-sound", () => {
    wakeSound();
    chime("focus");
  });
  for (const button of document.querySelectorAll("[data-mode-button]")) {
    button.addEventListener("click", () => choose(button.dataset.modeButton));
  }
  $("settings-form").addEventListener("submit", saveSettings);
  $("task-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!$("task-text").value.trim()) return;
    addTask($("task-text").value, $("task-estimate").value);
    event.target.reset();
    $("task-text").focus();
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("visibilitychange", tick);
  window.addEventListener("storage", (event) => {
    if (event.key !== storageKey && event.key !== null) return;
    state = load();
    render();
  });
}

let state = load();
listen();
render();
tick();
setInterval(tick, 250);
