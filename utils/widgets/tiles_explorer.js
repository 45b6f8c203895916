// Softmax over keys that come tile by tile, without the table of all scores.

import { matmul, softmax, transposed } from "./arithmetic.js";
import { COLOURS, OWN_KEYS, arrow, change, checkbox, controls, element, explorer, heatmap, planeLegend, setter,
  slider, status, stepper, vectorPlane, written } from "./drawing.js";

const PLANE = 170; // pixels
const FULL = 3; // the sum that fills its bar

const TILES_STYLE = `
.ti-sum { display: flex; width: 300px; max-width: 100%; height: 18px;
  border-bottom: 1px solid var(--ex-line); }
.ti-sum span { flex: 0 0 auto; }
.ti-sum + figcaption { width: 300px; font-size: 13px; }
@media (prefers-reduced-motion: no-preference) { .ex:not(:active) .ti-sum span { transition: width 160ms; } }
`;

/**
 * One query's attention over keys that come `size` at a time, after so many tiles: the largest score,
 * the sum of the powers e^(score − largest), and the values, each times its power. Where a larger
 * score turns up, all that was summed before is rescaled by e^(old largest − new largest).
 */
function readTiles(scores, values, size, tiles, rescaling) {
  let [largest, before, factor, total, added] = [-Infinity, -Infinity, 1, 0, 0];
  let mixed = values[0].map(() => 0);
  const powers = scores.map(() => 0); // of the last tile only: the others are forgotten
  for (let start = 0; start < Math.min(scores.length, tiles * size); start += size) {
    const tile = scores.slice(start, start + size);
    before = largest;
    largest = Math.max(largest, ...tile);
    factor = rescaling && start ? Math.exp(before - largest) : 1;
    powers.fill(0);
    tile.forEach((score, n) => { powers[start + n] = Math.exp(score - largest); });
    added = powers.reduce((sum, power) => sum + power);
    total = total * factor + added;
    mixed = mixed.map((number, axis) => powers.reduce((sum, power, j) =>
      sum + power * values[j][axis], number * factor));
  }
  return { largest, before, factor, added, total, powers,
    context: mixed.map((number) => number / (total || 1)) }; // before the first tile: 0
}

/** A table whose cells are numbers or vectors, in full in `data-value`. Returns draw(cells). */
function numberTable(parent, name, rows, columns) {
  const scroll = element("div", { class: "ex-scroll", tabindex: 0, role: "region", "aria-label": name,
    ...OWN_KEYS }, parent);
  const table = element("table", { class: "ex-map", style: "white-space: nowrap" }, scroll);
  const head = element("tr", {}, element("thead", {}, table));
  element("td", {}, head);
  columns.forEach((text) => element("th", { scope: "col", text }, head));
  const body = element("tbody", {}, table);
  const cells = rows.map((text) => {
    const row = element("tr", {}, body);
    element("th", { scope: "row", text }, row);
    return columns.map(() => element("td", {}, row));
  });
  return (values, marked) => cells.forEach((row, i) => row.forEach((cell, column) => {
    const value = values[i][column];
    const vector = Array.isArray(value);
    const text = vector ? `(${value.map((one) => written(one)).join(", ")})` : written(value);
    if (cell.textContent !== text) cell.textContent = text;
    cell.dataset.value = vector ? value.join(" ") : value;
    cell.classList.toggle("ex-marked", i === marked);
  }));
}

/** One query's context so far, on its way to that of all keys at once. Returns draw(so far, at once, whose). */
function plane(parent) {
  const figure = element("figure", { style: "margin: 0" }, parent);
  const svg = vectorPlane(figure);
  change(svg, { viewBox: "0 0 300 300", width: PLANE, height: PLANE });
  const title = element("title", {}, svg);
  const [atOnce, soFar] = [arrow(svg, COLOURS.other, 8, ""), arrow(svg, COLOURS.context, 3, "", "6 3")];
  const [first, second] = planeLegend(figure, [["━━", COLOURS.other], ["╍╍", COLOURS.context]]);
  first("of all at once");
  second("context so far");
  return (one, all, word) => {
    atOnce(all);
    soFar(one);
    title.textContent = `Where ${word} has got to: (${one.map((each) => written(each)).join(", ")}); `
      + `all keys at once give (${all.map((each) => written(each)).join(", ")})`;
  };
}

/** The sum of the powers as one bar: what was there before, and what the tile adds. Returns draw(before, added). */
function sumBar(parent) {
  const line = element("div", { class: "ti-sum", "aria-hidden": "true" }, parent);
  const colours = [COLOURS.context, COLOURS.query];
  const parts = colours.map((colour) => element("span", { style: `background: ${colour}` }, line));
  const names = planeLegend(parent, colours.map((colour) => ["■", colour]));
  ["summed before", "from this tile"].forEach((text, n) => names[n](text));
  return (before, added) => [before, added].forEach((size, n) => {
    parts[n].style.width = `${Math.min(100, (100 * size) / FULL)}%`;
    parts[n].style.visibility = size ? "visible" : "hidden";
  });
}

