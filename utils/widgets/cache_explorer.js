// What a cache keeps while words are written, for one model with layers of several kinds.

import { COLOURS, bars, choice, controls, element, explorer, heatmap, setter, slider, status } from "./drawing.js";

const WORDS = ["The", "cat", "sat", "on", "the", "mat", "and", "the", "dog", "lay", "down", "too"];
const DRAWN = WORDS.length;
const NARROW = 4; // words in the window that is drawn: the real one is too wide for the picture
const [SHORTEST, LONGEST] = [4, 17]; // tokens, as powers of two: 16 to 131,072
const [CELL, BESIDE] = [24, 46]; // pixels: of a word's column, and of the words at the left
const [ACROSS, TALL] = [CELL * DRAWN, 84]; // pixels

const CACHE_STYLE = `
.ex .ca-looks table { table-layout: fixed; width: ${BESIDE + ACROSS}px; line-height: 17px; margin-bottom: 0; }
.ex .ca-looks td { min-width: 0; height: 17px; padding: 0; font-size: 0; }
.ex .ca-looks thead th { writing-mode: vertical-rl; transform: rotate(180deg); padding: 2px 0; text-align: left; }
.ex .ca-looks thead td { width: ${BESIDE}px; }
.ex .ca-looks tbody th { padding: 0 6px 0 0; }
.ca-looks .ca-unwritten { visibility: hidden; }
.ca-looks tr.ca-unwritten { display: none; }
.ca-left { min-height: ${TALL + 17 * DRAWN + 120}px; }
.ca-kept { margin-left: ${BESIDE}px; }
`;

/** Numbers that a layer keeps of so many tokens: Layer.kept of utils/model_card.py. */
const keptBy = ({ numbers, window, state }, tokens) =>
  numbers * Math.min(tokens, window ?? tokens) + state;

const thousands = (number) => number.toLocaleString("en");

/** Bytes as people say them: in_units of utils/model_card.py, which rounds halves to the even. */
function inUnits(count) {
  const power = Math.min(3, Math.floor(Math.log2(count) / 10));
  const number = (count / 1024 ** power).toLocaleString("en",
    { maximumSignificantDigits: 4, roundingMode: "halfEven" });
  return `${number} ${["bytes", "KiB", "MiB", "GiB"][power]}`;
}

/** A column for each word, as high as what is kept of it. Returns draw(kind, words, most). */
function columns(parent) {
  const svg = element("svg", { width: ACROSS, height: TALL, viewBox: `0 0 ${ACROSS} ${TALL}`,
    role: "img", class: "ca-kept", style: "display: block; border-bottom: 1px solid var(--ex-line)" }, parent);
  const wide = ACROSS / DRAWN;
  const boxes = Array.from({ length: DRAWN }, (_, j) => element("rect", { x: j * wide + 1,
    width: wide - 2, stroke: COLOURS.key }, svg));
  const whole = element("rect", { x: 1, y: 1, width: ACROSS - 2, height: TALL - 2,
    fill: COLOURS.other }, svg);
  return (kind, words, most) => {
    const high = Math.max(2, (kind.numbers / most) * TALL);
    boxes.forEach((box, j) => {
      box.setAttribute("y", TALL - high);
      box.setAttribute("height", high);
      box.setAttribute("fill", kind.window && j < words - NARROW ? "transparent" : COLOURS.key);
      box.setAttribute("visibility", kind.state || j >= words ? "hidden" : "visible");
    });
    whole.setAttribute("visibility", kind.state ? "visible" : "hidden");
    svg.setAttribute("aria-label", kind.state ? "one state, whatever the length"
      : `${Math.min(words, kind.window ? NARROW : words)} columns of ${kind.numbers} numbers`);
  };
}

function render({ model, el }) {
  const kinds = model.get("kinds");
  const root = explorer(el, "Cache explorer",
    "Try: write word after word, and change the kind of layer. Which kinds keep the same however long the text gets?");
  element("style", { text: CACHE_STYLE }, root);
  const put = setter(model);
  const place = controls(root);
  const show = {
    kind: choice(place, "kind of layer", kinds.map(({ name }) => name), put("kind")),
    words: slider(place, "words written", [1, DRAWN, 1], put("words")),
    doublings: slider(place, "tokens", [SHORTEST, LONGEST, 1], put("doublings"),
      (power) => thousands(2 ** power)),
  };
  const row = element("div", { class: "ex-row" }, root);
  const left = element("div", { class: "ca-left" }, row);
  element("p", { class: "ex-title", text: "each word, as it is written, looks at:" }, left);
  const looks = element("div", { class: "ca-looks" }, left);
  const drawMap = heatmap(looks, { name: "who is looked at", rows: WORDS, columns: WORDS });
  const [above, beside] = ["thead th", "tbody tr"].map((each) => [...looks.querySelectorAll(each)]);
  beside.forEach((line, i) => line.querySelectorAll("td").forEach((cell, j) => {
    if (j > i) cell.className = "ca-unwritten"; // as long as this word is the last
  }));
  const below = element("p", { class: "ex-title" }, left);
  const drawColumns = columns(left);
  const right = element("div", {}, row);
  const title = element("p", { class: "ex-title" }, right);
  const drawBars = bars(element("div", { class: "ex-scroll" }, right), { name: "bytes kept",
    labels: kinds.map(({ name }) => name), columns: ["kept"] });
  const say = status(root);

  function update() {
    for (const [name, draw] of Object.entries(show)) draw(model.get(name));
    const words = model.get("words");
    const kind = kinds.find(({ name }) => name === model.get("kind"));
    [...above, ...beside].forEach((each, n) => each.classList.toggle("ca-unwritten", n % DRAWN >= words));
    const looked = WORDS.map((_, i) => WORDS.map((__, j) => i < words && j <= i && !kind.state
      && (!kind.window || i - j < NARROW)));
    drawMap(looked.map((line, i) => line.map(() => (i === words - 1 ? 1 : 0.3))),
      { closed: looked.map((line) => line.map((yes) => !yes)), marked: [words - 1, null] });
    below.textContent = kind.state ? "and leaves behind one state (not to scale)"
      : `and leaves behind ${thousands(kind.numbers)} numbers a layer`;
    drawColumns(kind, words, Math.max(...kinds.map(({ numbers }) => numbers)));

    const tokens = 2 ** model.get("doublings");
    const bytes = (each) => 2 * model.get("layers") * keptBy(each, tokens);
    const most = Math.max(...kinds.map(bytes));
    title.textContent = `${model.get("name")} keeps of ${thousands(tokens)} tokens`;
    drawBars(kinds.map((each) => bytes(each) / most), [kinds.map((each) => inUnits(bytes(each)))]);
    say(`${lookingBack(kind, words)} With such layers, ${model.get("name")} keeps `
      + `${inUnits(bytes(kind))} of ${thousands(tokens)} tokens.`);
  }

  function lookingBack({ state, window }, words) {
    if (state) {
      return `Word ${words} looks at no single word, only at a state of `
        + `${thousands(state)} numbers.`;
    }
    const seen = Math.min(words, window ? NARROW : words);
    const drawn = window ? ` (the window has ${thousands(window)}; ${NARROW} are drawn)` : "";
    return `Word ${words} looks at ${seen} word${seen > 1 ? "s" : ""}, itself included${drawn}.`;
  }

  const changes = Object.keys(show).map((name) => `change:${name}`);
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
