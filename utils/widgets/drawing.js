// What the explorers draw with: controls, a heatmap, bars, lines and arrows.
//
// Each function adds something to the page and returns a function that redraws it. Colours are those
// of utils.plots. What can be moved can be focused, and says what it shows to a screen reader.

// JupyterLab takes the arrow keys and others for itself unless this attribute says not to.
export const OWN_KEYS = { "data-lm-suppress-shortcuts": "true" };

export const COLOURS = { // told apart by colour-blind readers, on white and on black
  key: "#0173b2", query: "#d55e00", context: "#029e73", value: "#cc78bc", other: "#de8f05",
};
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962",
  "#addc30", "#fde725"];
const VLAG = ["#2369bd", "#678bbe", "#9baecb", "#cfd4e0", "#faf5f4", "#e7c8c6", "#d39794", "#bf6765",
  "#a9373b"];
const MANY = 16; // tokens: from here on a table of cells gets slow, and a canvas takes its place
const MOST_NAMED = 40; // tokens: with more than these, words would be larger than their cells
const LONGER_SIDE = 440; // of such a canvas, in pixels
const GLIDE = 160; // milliseconds from one state to the next
const SETTLED = 600; // milliseconds without a change, after which what is said is spoken
const GLIDING = 150; // cells of a table: with more, their colours follow at once
const FAINT = 0.05; // a smaller weight has a colour, and its number where one points at it