function render({ model, el }) {
  const [queries, keys, values, target, source] = ["queries", "key_vectors", "value_vectors", "target",
    "source"].map((name) => model.get(name));
  const scores = matmul(queries, transposed(keys)).map((row) =>
    row.map((score) => score / Math.sqrt(keys[0].length)));
  const atOnce = matmul(scores.map((row) => softmax(row)), values);
  const root = explorer(el, "Tiles explorer",
    "Try: go through the tiles; then do it again without rescaling, and compare the last two columns.");
  const put = setter(model);
  const place = controls(root);
  const showSize = slider(place, "keys in a tile", [1, source.length, 1], put("size"));
  const showRescaling = checkbox(place, "rescale what was summed before", put("rescaling"));
  const showStep = stepper(place, put("step"));
  const row = element("div", { class: "ex-row" }, root);
  const left = element("div", {}, row);
  element("p", { class: "ex-title", text: "in the tile: e^(score − largest so far)" }, left);
  const drawTile = heatmap(left, { name: "the tile", rows: target, columns: source,
    onPoint: put("asking") });
  const right = element("div", {}, row);
  const kept = element("p", { class: "ex-title" }, right);
  const drawKept = numberTable(right, "kept for every query", target,
    ["largest", "rescaled by", "sum", "context so far", "of all at once"]);
  element("style", { text: TILES_STYLE }, root);
  const below = element("div", { class: "ex-row", style: "margin-top: 8px; align-items: center" }, root);
  const drawPlane = values[0].length === 2 ? plane(below) : () => {};
  const sums = element("div", {}, below);
  const sumOf = element("p", { class: "ex-title" }, sums);
  const drawSum = sumBar(sums);
  const rescaled = element("p", {}, sums);
  const say = status(root);

  function update() {
    const size = model.get("size");
    const tiles = Math.ceil(source.length / size);
    const step = Math.min(model.get("step"), tiles);
    const asking = model.get("asking");
    showSize(size);
    showRescaling(model.get("rescaling"));
    showStep(step, tiles);
    kept.textContent = `kept for every query${model.get("rescaling") ? "" : ", never rescaled"}`;
    const read = scores.map((line) => readTiles(line, values, size, step, model.get("rescaling")));
    const [from, to] = [(step - 1) * size, Math.min(step * size, source.length)];
    drawTile(read.map(({ powers }) => powers), {
      closed: scores.map((line) => line.map((_, j) => j < from || j >= to)), marked: [asking, null] });
    drawKept(read.map(({ largest, factor, total, context }, i) =>
      [largest, factor, total, context, atOnce[i]]), asking);
    const { largest, before, factor, added, total } = read[asking];
    drawPlane(read[asking].context, atOnce[asking], target[asking]);
    drawSum(total - added, added);
    sumOf.textContent = `${target[asking]}: its sum is ${written(total)}`;
    rescaled.textContent = step < 2 || largest === before ? "Nothing had to be rescaled."
      : model.get("rescaling") ? `A larger score turned up: what was there shrinks to ${written(factor)} of itself.`
        : "A larger score turned up, and what was there stays too large.";
    const held = `At most ${target.length} × ${size} scores exist at a time, not `
      + `${target.length} × ${source.length}.`;
    const off = Math.max(...read.flatMap(({ context }, i) =>
      context.map((number, axis) => Math.abs(number - atOnce[i][axis]))));
    const end = step < tiles ? held
      : `All keys are read, and no context is further than ${written(off, 5)} from softmax at once.`;
    if (step === 0) say(`Nothing is read yet. ${tiles} tiles to come. ${held}`);
    else if (step === 1) {
      say(`Tile 1 of ${tiles}, ${target[asking]}: the largest score is ${written(largest)}, the `
        + `powers add up to ${written(total)}. ${end}`);
    } else {
      const grown = model.get("rescaling") ? `so what was summed is multiplied by ${written(factor)}`
        : "but what was summed is not rescaled";
      const news = largest === before ? `stays ${written(largest)}`
        : `goes from ${written(before)} to ${written(largest)}, ${grown}`;
      say(`Tile ${step} of ${tiles}, ${target[asking]}: the largest score ${news}. `
        + `${written(added)} comes to the sum, which makes ${written(total)}. ${end}`);
    }
  }
  const changes = ["size", "rescaling", "step", "asking"].map((name) => `change:${name}`);
  changes.forEach((name) => model.on(name, update));
  update();
  return () => changes.forEach((name) => model.off(name, update));
}

export default { render };
