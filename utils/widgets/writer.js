// A language model that writes on: type a beginning, and watch the words come, each with its rivals.

import { bars, button, element, explorer, OWN_KEYS, setter, slider, status, written } from "./drawing.js";

const BETWEEN = 110; // milliseconds between two tokens of a recording
const GREETED = 500; // milliseconds after which a kernel has said whether it has a model
const RANKS = ["the likeliest", "the second likeliest", "the third likeliest", "the fourth likeliest",
  "the fifth likeliest", "not among the five likeliest"];
const PART = "▯"; // stands for a token that is only a part of a letter
const RARE = 0.01; // a token less likely than this is also dashed

const WRITER_STYLE = `
.wr-line { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; }
.ex .wr-line input { flex: 1 1 240px; min-width: 0; font-size: 16px; padding: 5px 10px; }
.ex .wr-line button { min-width: 5.5em; padding: 5px 14px; font-weight: 600; color: #fff;
  background: #0173b2; border-color: #0173b2; }
.ex .wr-line button:disabled { opacity: 0.5; cursor: default; }
.wr-try { display: flex; flex-wrap: wrap; gap: 6px 8px; align-items: center; margin: 8px 0; font-size: 13px; }
.ex .wr-try button { border-radius: 12px; padding: 1px 10px; }
.ex .wr-try button[aria-pressed=true] { border-color: #d55e00; box-shadow: inset 0 0 0 1px #d55e00; }
.ex .wr-knobs { gap: 2px 40px; }
.wr-knobs .ex-control { grid-template-columns: max-content minmax(8em, 16em) 2.5em; flex: 0 1 auto; }
.wr-desk { display: flex; flex-wrap: wrap; gap: 10px 24px; align-items: flex-start; margin-top: 10px;
  padding-top: 12px; border-top: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.wr-paper { flex: 1 1 330px; }
.ex .wr-text { min-height: 9.5em; margin: 0; max-width: 38em; font-size: 17px;
  line-height: 2; white-space: pre-wrap; overflow-wrap: anywhere; }
.wr-given { font-weight: 600; }
.wr-token { padding: 2px 0; margin-right: 1px; border-bottom: 2px solid color-mix(in srgb, currentColor 25%, transparent);
  border-radius: 3px 3px 0 0; cursor: pointer;
  background: color-mix(in srgb, #de8f05 var(--wr-shade), transparent); }
.wr-token.wr-rare { border-bottom: 2px dashed currentColor; }
.wr-token[aria-selected=true] { outline: 2px solid #d55e00; outline-offset: 0; }
.wr-caret { display: inline-block; width: 2px; height: 1.1em; margin-left: 2px; vertical-align: -0.15em;
  background: #0173b2; }
.ex .wr-caret[hidden] { display: none; }
.wr-rivals { flex: 0 0 300px; min-height: 12.6em; }
.wr-rivals th { font-family: ui-monospace, monospace; white-space: pre; max-width: 9.5em; overflow: hidden;
  text-overflow: ellipsis; }
.wr-rivals thead { position: absolute; clip-path: inset(50%); }
.wr-rivals td { white-space: nowrap; }
.wr-rivals table { width: 100%; }
.ex .wr-rivals td:last-child { width: auto; min-width: 90px; }
.ex .wr-rivals th, .ex .wr-rivals td:not(:last-child) { width: 1px; }
.wr-rivals tr[aria-current] { font-weight: bold; }
.wr-rivals tr[aria-current] .ex-bar { background: #d55e00; }
.ex .wr-key { font-size: 12px; line-height: 1.6; margin: 10px 0 0; }
.wr-key span { display: inline-block; width: 6em; height: 0.75em; margin: 0 6px; border-radius: 2px;
  background: linear-gradient(to right, transparent, color-mix(in srgb, #de8f05 60%, transparent));
  border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
.ex .wr-note { max-width: none; font-size: 13px; }
.wr-note:empty { display: none; }
.wr-note::before { content: "▶ "; color: #d55e00; }
.wr-note code { font-size: 12px; }
@media (prefers-reduced-motion: no-preference) {
  .wr-new { animation: wr-come 220ms ease-out; }
  .wr-caret { animation: wr-blink 1s steps(2, jump-none) infinite; }
  @keyframes wr-come { from { opacity: 0; } }
  @keyframes wr-blink { to { opacity: 0.15; } }
}
`;

