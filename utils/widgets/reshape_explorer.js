// One memory, read with several shapes: why splitting into heads takes a view and a transpose.

import { OWN_KEYS, choice, controls, element, explorer, setter, status, stepper } from "./drawing.js";

const [WIDE, HIGH, BETWEEN, MARGIN] = [48, 22, 18, 48]; // a cell, two tables, the names of rows
const TOKEN_COLOURS = ["#8ecae6", "#f6e27f", "#c79fd9", "#e3e3e3", "#6fc3a0", "#f7b6a0"];
const LOOKS = `
.re-cell { cursor: pointer; }
.re-cell text, .re-memory span { fill: #000; color: #000; font-size: 11px; }
.re-cell rect { stroke: var(--ex-paper); stroke-width: 2; }
.re-cell .re-frame { fill: none; stroke: #d55e00; stroke-width: 4; pointer-events: none; }
.re-memory { display: flex; flex-wrap: wrap; gap: 2px; }
.re-memory span { width: 34px; text-align: center; white-space: nowrap; }
.re-memory .re-followed { outline: 3px solid #d55e00; }
.ex code { color: inherit; background: transparent; }
@media (prefers-reduced-motion: no-preference) { .re-cell { transition: transform 0.8s ease; } }
`;

const product = (numbers) => numbers.reduce((total, number) => total * number, 1);
const listed = (numbers) => `(${numbers.join(", ")})`;

/** The tensors of both ways, step by step: the axes, the shape, and how far each axis steps. */
function waysOf(batch, length, heads, width) {
  // Whatever has not been transposed reads the memory row by row.
  const plain = (code, axes, shape) => ({ code, axes, shape,
    strides: shape.map((_, axis) => product(shape.slice(axis + 1))) });
  const x = plain("x", ["sentence", "token", "feature"], [batch, length, heads * width]);
  const cut = [batch, length, heads, width];
  const view = plain(`x.view(${cut.join(", ")})`, ["sentence", "token", "head", "feature"], cut);
  const swapped = ([a, b, c, d]) => [a, c, b, d];
  const turned = { code: `${view.code}.transpose(1, 2)`, axes: swapped(view.axes),
    shape: swapped(view.shape), strides: swapped(view.strides) };
  const alone = plain(`x.view(${turned.shape.join(", ")})`, turned.axes, turned.shape);
  return { "view, then transpose": [x, view, turned], "view alone": [x, alone, alone] };
}

/** The index of every number in a tensor, in the order of the memory. */
function indicesOf({ shape, strides }) {
  const found = [];
  const walk = (index, offset) => {
    const axis = index.length;
    if (axis === shape.length) found[offset] = index;
    else for (let n = 0; n < shape[axis]; n += 1) walk([...index, n], offset + n * strides[axis]);
  };
  walk([], 0);
  return found;
}

// The last two axes make a table, the one before sets tables side by side, the first stacks them.
const inTables = (list, alone) => (list.length === 3 ? [list[0], alone, ...list.slice(1)] : list);

const pixels = ([b, table, row, column], [, , rows, columns]) => [
  MARGIN + table * (columns * WIDE + BETWEEN) + column * WIDE,
  22 + b * (22 + rows * HIGH) + row * HIGH,
];

/** The cell to which an arrow key leads: the nearest in its direction, as they are seen. */
function neighbour(spots, from, [right, down]) {
  const far = spots.map(([x, y]) => {
    const [dx, dy] = [x - spots[from][0], y - spots[from][1]];
    const along = dx * right + dy * down;
    return along > 0 ? along + 3 * Math.abs(dx * down + dy * right) : Infinity;
  });
  const least = Math.min(...far);
  return least < Infinity ? far.indexOf(least) : from;
}

