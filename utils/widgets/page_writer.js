// A small language model writes in the page, token by token; its heads can be switched off.

import { sum } from "./arithmetic.js";
import {
  bitsOf, chancesOf, differenceFromNotebook, draw, emptyCache, encode, readLanguageModel, readToken,
} from "./language_model.js";
import {
  button, checkbox, controls, element, explorer, slider, status, strip, textLine, written,
} from "./drawing.js";

const AT_ONCE = 100; // tokens for a press of Write
const PACE = 70; // ms for a token
const OFFERED = 8; // of the next tokens
const SEEN = 32; // places in the strip of a head, the newest at its right end
const SAME = 1e-3; // logits that differ by less are the same
const NONE = -1; // no head is pressed: the mean of all that are on
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const FAILED = "The model could not be read. If this page came by mail, ask for it again.";

const WRITER_STYLE = `
.wr-row { display: grid; grid-template-columns: minmax(0, 1fr) minmax(170px, 220px); gap: 8px 24px; }
.wr-text { height: 13.5em; overflow-y: auto; white-space: pre-wrap; overflow-wrap: anywhere; padding: 6px 8px;
  font: 17px/1.6 Georgia, "Liberation Serif", serif; border-radius: 6px;
  border: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.wr-text span { border-radius: 3px;
  background: color-mix(in srgb, #0173b2 calc(var(--share, 0) * 45%), transparent); }
.wr-text .wr-given { font-weight: 600; }
.wr-text .wr-new { box-shadow: 0 2px #d55e00; }
.wr-next { display: grid; gap: 2px; }
.ex .wr-next button { display: grid; grid-template-columns: 5.5em 1fr 2.6em; gap: 6px; align-items: center;
  text-align: left; padding: 1px 6px; min-height: 26px; font-variant-numeric: tabular-nums; }
.wr-next button > :first-child { overflow: hidden; text-overflow: ellipsis; white-space: pre; }
.wr-next button > :last-child { text-align: right; }
.wr-heads { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(190px, 45%), 1fr)); gap: 6px 12px; }
.wr-heads .ex-check { margin: 0; }
.ex .wr-heads button { display: block; width: 100%; padding: 3px; line-height: 0; }
.wr-heads button[aria-pressed=true] { outline: 3px solid #d55e00; }
.wr-heads .wr-off canvas { opacity: 0.25; }
.ex :is(.wr-about, .wr-proof) { font-size: 13px; max-width: none; padding: 0; }
.ex .wr-title { font-size: inherit; padding: 0; }
@media (max-width: 640px) { .wr-row { grid-template-columns: 1fr; } .wr-text { height: 12em; } }
`;

/** A token of which spaces and line ends can be seen. */
const visible = (token) => token.replaceAll(" ", "␣").replaceAll("\n", "↵").replaceAll("\t", "⇥");

const perCharacter = ({ bitsPerCharacter }) => `≈ ${written(bitsPerCharacter)} bits`;

/** What a model knows after some tokens: what it expects next, what its heads look at, what they cost it. */
class Reading {
  #bits = 0;
  #characters = 0;

  constructor(model, ids, off) {
    Object.assign(this, { model, off, cache: emptyCache(model), logits: null });
    ids.forEach((id) => this.read(id));
  }

  read(id) {
    if (this.logits) {
      this.#bits += bitsOf(this.logits, id);
      this.#characters += [...this.model.tokens[id]].length;
    }
    Object.assign(this, readToken(this.model, this.cache, id, this.off));
  }

  get bitsPerCharacter() { return this.#bits / Math.max(1, this.#characters); }
}

/** A text that a model reads and writes on. */
class Draft {
  off = 0; // bit n: head n is off

  constructor(model, beginning) {
    this.model = model;
    [this.context] = model.tensors.places.shape; // the most tokens that it can see
    this.begin(beginning);
  }

  begin(text) {
    const ids = encode(this.model, text);
    this.ids = ids.length ? ids : [this.model.ids.get(" ")];
    this.given = this.ids.length;
    this.reread();
  }