const STYLE = `
.ex { font: 14px/1.4 var(--jp-ui-font-family, system-ui, sans-serif); max-width: 900px;
  box-sizing: border-box;
  color: var(--jp-ui-font-color1, currentColor); --ex-line: #888; --ex-paper: var(--jp-layout-color0, Canvas);
  background: var(--ex-paper); border: 1px solid color-mix(in srgb, currentColor 22%, transparent);
  border-radius: 10px; padding: 12px 16px; }
.ex .ex-name { font-size: 15px; font-weight: 600; margin: 0 0 6px; }
.ex .ex-try { margin: 0 0 8px; max-width: none; }
.ex .ex-try:empty { display: none; }
.ex [role=status]:not(:empty) { font-size: 13px; margin: 8px 0 0; padding-top: 8px;
  max-width: none; border-top: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
@media (max-width: 640px) { /* what moves a picture stays in sight with it */
  .ex { padding: 10px 12px; }
  .ex-controls { position: sticky; top: 0; z-index: 2; background: var(--ex-paper); padding-bottom: 4px; }
}
.ex-row { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: flex-start; }
.ex-row > * { min-width: 0; }
.ex .ex-title { font-weight: bold; margin: 6px 0 2px; }
.ex p { margin: 4px 0; max-width: 46em; }
.ex-control { display: grid; grid-template-columns: minmax(7em, 11em) minmax(8em, 16em) 5em; gap: 8px;
  align-items: center; margin: 2px 0; }
.ex-steps { display: flex; gap: 8px; align-items: center; margin: 4px 0; }
.ex-steps button { min-width: 5.5em; }
.ex-steps button:disabled { opacity: 0.5; cursor: default; }
.ex-check { display: inline-flex; gap: 6px; align-items: center; margin: 2px 14px 2px 0; }
.ex input, .ex select, .ex button { font: inherit; accent-color: #0173b2; max-width: 100%; }
.ex input[type=range] { width: 100%; margin: 0; }
.ex input[type=text], .ex select, .ex button { color: inherit; border: 1px solid var(--ex-line);
  border-radius: 3px; padding: 2px 8px; background: var(--jp-layout-color1, Canvas); }
.ex button { cursor: pointer; }
.ex :focus-visible { outline: 3px solid #d55e00; outline-offset: 1px; }
.ex output, .ex table { font-variant-numeric: tabular-nums; }
.ex .ex-scroll { overflow-x: auto; max-width: 100%; }
.ex table { border-collapse: collapse; margin: 4px 0; font-size: 13px; }
.ex table tr, .ex table tr:nth-child(even), .ex table tr:hover { background: transparent; }
.ex th { font-weight: normal; padding: 1px 6px; text-align: right; white-space: nowrap;
  color: inherit; background: transparent; border: 0; }
.ex thead { border: 0; }
.ex thead th { text-align: center; }
.ex-map td { min-width: 30px; height: 26px; padding: 0 3px; text-align: center; border: 0;
  box-shadow: inset 0 0 0 1px var(--ex-paper); }
.ex-map td[tabindex] { cursor: pointer; }
.ex-map td.ex-closed { color: inherit !important; text-shadow: 0 0 3px var(--ex-paper),
  0 0 3px var(--ex-paper); background: repeating-linear-gradient(45deg,
  var(--ex-paper), var(--ex-paper) 4px, var(--ex-line) 4px, var(--ex-line) 5px) !important; }
.ex-map td.ex-framed { box-shadow: inset 0 0 0 2px #d55e00; }
.ex-map td.ex-marked { box-shadow: inset 0 0 0 3px #d55e00; }
.ex-bars td { padding: 1px 6px; text-align: right; border: 0; }
.ex-bars td:last-child { width: 160px; text-align: left; }
.ex-bar { height: 13px; background: #0173b2; border-radius: 2px; transform-origin: left; }
.ex svg text { fill: currentColor; font-size: 12px; }
.ex canvas { display: block; max-width: 100%; height: auto; }
.ex-fades { display: block; position: relative; width: fit-content; max-width: 100%; }
.ex-fades canvas + canvas { position: absolute; inset: 0; opacity: 0; pointer-events: none; }
/* What the keyboard or a button changes glides; under a finger it follows at once. */
@media (prefers-reduced-motion: no-preference) {
  .ex:not(:active) :is(.ex-map:not(.ex-many) td, .ex-bar, .ex-tip, path, circle, rect) {
    transition: ${GLIDE}ms; transition-property: background-color, transform, d, cx, cy, y, height, fill;
  }
}
.ex-named { display: grid; grid-template-columns: max-content max-content; width: max-content; font-size: 10px; }
.ex-named .ex-fades { grid-area: 2 / 2; max-width: none; }
.ex-named div { display: grid; line-height: 1; white-space: nowrap; }
.ex-named .ex-above { grid-area: 1 / 2; grid-auto-flow: column; align-items: end; padding-bottom: 3px; }
.ex-named .ex-above span { writing-mode: vertical-rl; transform: rotate(180deg); width: 100%;
  display: flex; align-items: center; }
.ex-named .ex-beside { grid-area: 2 / 1; align-items: center; justify-items: end; padding-right: 4px; }
.ex-tokens { display: flex; flex-wrap: wrap; gap: 4px; }
.ex-token { border: 1px solid var(--ex-line); border-radius: 3px; padding: 1px 6px; }
.ex-token[aria-current] { font-weight: bold; border: 2px solid #d55e00; }
`;

const SVG = new Set(["svg", "g", "line", "path", "polyline", "text", "circle", "rect", "title"]);

/** One element. The attribute `text` is its text; undefined and null are left out. */
export function element(tag, attributes = {}, parent = null) {
  const node = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  change(node, attributes);
  if (parent) parent.append(node);
  return node;
}

/** Give an element attributes, as `element` does. */
export function change(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value !== undefined && value !== null) node.setAttribute(name, value);
  }
}

/** The root of an explorer, with the style that all share, its name, and what to try. */
export function explorer(el, name, task) {
  // A group: a page may hold several of one name, which landmarks may not.
  const root = element("div", { class: "ex", role: "group", "aria-label": name }, el);
  element("style", { text: STYLE }, root);
  element("p", { class: "ex-name", text: name }, root);
  element("p", { class: "ex-try", text: task }, root);
  return root;
}

/** What a control calls: setter(model)(name) is a function that gives the trait `name` a value. */
export const setter = (model) => (name) => (value) => {
  model.set(name, value);
  model.save_changes();
};