/** A probability in per cent, with two digits that count. */
function percent(chance) {
  if (chance < 0.0001) return "< 0.01 %";
  return `${written(100 * chance, chance >= 0.0995 ? 0 : chance >= 0.00995 ? 1 : 2)} %`;
}

/** How strongly a token is shaded: not at one half, fully at 1 in 4,000. */
const shadeOf = (chance) => Math.min(60, Math.max(0, 5.5 * (-Math.log2(chance) - 1)));

/** A token with what would not be seen: a space in front of it, or a line's end. */
const visible = (text) => text.replace(/^ /, "␣").replaceAll("\n", "↵").replaceAll("\t", "⇥") || PART;

/**
 * Tokens as a running text, of which one is pointed at, by mouse, or by Tab and the arrow keys.
 *
 * Returns draw(tokens, which one is pointed at). Tokens that are there already stay as they are.
 */
function tokensIn(parent, onPoint) {
  const line = element("span", { role: "listbox", "aria-label": "what was written, token by token",
    "aria-orientation": "horizontal" }, parent);
  let drawn = [];
  const chipOf = ([text, place, likeliest]) => {
    const chance = likeliest[place][1];
    const chip = element("span", { role: "option", class: `wr-token wr-new${chance < RARE ? " wr-rare" : ""}`,
      text: text.replaceAll("\n", "↵\n") || PART, style: `--wr-shade: ${shadeOf(chance).toFixed(1)}%`,
      tabindex: -1, "aria-label": text.trim() ? null : "no letter", ...OWN_KEYS }, line);
    chip.addEventListener("pointerenter", () => onPoint(drawn.indexOf(chip)));
    chip.addEventListener("focus", () => onPoint(drawn.indexOf(chip)));
    return chip;
  };
  const leave = () => {
    const at = drawn.indexOf(line.ownerDocument.activeElement);
    onPoint(at < 0 ? null : at);
  };
  line.addEventListener("pointerleave", leave);
  line.addEventListener("focusout", ({ relatedTarget }) => { if (!line.contains(relatedTarget)) onPoint(null); });
  line.addEventListener("keydown", (event) => {
    const at = drawn.indexOf(event.target);
    const next = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0,
      End: drawn.length - 1 }[event.key];
    if (next === undefined) return;
    drawn[next]?.focus();
    event.preventDefault();
  });
  let shown = [];
  return (tokens, here) => {
    const same = tokens.findIndex((token, n) => token !== shown[n]);
    const kept = same < 0 ? tokens.length : same;
    drawn.splice(kept).forEach((chip) => chip.remove());
    drawn.push(...tokens.slice(kept).map(chipOf));
    shown = [...tokens];
    drawn.forEach((chip, n) => {
      chip.tabIndex = n === here ? 0 : -1;
      chip.setAttribute("aria-selected", n === here);
    });
  };
}