  /** Forget half of what it sees once that is full, since it has learned to see no more; read the rest. */
  reread() {
    const { length } = this.ids;
    this.from = length > this.context ? length - this.context / 2 : 0;
    this.now = this.readWithout(this.off);
  }

  readWithout(off) { return new Reading(this.model, this.ids.slice(this.from), off); }

  add(id) {
    this.ids.push(id);
    if (this.ids.length - this.from > this.context) this.reread();
    else this.now.read(id);
  }

  switch(head) {
    this.off ^= 1 << head;
    this.reread();
  }
}

/** What the model may write next: buttons, each with its chance. Returns draw(tokens, chances). */
function nextTokens(parent, onTake) {
  const place = element("div", { class: "wr-next", role: "group",
    "aria-label": "what may come next: press one to take it" }, parent);
  const rows = Array.from({ length: OFFERED }, (_, n) => {
    const row = button(place, "", () => onTake(n));
    return { row, token: element("span", {}, row), share: element("span", {}, row),
      bar: element("span", { class: "ex-bar", "aria-hidden": "true" }, null) };
  });
  rows.forEach(({ row, share, bar }) => row.insertBefore(bar, share));
  return (tokens, chances) => rows.forEach(({ row, token, share, bar }, n) => {
    row.hidden = !(n in tokens);
    if (row.hidden) return;
    token.textContent = visible(tokens[n]);
    share.textContent = `${written(100 * chances[n], 0)} %`;
    bar.style.transform = `scaleX(${Math.max(0.006, chances[n])})`;
    bar.dataset.value = chances[n];
  });
}

/** A switch for a head, above a strip of what it looks at. Returns draw(weights, is on, is pressed). */
function headOf(parent, name, onSwitch, onPress) {
  const box = element("div", {}, parent);
  const check = checkbox(box, name, onSwitch);
  const press = button(box, "", onPress);
  const drawStrip = strip(press, `shade the text by what ${name} looks at`, SEEN);
  return (weights, on, pressed) => {
    check(on);
    box.classList.toggle("wr-off", !on);
    press.setAttribute("aria-pressed", pressed);
    const last = weights.slice(-SEEN);
    drawStrip([...Array(SEEN - last.length).fill(0), ...last], 0);
  };
}

/** The text, a piece for each token. Returns its element and show(draft, weight of each token in sight). */
function textOf(parent) {
  const box = element("div", { class: "wr-text", role: "group", tabindex: 0, lang: "",
    "aria-label": "the text" }, parent);
  const show = ({ model, ids, given, from, context }, weights) => {
    const largest = Math.max(...weights, 1e-6);
    while (box.children.length > ids.length) box.lastChild.remove();
    ids.forEach((id, n) => {
      const piece = box.children[n] ?? element("span", {}, box);
      if (piece.textContent !== model.tokens[id]) piece.textContent = model.tokens[id];
      piece.className = n < given ? "wr-given" : n === ids.length - 1 ? "wr-new" : "";
      if (n >= from - context) piece.style.setProperty("--share", (weights[n - from] ?? 0) / largest);
    });
    box.scrollTop = box.scrollHeight;
  };
  return [box, show];
}

function build(root, model) {
  const { about, tokens } = model;
  let { beginning, temperature } = about;
  const draft = new Draft(model, beginning);
  const names = draft.now.looks.map((_, n) => `head ${Math.floor(n / about.heads) + 1}.${(n % about.heads) + 1}`);
  let pressed = NONE;
  let left = 0; // tokens that it will still write by itself
  let timer = 0;

  element("p", { class: "wr-about", text: `It has learned from ${about.learned_from}. `
    + `${about.numbers.toLocaleString("en")} numbers, ${tokens.length} tokens, ${about.layers} blocks of ${about.heads} heads.` }, root);
  const place = controls(root);
  const showBeginning = textLine(place, "it begins with", (text) => {
    if (text === beginning) return; // both Enter and leaving the line send it
    beginning = text;
    restart();
  });
  const showTemperature = slider(place, "temperature", [0.1, 2, 0.1],
    (value) => { temperature = value; update(); }, (value) => written(value, 1));
  const buttons = element("div", { class: "ex-steps" }, place);
  const go = button(buttons, "Write", () => (left ? rest() : write()));
  button(buttons, "One token", () => { advance(); rest(); });
  button(buttons, "Start again", () => restart());
  const row = element("div", { class: "wr-row" }, root);
  const [text, showText] = textOf(row);
  const showNext = nextTokens(row, (n) => { draft.add(expected()[n][0]); rest(); });
  element("p", { class: "ex-title wr-title", text: "Its heads, and where each looks from the last token" }, root);
  const heads = element("div", { class: "wr-heads", role: "group", "aria-label": "heads" }, root);
  const showHeads = names.map((name, n) => headOf(heads, name,
    () => { draft.switch(n); if (left) update(); else rest(); },
    () => { pressed = pressed === n ? NONE : n; update(); }));
  const say = status(root);
  element("p", { class: "wr-proof", text: proofOf(model) }, root);

  const isOn = (head) => !(draft.off & (1 << head));
  const expected = () => chancesOf(draft.now.logits, temperature, about.k);

  function update() {
    const { looks } = draft.now;
    const shaded = looks.filter((_, head) => (pressed === NONE ? isOn(head) : head === pressed));
    showText(draft, looks[0].map((_, n) => sum(shaded.map((weights) => weights[n]))));
    const offered = expected().slice(0, OFFERED);
    showNext(offered.map(([id]) => tokens[id]), offered.map(([, chance]) => chance));
    showHeads.forEach((show, head) => show(looks[head], isOn(head), head === pressed));
    showTemperature(temperature);
    go.textContent = left ? "Pause" : "Write";
  }

  /** Stop writing, and say what the text costs the model. */
  function rest() {
    clearTimeout(timer);
    left = 0;
    update();
    const gone = names.filter((_, head) => !isOn(head));
    const all = `Each character of this text costs it ${perCharacter(draft.readWithout(0))} with all its heads`;
    say(gone.length ? `${all}, ${perCharacter(draft.now)} without ${gone.join(", ")}.`
      : `${all}. Switch some off, and let it write on: which can it least do without?`);
  }

  function advance() {
    draft.add(draw(expected(), Math.random()));
  }

  function write() {
    clearTimeout(timer); // it may be writing
    left = AT_ONCE;
    const next = () => {
      advance();
      left -= 1;
      if (!left) return rest();
      if (STILL.matches) return next(); // all at once
      update();
      timer = setTimeout(next, PACE);
    };
    next();
  }

  function restart() {
    draft.begin(beginning);
    write();
  }

  showBeginning(beginning);
  update();
  const seen = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    seen.disconnect();
    write();
  }, { threshold: 0.5 });
  seen.observe(text);
  return () => {
    seen.disconnect();
    clearTimeout(timer);
  };
}

/** Whether this page computes what the notebook has computed, in words. */
function proofOf(model) {
  const gap = differenceFromNotebook(model);
  if (gap === null) return "Careful: this page cuts a text into other tokens than the notebook did.";
  const { bits, rounding, costs } = model.about;
  return `${gap < rounding + SAME ? "Checked just now" : "Careful"}: the logits of this page differ from the `
    + `notebook's by at most ${gap.toFixed(4)}. Its weights are rounded to ${bits} bits, which changes `
    + `the loss by ${written(costs, 4)}.`;
}

function render({ model, el }) {
  const root = explorer(el, "A language model");
  element("style", { text: WRITER_STYLE }, root);
  let stop = () => {};
  const receive = (content, [file] = []) => {
    try {
      stop = build(root, readLanguageModel(file));
    } catch {
      element("p", { role: "alert", text: content.failed ?? FAILED }, root);
    }
  };
  model.on("msg:custom", receive);
  model.send({ want: "language model" });
  return () => {
    stop();
    model.off("msg:custom", receive);
  };
}

export default { render };