/** A place for what moves the picture; on a phone it stays in sight. */
export const controls = (root) => element("div", { class: "ex-controls" }, root);

/** A number as people write it: with a true minus, and no minus in front of a zero. */
export function written(number, digits = 2) {
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const text = number.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// The value beside a control: the control itself says it to a screen reader, so this does not.
const VALUE = { "aria-live": "off" };

/** A named slider. `shown` turns its value into the text beside it. */
export function slider(parent, name, [min, max, step], onInput, shown = String) {
  const label = element("label", { class: "ex-control" }, parent);
  element("span", { text: name }, label);
  const input = element("input", { type: "range", min, max, step, ...OWN_KEYS }, label);
  const output = element("output", VALUE, label);
  input.addEventListener("input", () => onInput(Number(input.value)));
  return (value) => {
    input.value = value;
    output.textContent = shown(value);
    input.setAttribute("aria-valuetext", output.textContent);
  };
}

/** A named list to choose from; `options` are texts, or [value, text] where they differ. */
export function choice(parent, name, options, onChange) {
  const label = element("label", { class: "ex-control" }, parent);
  element("span", { text: name }, label);
  const select = element("select", OWN_KEYS, label);
  for (const option of options) {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    element("option", { value, text }, select);
  }
  select.addEventListener("change", () => onChange(select.value));
  return (value) => { select.value = value; };
}

export function checkbox(parent, name, onChange) {
  const label = element("label", { class: "ex-check" }, parent);
  const input = element("input", { type: "checkbox", ...OWN_KEYS }, label);
  label.append(name);
  input.addEventListener("change", () => onChange(input.checked));
  return (checked) => { input.checked = checked; };
}

/** A line of text, sent by Enter or by leaving it. */
export function textLine(parent, name, onChange) {
  const label = element("label", { class: "ex-control" }, parent);
  element("span", { text: name }, label);
  const input = element("input", { type: "text", autocomplete: "off", spellcheck: "false",
    style: "grid-column: span 2", ...OWN_KEYS }, label);
  const send = () => onChange(input.value);
  input.addEventListener("change", send);
  // JupyterLab takes Enter for itself, so that no change comes of it.
  input.addEventListener("keydown", ({ key }) => { if (key === "Enter") send(); });
  return (text) => { input.value = text; };
}

export function button(parent, name, onClick) {
  const node = element("button", { type: "button", text: name, ...OWN_KEYS }, parent);
  node.addEventListener("click", onClick);
  return node;
}

/** Buttons to go through the steps `first` to `last`, and to begin again. Returns draw(step, last). */
export function stepper(parent, onStep, first = 0) {
  const row = element("div", { class: "ex-steps", role: "group", "aria-label": "steps" }, parent);
  let [at, end] = [first, first];
  const back = button(row, "Back", () => onStep(at - 1));
  const next = button(row, "Next", () => onStep(at < end ? at + 1 : first));
  const place = element("output", {}, row);
  return (step, last) => {
    [at, end] = [step, last];
    // A disabled button has no focus.
    if (step === first && document.activeElement === back) next.focus();
    back.disabled = step === first;
    next.textContent = step < last ? "Next" : "Start again";
    place.textContent = `step ${step} of ${last}`;
  };
}

/** Dragging over `node` calls onDrag(x, y): shares of its width and height, from the top left. */
export function draggable(node, onDrag) {
  node.addEventListener("pointerdown", (event) => node.setPointerCapture(event.pointerId));
  node.addEventListener("pointermove", (event) => {
    if (!node.hasPointerCapture(event.pointerId)) return;
    const box = node.getBoundingClientRect();
    onDrag((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  });
}

/**
 * A sentence below the picture. A screen reader speaks it once it has stood still for a moment, and
 * not at every degree of a slider or every word that is being written.
 */
export function status(parent) {
  const line = element("p", { role: "status" }, parent);
  let pause = 0;
  return (text) => {
    if (line.textContent === text) return;
    line.setAttribute("aria-live", "off");
    line.textContent = text;
    clearTimeout(pause);
    pause = setTimeout(() => {
      line.removeAttribute("aria-live");
      line.textContent = text; // only a change is spoken
    }, SETTLED);
  };
}

/** Of boxes with the same controls one is a stop of the keyboard; arrows lead to the others. */
export function oneStop(boxes) {
  const within = (box) => [...box.querySelectorAll("button, input")];
  const stopAt = (at) => boxes.forEach((box, n) => {
    within(box).forEach((node) => { node.tabIndex = n === at ? 0 : -1; });
  });
  stopAt(0);
  boxes.forEach((box, n) => {
    box.addEventListener("focusin", () => stopAt(n));
    box.addEventListener("keydown", (event) => {
      const to = boxes[{ ArrowLeft: n - 1, ArrowRight: n + 1, Home: 0, End: boxes.length - 1 }[event.key]];
      if (!to) return;
      event.preventDefault();
      within(to)[within(box).indexOf(event.target)].focus();
    });
  });
}

function mixed(palette, share) {
  const place = Math.min(1, Math.max(0, share)) * (palette.length - 1);
  const low = Math.min(Math.floor(place), palette.length - 2);
  const part = (hex, at) => parseInt(hex.slice(at, at + 2), 16);
  return [1, 3, 5].map((at) => Math.round(
    part(palette[low], at) + (place - low) * (part(palette[low + 1], at) - part(palette[low], at))));
}

/** Relative luminance (WCAG 2.2). Above 0.179 black contrasts more than white. */
function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Background and text of a cell. Weights lie between 0 and 1, signed scores within ±limit. */
export function paint(value, limit) {
  const share = limit ? (value / limit + 1) / 2 : value;
  const rgb = mixed(limit ? VLAG : VIRIDIS, Number.isNaN(share) ? 0 : share);
  return [`rgb(${rgb})`, luminance(rgb) > 0.179 ? "#000" : "#fff"];
}

/**
 * A heatmap: rows are queries, columns keys.
 *
 * Returns draw(values, { limit, closed, framed, marked, digits }): with a `limit` the values are scores
 * within ±limit, without it weights; `closed` and `framed` (matrices of booleans) are hatched and
 * framed, `marked` = [i, j] more strongly (null in place of j: the whole row, of i: the column).
 * Given `onPoint(i, j)`, cells can be reached by mouse and arrow keys; given `onPress(i, j)`, also
 * pressed, by click, Enter or the space bar. Up to 16 rows and columns are a table that screen
 * readers can read; more are a canvas, with its words up to 40, and so is a small picture, of `side`
 * pixels, without any.
 */
export function heatmap(parent, { name, rows, columns, onPoint, onPress, side }) {
  const big = side || Math.max(rows.length, columns.length) > MANY;
  return big ? canvasMap(parent, name, rows, columns, onPoint, side)
    : tableMap(parent, name, rows, columns, onPoint, onPress);
}

function tableMap(parent, name, rows, columns, onPoint, onPress) {
  const live = onPoint || onPress;
  const scroll = element("div", { class: "ex-scroll" }, parent);
  const many = rows.length * columns.length > GLIDING;
  const table = element("table", { class: `ex-map${many ? " ex-many" : ""}`, "aria-label": name,
    role: live ? "grid" : undefined }, scroll);
  const head = element("tr", {}, element("thead", {}, table));
  element("td", {}, head);
  columns.forEach((text) => element("th", { scope: "col", text }, head));
  const body = element("tbody", {}, table);
  const cells = rows.map((text, i) => {
    const row = element("tr", {}, body);
    element("th", { scope: "row", text }, row);
    return columns.map((_, j) => {
      const cell = element("td", live ? { tabindex: i + j ? -1 : 0, ...OWN_KEYS } : {}, row);
      if (onPoint) {
        cell.addEventListener("pointerenter", () => onPoint(i, j));
        cell.addEventListener("focus", () => onPoint(i, j));
      }
      if (onPress) cell.addEventListener("click", () => onPress(i, j));
      return cell;
    });
  });
  if (live) moveByKeys(table, cells, onPress);
  return (values, { limit = 0, closed, framed, marked, digits = 2 } = {}) => {
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const value = values[i][j];
      const shut = Boolean(closed?.[i][j]);
      const [background, colour] = paint(value, limit);
      const isFaint = !limit && (shut ? value === 0 : digits > 0 && value < FAINT);
      const text = isFaint ? "" : written(value, digits);
      if (cell.textContent !== text) cell.textContent = text;
      cell.title = isFaint ? written(value) : "";
      cell.style.background = background;
      cell.style.color = colour;
      cell.classList.toggle("ex-closed", shut);
      cell.dataset.value = value; // in full, as the text is rounded
      cell.classList.toggle("ex-framed", Boolean(framed?.[i][j]));
      cell.classList.toggle("ex-marked",
        Boolean(marked) && (marked[0] ?? i) === i && (marked[1] ?? j) === j);
    }));
  };
}