const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** One way to split. Returns draw(step, the followed number's offset). */
function panel(parent, title, steps, numbers, nameOf, onFollow) {
  const box = element("div", {}, parent);
  element("p", { class: "ex-title", text: title }, box);
  const code = element("code", {}, box);
  const ends = steps.map(({ shape }) => inTables(shape, 1)).map((shape) =>
    pixels([shape[0], shape[1], 0, 0], shape));
  const [width, height] = [0, 1].map((axis) => Math.max(...ends.map((end) => end[axis])));
  const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    tabindex: 0, "aria-label": title, style: "display: block; max-width: 100%; height: auto",
    ...OWN_KEYS }, box);
  const names = element("g", {}, svg);
  const cells = numbers.map(({ text, colour, round }, offset) => {
    const cell = element("g", { class: "re-cell" }, svg);
    element("rect", { width: WIDE, height: HIGH, rx: round * (HIGH / 2), fill: colour }, cell);
    element("text", { x: WIDE / 2, y: HIGH / 2, "text-anchor": "middle",
      "dominant-baseline": "central", text }, cell);
    cell.addEventListener("pointerdown", () => onFollow(offset));
    return cell;
  });
  const frame = element("g", { class: "re-cell" }, svg); // above all cells
  element("rect", { class: "re-frame", width: WIDE, height: HIGH }, frame);
  const address = element("p", { class: "re-address" }, box);
  let [spots, at] = [[], 0];
  svg.addEventListener("keydown", (event) => {
    if (!ARROWS[event.key]) return;
    onFollow(neighbour(spots, at, ARROWS[event.key]));
    event.preventDefault();
  });
  return (step, followed) => {
    const tensor = steps[step];
    const shape = inTables(tensor.shape, 1);
    const indices = indicesOf(tensor);
    spots = indices.map((index) => pixels(inTables(index, 0), shape));
    at = followed;
    code.textContent = tensor.code;
    names.replaceChildren();
    for (let b = 0; b < shape[0]; b += 1) {
      for (let row = 0; row < shape[2]; row += 1) {
        const [x, y] = pixels([b, 0, row, 0], shape);
        element("text", { x: x - 5, y: y + HIGH / 2, "text-anchor": "end",
          "dominant-baseline": "central", text: nameOf(tensor.axes.at(-2), b, row) }, names);
      }
      for (let table = 0; table < shape[1] && tensor.axes.length === 4; table += 1) {
        const [x, y] = pixels([b, table, 0, 0], shape);
        element("text", { x, y: y - 5, text: nameOf(tensor.axes[1], b, table) }, names);
      }
    }
    cells.forEach((cell, offset) => {
      cell.style.transform = `translate(${spots[offset][0]}px, ${spots[offset][1]}px)`;
      cell.dataset.index = indices[offset].join();
    });
    frame.style.transform = cells[followed].style.transform;
    const sum = indices[followed].map((n, axis) => `${n}·${tensor.strides[axis]}`).join(" + ");
    address.replaceChildren(`shape ${listed(tensor.shape)}, strides ${listed(tensor.strides)}`,
      element("br"), `${numbers[followed].text} at [${indices[followed].join(", ")}]: `
      + `${sum} = ${followed}`);
  };
}

function render({ model, el }) {
  const sentences = model.get("sentences");
  const dim = model.get("dim");
  const [batch, length] = [sentences.length, sentences[0].length];
  const root = explorer(el, "Reshape explorer",
    "Try: go on step by step. One of the two ways leaves every token whole.");
  element("style", { text: LOOKS }, root);
  const put = setter(model);
  const divisors = Array.from({ length: dim }, (_, n) => n + 1).filter((n) => n > 1 && dim % n === 0);
  const place = controls(root);
  const showHeads = choice(place, "heads", divisors, (heads) => put("heads")(Number(heads)));
  const showStep = stepper(place, put("step"));
  const row = element("div", { class: "ex-row" }, root);
  element("p", { class: "ex-title", text: "in memory, from first to last: no step changes it" }, root);
  const strip = element("div", { class: "re-memory", role: "img", "aria-label": "memory" }, root);
  const say = status(root);
  const nameOf = (axis, b, n) => (axis === "token" ? sentences[b][n] : `${axis} ${n + 1}`);
  let [heads, ways, panels, memory, numbers] = [0];

  /** Another number of heads: other tensors. The numbers in the memory stay. */
  function rebuild() {
    heads = model.get("heads");
    ways = waysOf(batch, length, heads, dim / heads);
    const home = indicesOf(Object.values(ways)[0][1]); // sentence, token, head, place in the head
    numbers = home.map(([b, i, head, place]) => ({ b, i, head,
      text: `${sentences[b][i]} ${head * (dim / heads) + place + 1}`,
      colour: TOKEN_COLOURS[(b * length + i) % TOKEN_COLOURS.length], round: head / (heads - 1) }));
    row.replaceChildren();
    panels = Object.entries(ways).map(([title, steps]) =>
      panel(row, title, steps, numbers, nameOf, put("followed")));
    strip.replaceChildren();
    memory = numbers.map(({ text, colour, round }) => element("span", { text,
      style: `background: ${colour}; border-radius: ${round * 9}px` }, strip));
  }

  function update() {
    if (heads !== model.get("heads")) rebuild();
    const step = model.get("step");
    const followed = model.get("followed");
    showHeads(heads);
    showStep(step, 2);
    panels.forEach((draw) => draw(step, followed));
    memory.forEach((cell, offset) => cell.classList.toggle("re-followed", offset === followed));
    const { text, b, i, head } = numbers[followed];
    const wrong = indicesOf(ways["view alone"][1]);
    const [, asHead, asToken] = wrong[followed];
    const strangers = wrong.filter(([, h, t], n) => h !== numbers[n].head || t !== numbers[n].i);
    const taken = asHead === head && asToken === i ? `${text} is at home by chance`
      : `${text} is taken for part of ${sentences[b][asToken]}, in head ${asHead + 1}`;
    say([
      `${text} is number ${followed} in memory, counted from 0. One colour is one token; one shape, `
      + "from square to round, is one head's share of the features.",
      `The first way cuts every token into its ${heads} heads. View alone reads the memory on and on `
      + `and fills one head after the other: ${text} comes to head ${asHead + 1}.`,
      "After view and transpose every row is one token, every table one head. After view alone "
      + `${strangers.length} of ${numbers.length} numbers stand in the row of another token or in `
      + `another head: ${taken}.`,
    ][step]);
  }
  const changes = ["change:heads", "change:step", "change:followed"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
