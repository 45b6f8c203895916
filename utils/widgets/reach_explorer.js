// How far back a stack of layers with windows can see, and what sinks change about it.

import { COLOURS, change, controls, element, explorer, setter, slider, status } from "./drawing.js";

const [MOST_LAYERS, WIDEST, MOST_SINKS] = [6, 8, 4];
const BOX = 12; // pixels of a cell
const [LEFT, ROW] = [52, 34]; // pixels: of a layer's name, and of a layer from top to bottom
const FOOT = 18; // pixels for the places of the first and the last word

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

/** Lines from each word of a layer on which the last one depends down to all that it looks at. */
function fan(open, row) {
  const x = (j) => LEFT + (j + 0.5) * BOX;
  return row.flatMap((yes, i) => (yes ? open[i].map((seen, j) =>
    (seen ? `M ${x(i)} ${BOX} L ${x(j)} ${ROW}` : "")) : [])).join(" ");
}

function render({ model, el }) {
  const words = model.get("words");
  const root = explorer(el, "Reach explorer",
    "Try: widen the window by one, then add a layer instead. Which of the two lets the last word see further?");
  const put = setter(model);
  const place = controls(root);
  const show = {
    window: slider(place, "window W", [1, WIDEST, 1], put("window")),
    layers: slider(place, "layers L", [1, MOST_LAYERS, 1], put("layers")),
    sinks: slider(place, "sinks", [0, MOST_SINKS, 1], put("sinks")),
  };
  const row = element("div", { class: "ex-row" }, root);
  const picture = (title, width, height) => {
    const box = element("div", { style: `max-width: ${width}px` }, row);
    element("p", { class: "ex-title", text: title }, box);
    return element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": title, style: "max-width: 100%; height: auto" }, box);
  };
  const stack = picture("what the last word can depend on", LEFT + words * BOX + 30, ROW);
  const ends = [1, words].map((place) => element("text", { x: LEFT + (place - 0.5) * BOX, text: place,
    "text-anchor": "middle" }, stack));
  const floors = Array.from({ length: MOST_LAYERS + 1 }, (_, layer) => { // the words are floor 0
    const [floor, y] = [element("g", {}, stack), 0];
    const looks = element("path", { fill: "none", stroke: COLOURS.key, opacity: 0.3 }, floor); // at the floor below
    element("text", { x: 0, y: y + 11, text: layer ? `layer ${layer}` : "words" }, floor);
    const count = element("text", { x: LEFT + words * BOX + 6, y: y + 11 }, floor);
    return { floor, count, looks, draw: cells(floor, words, LEFT, y) };
  });
  const mask = picture("the mask of each layer: a row for each word, filled where it may look", words * BOX, words * BOX);
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
    const tall = (layers + 1) * ROW;
    change(stack, { height: tall + FOOT, viewBox: `0 0 ${LEFT + words * BOX + 30} ${tall + FOOT}` });
    ends.forEach((end) => end.setAttribute("y", tall - ROW + BOX + 14));
    floors.forEach(({ floor, count, looks, draw }, layer) => {
      floor.setAttribute("visibility", layer > layers ? "hidden" : "visible");
      if (layer > layers) return;
      floor.setAttribute("transform", `translate(0 ${(layers - layer) * ROW})`);
      looks.setAttribute("d", layer ? fan(open, reached[layer]) : "");
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
  changes.forEach((name) => model.on(name, update));
  update();
  return () => changes.forEach((name) => model.off(name, update));
}

export default { render };