/** One cell is reached by Tab, the others from it by arrow keys. */
function moveByKeys(table, cells, onPress) {
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  table.addEventListener("keydown", (event) => {
    const i = cells.findIndex((row) => row.includes(event.target));
    if (i < 0) return;
    const j = cells[i].indexOf(event.target);
    const [down, right] = STEPS[event.key] ?? [0, 0];
    const next = cells[i + down]?.[j + right];
    if (onPress && (event.key === "Enter" || event.key === " ")) onPress(i, j);
    else if (!STEPS[event.key]) return;
    else if (next) {
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
    event.preventDefault();
  });
}

function canvasMap(parent, name, rows, columns, onPoint, side) {
  const longest = Math.max(rows.length, columns.length);
  const cell = (side ?? LONGER_SIDE) / longest;
  const place = side || longest > MOST_NAMED ? parent : named(parent, rows, columns, cell);
  const canvas = element("canvas", { width: cell * columns.length, height: cell * rows.length,
    role: "img", "aria-label": name, tabindex: onPoint ? 0 : undefined, ...(onPoint && OWN_KEYS) },
  element("span", { class: "ex-fades" }, place));
  const pen = canvas.getContext("2d");
  let fade = () => { fade = fading(canvas); }; // the first picture has none before it
  let at = [0, 0];
  const point = (i, j) => {
    at = [Math.min(rows.length - 1, Math.max(0, i)), Math.min(columns.length - 1, Math.max(0, j))];
    onPoint(...at);
  };
  if (onPoint) {
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      point(Math.floor(((event.clientY - box.top) / box.height) * rows.length),
        Math.floor(((event.clientX - box.left) / box.width) * columns.length));
    });
    const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    canvas.addEventListener("keydown", (event) => {
      if (!STEPS[event.key]) return;
      point(at[0] + STEPS[event.key][0], at[1] + STEPS[event.key][1]);
      event.preventDefault();
    });
  }
  return (values, { limit = 0, closed, framed, marked } = {}) => {
    fade();
    values.forEach((row, i) => row.forEach((value, j) => {
      [pen.fillStyle] = closed?.[i][j] ? ["#888"] : paint(value, limit);
      pen.fillRect(j * cell, i * cell, cell + 0.5, cell + 0.5);
    }));
    pen.strokeStyle = COLOURS.query;
    pen.lineWidth = 2;
    framed?.forEach((row, i) => row.forEach((yes, j) => {
      if (yes) pen.strokeRect(j * cell + 1, i * cell + 1, cell - 2, cell - 2);
    }));
    if (!marked) return;
    pen.lineWidth = 3;
    const [i, j] = marked;
    pen.strokeRect((j ?? 0) * cell, (i ?? 0) * cell, j === null ? canvas.width : cell,
      i === null ? canvas.height : cell);
  };
}