function render({ model, el }) {
  const recordings = model.get("recordings");
  const beginnings = [...new Set(recordings.map(({ beginning }) => beginning))];
  const longestRecorded = Math.max(...recordings.map(({ tokens }) => tokens.length));
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const put = setter(model);

  let live = false; // whether a kernel has a model
  let greeted = false; // whether a kernel has answered
  let text = null; // what is shown: { beginning, temperature, tokens, recording, ended, failed }
  let run = null; // name of the text that the kernel writes
  let asked = null; // name of the text of which a token is on its way
  let texts = 0; // that were begun here; the seed of the draws
  let writing = false;
  let pointed = null; // at which token; null: the newest
  let timer = 0;

  const root = explorer(el, "Writer");
  element("style", { text: WRITER_STYLE }, root);
  const form = element("div", { class: "wr-line" }, root);
  const line = element("input", { type: "text", autocomplete: "off", spellcheck: "false", maxlength: 600,
    "aria-label": "a beginning", placeholder: "a beginning", ...OWN_KEYS }, form);
  line.addEventListener("keydown", ({ key }) => { if (key === "Enter") begin(line.value); });
  line.addEventListener("input", () => update());
  const writeButton = button(form, "Write", () => {
    if (!writing) begin(line.value);
    else {
      text.stopped = true;
      stop();
    }
  });
  const tries = element("div", { class: "wr-try", role: "group", "aria-label": "beginnings to try" }, root);
  element("span", { text: "Try" }, tries);
  const tryButtons = beginnings.map((one) => button(tries, one, () => begin(one)));
  element("span", { text: "then set the temperature to 2." }, tries);
  const knobs = element("div", { class: "ex-row wr-knobs" }, root);
  const showTemperature = slider(knobs, "temperature", [0, 2, 0.1], (value) => {
    put("temperature")(value);
    begin(line.value, asked);
  }, (value) => written(value, 1));
  const showCount = slider(knobs, "tokens", [5, longestRecorded, 5], (count) => {
    put("count")(count);
    if (!writing && text && !text.ended && !text.stopped && text.tokens.length < count) goOn();
    else update();
  });
  const desk = element("div", { class: "wr-desk" }, root);
  const paper = element("div", { class: "wr-paper" }, desk);
  const page = element("p", { class: "wr-text" }, paper);
  const given = element("span", { class: "wr-given" }, page);
  const showTokens = tokensIn(page, (n) => {
    pointed = n;
    update();
  });
  const caret = element("span", { class: "wr-caret", "aria-hidden": "true" }, page);
  const key = element("p", { class: "wr-key" }, paper);
  key.append("likely", element("span", { "aria-hidden": "true" }), "a surprise (dashed: under 1 %)");
  const rivals = element("div", { class: "wr-rivals" }, desk);
  const say = status(root);
  const spoken = root.querySelector("[role=status]"); // but not while it writes
  const note = element("p", { class: "wr-note" }, root);

  const recordingOf = (beginning, temperature) => recordings.find((one) => one.beginning === beginning
    && one.temperature === temperature);

  /** Write on from a beginning. `before` is the text of which a token is still awaited. */
  function begin(beginning, before = null) {
    clearTimeout(timer);
    line.value = beginning;
    put("beginning")(beginning);
    const temperature = model.get("temperature");
    text = { beginning, temperature, tokens: [], recorded: !live, ended: false, stopped: false,
      recording: live ? null : recordingOf(beginning, temperature) };
    run = `${Math.random()}`; // there may be another view of this explorer
    asked = before;
    texts += 1;
    pointed = null;
    if (beginning.trim() && (live || text.recording)) goOn();
    else stop();
  }
  function goOn() {
    writing = true;
    spoken.setAttribute("aria-live", "off");
    next();
    update();
  }
  function stop() {
    clearTimeout(timer);
    writing = false;
    spoken.removeAttribute("aria-live");
    update();
  }
  /** See to it that the next token comes, unless there are enough. */
  function next() {
    const { tokens, recording, beginning, temperature } = text;
    if (!writing) return;
    if (tokens.length >= model.get("count")) stop();
    else if (recording) timer = setTimeout(arrive, tokens.length && BETWEEN, recording.tokens[tokens.length]);
    else if (!asked) {
      asked = run;
      model.send(tokens.length ? { run } : { run, write: [beginning, temperature, texts] });
    }
  }
  function arrive(token) {
    if (token) text.tokens.push(token);
    else {
      text.ended = true;
      stop();
    }
    next();
    update();
  }
  function receive(content) {
    if ("here" in content) {
      [live, greeted] = [content.here, true];
      update();
    } else if (content.run === asked) {
      asked = null;
      if (content.run !== run) next();
      else if (content.failed) {
        text.failed = content.failed;
        stop();
      } else arrive(content.token);
    }
  }

  function update() {
    const [temperature, count] = [model.get("temperature"), model.get("count")];
    const [heat, many] = knobs.querySelectorAll("input");
    heat.step = live ? 0.1 : 1; // the recordings are at 0, 1 and 2
    many.max = live ? model.get("longest") : longestRecorded;
    showTemperature(temperature);
    showCount(count);
    writeButton.textContent = writing ? "Stop" : "Write";
    writeButton.disabled = !writing && !live && !recordingOf(line.value, temperature);
    const tokens = text.tokens.slice(0, count);
    const here = Math.min(pointed ?? tokens.length, tokens.length - 1);
    tryButtons.forEach((one, n) => one.setAttribute("aria-pressed", beginnings[n] === text.beginning));
    given.textContent = text.beginning;
    showTokens(tokens, here);
    caret.hidden = !writing;
    showRivals(tokens[here]);
    say(account(tokens, here));
    showNote();
  }

  let drawn = null;
  function showRivals(token) {
    if (token === drawn) return;
    drawn = token;
    rivals.replaceChildren();
    if (!token) return;
    const [, place, likeliest] = token;
    element("p", { class: "ex-title", text: `The five likeliest ${[0, 1].includes(text.temperature) ? "here"
      : `at temperature ${written(text.temperature, 1)}`}` }, rivals);
    const draw = bars(rivals, { name: "the likeliest tokens at this place",
      labels: likeliest.map(([one]) => visible(one)), columns: ["probability", "taken"] });
    draw(likeliest.map(([, chance]) => chance), [likeliest.map(([, chance]) => percent(chance)),
      likeliest.map((_, n) => (n === place ? "✓" : ""))]);
    rivals.querySelectorAll("tbody tr")[place].setAttribute("aria-current", "true");
  }

  function account(tokens, here) {
    if (!text.beginning.trim()) return "There is nothing to go on from yet: write a beginning, one word or more.";
    if (text.failed) return `The model could not go on. ${text.failed}`;
    if (writeButton.disabled) {
      return `There is no recording that begins so: choose one of the ${beginnings.length} above.`;
    }
    if (!tokens.length) return writing ? "It reads the beginning." : "Press Write.";
    const [one, place, likeliest] = tokens[here];
    const how = `Token ${here + 1} of ${tokens.length}, “${visible(one)}”: ${percent(likeliest[place][1])}, ${RANKS[place]}.`;
    if (writing || here < tokens.length - 1) return how;
    if (text.stopped) return `${how} Stopped.`;
    if (!text.ended || tokens.length < text.tokens.length) return how;
    return `${how} Here the ${tokens.length === longestRecorded ? "recording" : "model"} ended.`;
  }
  function showNote() {
    note.replaceChildren();
    if (!text.recorded) return;
    if (live) {
      note.append("This text is a recording. Press Write: the model is here.");
      return;
    }
    const how = greeted ? ["then run this notebook again."] : ["then run the cell."];
    note.append("A recording of SmolLM2-135M. To write with the model itself: ",
      element("code", { text: "make real" }), " in a terminal (100 MB, once), ", ...how);
  }

  model.on("msg:custom", receive);
  const greet = () => model.send({ hello: true });
  model.on("joined", greet); // a kernel may come later than the page
  greet();
  // Until it is seen, or where nothing may move by itself, a recording lies there as a whole.
  line.value = model.get("beginning");
  const first = recordingOf(model.get("beginning"), model.get("temperature"));
  text = { beginning: model.get("beginning"), temperature: model.get("temperature"), recorded: true,
    recording: first, tokens: calm && first ? [...first.tokens] : [], ended: false, stopped: false };
  update();
  let greeting = 0;
  const seen = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    seen.disconnect();
    greeting = setTimeout(() => { if (!texts) begin(line.value); }, GREETED);
  }, { threshold: 0.5 });
  if (!calm) seen.observe(desk);
  return () => {
    clearTimeout(timer);
    clearTimeout(greeting);
    writing = false;
    seen.disconnect();
    model.off("msg:custom", receive);
  };
}

export default { render };
