// What a cache keeps while words are written, for one model with layers of several kinds.

import { COLOURS, bars, choice, element, explorer, heatmap, setter, slider, status } from "./drawing.js";

const DRAWN = 12; // words
const NARROW = 4; // words in the window that is drawn: the real one is too wide for the picture
const [SHORTEST, LONGEST] = [4, 17]; // tokens, as powers of two: 16 to 131,072
const [ACROSS, TALL] = [264, 96]; // pixels

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
    role: "img", style: "display: block; border: 1px solid var(--ex-line)" }, parent);
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
  const root = explorer(el, "Cache explorer");
  const put = setter(model);
  const show = {
    kind: choice(root, "kind of layer", kinds.map(({ name }) => name), put("kind")),
    words: slider(root, "words written", [1, DRAWN, 1], put("words")),
    doublings: slider(root, "tokens", [SHORTEST, LONGEST, 1], put("doublings"),
      (power) => thousands(2 ** power)),
  };
  const row = element("div", { class: "ex-row" }, root);
  const left = element("div", {}, row);
  element("p", { class: "ex-title", text: "who is looked at: a row for each new word" }, left);
  const places = Array.from({ length: DRAWN }, (_, j) => String(j + 1));
  const drawMap = heatmap(left, { name: "who is looked at", rows: places, columns: places,
    side: ACROSS });
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
    const looked = places.map((_, i) => places.map((__, j) => i < words && j <= i && !kind.state
      && (!kind.window || i - j < NARROW)));
    drawMap(looked.map((line, i) => line.map(() => (i === words - 1 ? 1 : 0.3))),
      { closed: looked.map((line) => line.map((yes) => !yes)), marked: [words - 1, null] });
    below.textContent = kind.state ? "kept: one state (not to scale), updated by each word"
      : `kept: ${thousands(kind.numbers)} numbers a word and layer`;
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