/** Returns a function that copies a canvas as it is; the copy lies above it and fades away. */
function fading(canvas) {
  const { width, height } = canvas;
  const copy = element("canvas", { width, height, "aria-hidden": "true" }, canvas.parentElement);
  const pen = copy.getContext("2d");
  return () => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || canvas.closest(".ex:active")) return;
    pen.drawImage(canvas, 0, 0);
    copy.animate({ opacity: [1, 0] }, GLIDE);
  };
}

/** The words of a canvas above and beside it. Returns the place for the canvas. */
function named(parent, rows, columns, cell) {
  const place = element("div", { class: "ex-named" }, element("div", { class: "ex-scroll" }, parent));
  const write = (words, where, tracks) => {
    const line = element("div", { class: where, style: `${tracks}: ${cell}px`, "aria-hidden": "true" }, place);
    words.forEach((text) => element("span", { text }, line));
  };
  write(columns, "ex-above", "grid-auto-columns");
  write(rows, "ex-beside", "grid-auto-rows");
  return place;
}

/** A vector as a strip of colours within ±limit, one for each number. Returns draw(vector, limit). */
export function strip(parent, name, length) {
  const HEIGHT = 16;
  const canvas = element("canvas", { width: length, height: 1, role: "img", "aria-label": name,
    style: `width: 100%; max-width: 420px; height: ${HEIGHT}px; image-rendering: pixelated` }, parent);
  const pen = canvas.getContext("2d");
  return (vector, limit) => vector.forEach((value, n) => {
    [pen.fillStyle] = paint(value, limit);
    pen.fillRect(n, 0, 1, 1);
  });
}

