// How far back a stack of layers with windows can see, and what sinks change about it.

import { COLOURS, element, explorer, setter, slider, status } from "./drawing.js";

const [MOST_LAYERS, WIDEST, MOST_SINKS] = [6, 8, 4];
const BOX = 12; // pixels of a cell
const [LEFT, ROW] = [52, 20]; // pixels: of a layer's name, and of a layer from top to bottom

/** The mask of a layer: open[i][j] if word i may look at word j. */
const slidingMask = (words, window, sinks) => Array.from({ length: words }, (_, i) =>
  Array.from({ length: words }, (__, j) => j <= i && (i - j < window || j < sinks)));

/** On which states the last word's depends: of the words, of layer 1, and so on to its own. */
function reachedBy(open, layers) {
  const rows = [open.map((_, j) => j === open.length - 1)];
  for (let layer = 0; layer < layers; layer += 1) {
    const above = rows[0];
    rows.unshift(open.map((_, j) => above.some((yes, i) => yes && open[i][j])));
  }
  return rows;
}

/** A row of cells. Returns draw(values): 0 is closed, 1 open in windows, 2 through sinks alone. */
function cells(parent, count, x, y) {
  const boxes = Array.from({ length: count }, (_, j) => element("rect", { x: x + j * BOX + 1,
    y: y + 1, width: BOX - 2, height: BOX - 2, stroke: "#888" }, parent));
  return (values) => boxes.forEach((box, j) => {
    if (box.dataset.value === String(values[j])) return; // most stay as they are
    box.dataset.value = values[j];
    box.setAttribute("fill", ["transparent", COLOURS.key, COLOURS.other][values[j]]);
  });
}

function render({ model, el }) {
  const words = model.get("words");
  const root = explorer(el, "Reach explorer");
  const put = setter(model);
  const show = {
    window: slider(root, "window W", [1, WIDEST, 1], put("window")),
    layers: slider(root, "layers L", [1, MOST_LAYERS, 1], put("layers")),
    sinks: slider(root, "sinks", [0, MOST_SINKS, 1], put("sinks")),
  };
  const row = element("div", { class: "ex-row" }, root);
  const picture = (title, width, height) => {
    const box = element("div", {}, row);
    element("p", { class: "ex-title", text: title }, box);
    return element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": title, style: "max-width: 100%; height: auto" }, box);
  };
  const stack = picture("what the last word can depend on", LEFT + words * BOX + 30,
    (MOST_LAYERS + 1) * ROW);
  const floors = Array.from({ length: MOST_LAYERS + 1 }, (_, layer) => { // the words are floor 0
    const [floor, y] = [element("g", {}, stack), (MOST_LAYERS - layer) * ROW];
    element("text", { x: 0, y: y + 11, text: layer ? `layer ${layer}` : "words" }, floor);
    const count = element("text", { x: LEFT + words * BOX + 6, y: y + 11 }, floor);
    return { floor, count, draw: cells(floor, words, LEFT, y) };
  });
  const mask = picture("the mask of each layer", words * BOX, words * BOX);
  const drawMask = Array.from({ length: words }, (_, i) => cells(mask, words, 0, i * BOX));
  const say = status(root);

  function update() {
    for (const [name, draw] of Object.entries(show)) draw(model.get(name));
    const [window, layers, sinks] = ["window", "layers", "sinks"].map((name) => model.get(name));
    const [plain, open] = [slidingMask(words, window, 0), slidingMask(words, window, sinks)];
    const kinds = (near, all) => all.map((line, i) =>
      line.map((yes, j) => (near[i][j] ? 1 : 2 * yes)));
    kinds(plain, open).forEach((line, i) => drawMask[i](line));
    const reached = kinds(reachedBy(plain, layers), reachedBy(open, layers));
    floors.forEach(({ floor, count, draw }, layer) => {
      floor.setAttribute("visibility", layer > layers ? "hidden" : "visible");
      if (layer > layers) return;
      draw(reached[layer]);
      count.textContent = reached[layer].filter(Boolean).length;
    });
    say(inWords(window, layers, sinks, reached[0]));
  }

  function inWords(window, layers, sinks, line) {
    const [near, far] = [1, 2].map((kind) => line.filter((value) => value === kind).length);
    const sum = `1 + ${layers} · (${window} − 1)`;
    const end = 1 + layers * (window - 1);
    return [
      `Through windows, the last of ${words} words can depend on ${near}`,
      end > near ? ` (all there are; ${sum} = ${end})` : ` = ${sum}`,
      far ? `, and through sinks on ${far} more (orange)` : "",
      `. A layer keeps ${Math.min(words, window + sinks)} words.`,
    ].join("");
  }

  const changes = Object.keys(show).map((name) => `change:${name}`);
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