/** A bar for each label. Returns draw(lengths from 0 to 1, { columns: texts by column }). */
export function bars(parent, { name, labels, columns = ["weight"] }) {
  const table = element("table", { class: "ex-bars", "aria-label": name }, parent);
  const head = element("tr", {}, element("thead", {}, table));
  element("td", {}, head);
  columns.forEach((text) => element("th", { scope: "col", text }, head));
  element("td", {}, head);
  const body = element("tbody", {}, table);
  const rows = labels.map((label) => {
    const row = element("tr", {}, body);
    element("th", { scope: "row", text: label }, row);
    const texts = columns.map(() => element("td", {}, row));
    return { texts, bar: element("div", { class: "ex-bar" }, element("td", {}, row)) };
  });
  return (lengths, texts) => rows.forEach(({ texts: cells, bar }, n) => {
    cells.forEach((cell, column) => { cell.textContent = texts[column][n]; });
    bar.style.transform = `scaleX(${Math.max(0.006, lengths[n] || 0)})`; // a pixel, for the least
    bar.dataset.value = lengths[n]; // in full, as the text is rounded
  });
}

const TICK_LINES = 3;

/**
 * Axes with lines. Returns draw(lines): each { points: [[x, y], …], colour, dashes, wide }, or one of
 * one point, which is drawn as a dot. `ticks`, [[x, text], …] from left to right, are named below the
 * axis, by turns in three lines, instead of its ends. Dragging from side to side calls onDrag(x).
 */
export function chart(parent, { name, x: [left, right], y: [bottom, top], xName, yName,
  width = 340, height = 220, ticks, onDrag }) {
  const hand = onDrag ? "; touch-action: pan-y; user-select: none; cursor: ew-resize" : "";
  const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": name, style: `max-width: 100%; height: auto${hand}` }, parent);
  const px = (x) => 46 + ((x - left) / (right - left)) * (width - 60);
  if (onDrag) {
    draggable(svg, (share) => {
      const x = left + ((share * width - 46) / (width - 60)) * (right - left);
      onDrag(Math.min(right, Math.max(left, x)));
    });
  }
  const below = ticks ? 66 : 38; // pixels below the axis
  const py = (y) => height - below - ((y - bottom) / (top - bottom)) * (height - below - 12);
  const grey = { stroke: "#888", "stroke-width": 1 };
  element("line", { x1: px(left), x2: px(right), y1: py(bottom), y2: py(bottom), ...grey }, svg);
  element("line", { x1: px(left), x2: px(left), y1: py(bottom), y2: py(top), ...grey }, svg);
  const signed = (value) => String(value).replace("-", "−");
  const say = (x, y, text, anchor, more = {}) =>
    element("text", { x, y, text, "text-anchor": anchor, ...more }, svg);
  // Below the axis lines are counted in letters: on a slide these are larger.
  const sayBelow = (x, line, text, more) =>
    say(x, py(bottom) + 4, text, "middle", { dy: `${1 + 1.15 * line}em`, ...more });
  const texts = ticks ?? [left, right].map((value) => [value, signed(value)]);
  texts.forEach(([value, text], n) => sayBelow(px(value), ticks ? n % TICK_LINES : 0, text));
  [bottom, top].forEach((value) => say(42, py(value) + 4, signed(value), "end"));
  sayBelow((px(left) + px(right)) / 2, ticks ? TICK_LINES : 1, xName, { class: "ex-axis" });
  const [x, y] = [12, (py(bottom) + py(top)) / 2];
  say(x, y, yName, "middle", { class: "ex-axis", transform: `rotate(-90 ${x} ${y})` });
  const drawn = element("g", {}, svg);
  let shown = ""; // kinds of the lines; as long as they stay, each glides to its new place
  return (lines) => {
    const kinds = lines.map(({ points }) => (points.length > 1 ? "path" : "circle"));
    if (shown !== kinds.join()) drawn.replaceChildren(...kinds.map((kind) => element(kind)));
    shown = kinds.join();
    lines.forEach(({ points, colour, dashes = "none", wide = 2.5 }, n) => {
      const inside = points.map(([x, y]) => [px(x), py(Math.min(top, Math.max(bottom, y)))]);
      const [[cx, cy]] = inside;
      change(drawn.children[n], kinds[n] === "circle" ? { cx, cy, r: 5, fill: colour }
        : { d: `M ${inside.join(" L ")}`, fill: "none", stroke: colour, "stroke-width": wide,
          "stroke-dasharray": dashes });
    });
  };
}

export const REACH = 4.2; // of a plane of vectors, from the origin to the edge, in units of the keys
const SIDE = 300; // of such a plane, in pixels

/** A plane for vectors of two numbers; `arrow` draws in it. */
export const vectorPlane = (parent, style = "") => element("svg", { width: SIDE, height: SIDE,
  role: "img", style: `border: 1px solid var(--ex-line); ${style}` }, parent);

/** An arrow from the origin, with its label beyond its tip. Returns draw([x, y]). */
export function arrow(plane, colour, width, label, dashes) {
  const across = (x) => SIDE / 2 + (x / REACH) * (SIDE / 2);
  const down = (y) => across(-y);
  const line = element("path", { stroke: colour, "stroke-width": width, "stroke-dasharray": dashes }, plane);
  const head = element("circle", { fill: colour, r: width + 2 }, plane);
  const text = element("text", { class: "ex-tip", "font-weight": "bold", "text-anchor": "middle",
    "dominant-baseline": "middle", text: label }, plane);
  return ([x, y]) => {
    const [cx, cy] = [across(x), down(y)];
    change(line, { d: `M ${across(0)} ${down(0)} L ${cx} ${cy}` });
    change(head, { cx, cy });
    const far = 1 + 0.5 / (Math.hypot(x, y) || 1);
    text.style.transform = `translate(${across(x * far)}px, ${down(y * far)}px)`;
  };
}

/** What the arrows of a plane are, below it: [mark, colour] each. Returns a say(text) for each. */
export function planeLegend(figure, arrows) {
  const legend = element("figcaption", { style: "text-align: center" }, figure);
  return arrows.map(([mark, colour]) => {
    element("span", { text: mark, style: `color: ${colour}`, "aria-hidden": "true" }, legend);
    const words = element("span", {}, legend);
    return (text) => { words.textContent = ` ${text} `; };
  });
}
