// All heads of a real model: what each of them looks at, and what the model says without some.
//
// A text is recorded as letters, one for each weight of the lower triangle, and for each set of heads
// that can be switched off: nothing, each head alone, each group. Another text, and another set, are
// asked of the kernel.

import { OWN_KEYS, button, change, choice, element, explorer, paint, setter, status, textLine,
  written } from "./drawing.js";

const BY_LAYER = -1;
const TYPED = -1; // the text is not recorded
const WIDE = 600; // pixels: with fewer, the layers stand in two bands
const FLIES = 450; // milliseconds to another order
const SLOTS = 6; // next words: five, and the one that all heads together say
const LARGE = 880; // pixels of the large map's canvas, which the page shows smaller
const NUMBERED = 14; // tokens: with more, a number does not fit into its cell
const FAINTEST = 0.02; // a smaller probability has no dashed outline
const MARK = "#d55e00";

const MODEL_STYLE = `
.mh .ex-control { grid-template-columns: 6.5em minmax(8em, 24em); }
.mh input[type=text] { grid-column: auto !important; }
.ex .mh-tip { max-width: none; }
.mh p:empty { display: none; }
.mh-sorts, .mh-offs { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 6px 0; }
.ex .mh-sorts button, .ex .mh-offs button { border-radius: 99px; padding: 3px 12px; }
.ex .mh-sorts button[aria-pressed=true], .ex .mh-offs button[aria-pressed=true] {
  border-color: ${MARK}; box-shadow: inset 0 0 0 1px ${MARK}; font-weight: 600; }
.ex .mh-offs button:disabled { opacity: 0.5; cursor: default; }
.ex .mh-says { min-height: 2.8em; max-width: none; font-size: 13px; margin: 2px 0; }
.mh-grid { position: relative; }
.mh-grid canvas { cursor: pointer; width: 100%; }
.mh-grid span { position: absolute; font-size: 10px; line-height: 1; text-align: center; opacity: 0.75;
  font-variant-numeric: tabular-nums; pointer-events: none; }
.mh-mark { position: absolute; left: 0; top: 0; box-sizing: border-box; border: 3px solid ${MARK};
  pointer-events: none; }
.mh-mark.mh-pointed { border-width: 2px; border-style: dotted; }
.mh-below { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 8px 28px;
  margin-top: 10px; }
@media (max-width: 760px) { .mh-below { grid-template-columns: minmax(0, 1fr); } }
.mh-map { display: grid; grid-template-columns: max-content minmax(0, 1fr); max-width: 440px;
  font-size: 11px; line-height: 1; }
.mh-map > div { display: grid; white-space: nowrap; }
.mh-above { grid-area: 1 / 2; align-items: end; padding-bottom: 4px; }
.mh-above span { writing-mode: vertical-rl; transform: rotate(180deg); justify-self: center; }
.mh-beside { grid-area: 2 / 1; justify-items: end; align-items: center; padding-right: 5px; }
.mh-map canvas { grid-area: 2 / 2; width: 100%; }
.mh-map .mh-at { font-weight: 700; color: ${MARK}; }
.mh-many { font-size: 9px; }
.ex .mh-points { font-size: 13px; min-height: 1.4em; font-variant-numeric: tabular-nums; }
.ex .mh-text { font-size: 15px; margin: 6px 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.mh-text b { background: color-mix(in srgb, #029e73 30%, transparent); border-radius: 3px;
  padding: 0 3px; white-space: pre; }
.mh-text b.mh-other { background: color-mix(in srgb, ${MARK} 35%, transparent); }
.ex table.mh-next { width: 100%; table-layout: fixed; }
.ex .mh-next td, .ex .mh-next th { padding: 2px 6px; border: 0; text-align: right; width: 3.4em; }
.ex .mh-next :is(tbody th, .mh-corner) { width: 5.6em; font-weight: 600; overflow: hidden;
  text-overflow: ellipsis; }
.ex .mh-next .mh-bars { width: auto; position: relative; }
.mh-next .ex-bar { position: relative; }
.mh-was { position: absolute; left: 6px; right: 6px; top: 50%; height: 17px; margin-top: -9px;
  box-sizing: border-box; border: 1px dashed currentColor; border-left: 0; border-radius: 0 3px 3px 0;
  opacity: 0.6; }
.mh-waits { opacity: 0.45; }
`;

/** A token as it is written beside a map. */
const label = (token) => token.replaceAll("\n", "↵").trim() || "␣";

/** A next token as it is written in a table. */
const quoted = (token) => `“${label(token)}”`;

/** A recorded or typed text, its letters turned into numbers. */
function readText(sentence, { letters, layers, heads }) {
  const values = new Uint8Array(256);
  [...letters].forEach((letter, hundredths) => { values[letter.charCodeAt(0)] = hundredths; });
  const numbers = (text) => Uint8Array.from(text, (letter) => values[letter.charCodeAt(0)]);
  const size = sentence.tokens.length;
  const cells = (size * (size + 1)) / 2;
  const maps = numbers(sentence.maps);
  const text = { ...sentence, size, labels: sentence.tokens.map(label), sprites: null,
    weight: (head, i, j) => maps[head * cells + (i * (i + 1)) / 2 + j] / 100 };
  text.sprites = spritesOf(text, layers, heads);
  if (sentence.answers) text.recorded = recordedAnswers(sentence, numbers);
  [[text.said]] = sentence.best ?? text.recorded(0); // the likeliest next word with all heads on
  return text;
}

/** Returns a function of a set's number that gives its next words: [word, now, with all heads on]. */
function recordedAnswers({ words, before, answers }, numbers) {
  const [was, coded] = [numbers(before), numbers(answers)];
  return (set) => {
    const rows = new Map();
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const at = 2 * (set * SLOTS + slot);
      const word = coded[at];
      rows.set(word, [words[word], coded[at + 1] / 100, was[word] / 100]);
    }
    return [...rows.values()];
  };
}

/** All maps in one picture, a pixel for each weight; what lies in the future is left clear. */
function spritesOf({ size, weight }, layers, heads) {
  const colours = Array.from({ length: 101 }, (_, hundredths) => (
    paint(hundredths / 100, 0)[0].match(/\d+/g).map(Number)));
  const canvas = element("canvas", { width: layers * size, height: heads * size });
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(canvas.width, canvas.height);
  for (let head = 0; head < layers * heads; head += 1) {
    const [left, top] = [Math.floor(head / heads) * size, (head % heads) * size];
    for (let i = 0; i < size; i += 1) {
      for (let j = 0; j <= i; j += 1) {
        const at = 4 * ((top + i) * canvas.width + left + j);
        image.data.set(colours[Math.round(100 * weight(head, i, j))], at);
        image.data[at + 3] = 255;
      }
    }
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

/**
 * The grid of thumbnails: one stop of the keyboard, in which arrows move, and the space bar presses.
 *
 * Returns { draw(shown), stop() }, where `shown` has the text, the order (ranks and which heads count),
 * the chosen head and those that are off.
 */
function thumbnails(parent, { layers, heads }, { onChoose, onPoint, onSwitch }) {
  const TOP = 14; // for the layers' numbers
  const LEFT = 14; // for the heads'
  const count = layers * heads;
  const place = element("div", { class: "mh-grid" }, parent);
  const canvas = element("canvas", { role: "slider", tabindex: 0, "aria-label": "heads",
    "aria-valuemin": 0, "aria-valuemax": count - 1, ...OWN_KEYS }, place);
  const marks = ["mh-mark mh-pointed", "mh-mark"].map((name) => element("div", { class: name }, place));
  const pen = canvas.getContext("2d");
  let shown;
  let from = null; // where the heads were, as they fly to another order
  let to = [];
  let frame = 0;
  let [columns, cell, bands] = [layers, 1, 1];
  let pointed = -1;

  const placeOf = (head) => {
    if (shown.ranks) {
      const rank = shown.ranks[head];
      return [LEFT + (rank % columns) * cell, TOP + Math.floor(rank / columns) * cell];
    }
    const [layer, row] = [Math.floor(head / heads), head % heads];
    const band = Math.floor(layer / columns);
    return [LEFT + (layer % columns) * cell, TOP + row * cell + band * (heads * cell + TOP)];
  };

  function name() {
    place.querySelectorAll("span").forEach((span) => span.remove());
    if (shown.ranks) return;
    for (let layer = 0; layer < layers; layer += 1) {
      const [x, y] = placeOf(layer * heads);
      element("span", { text: layer, style: `left: ${x}px; top: ${y - 12}px; width: ${cell}px`,
        "aria-hidden": "true" }, place);
    }
    for (let band = 0; band < bands; band += 1) {
      for (let row = 0; row < heads; row += 1) {
        const [, y] = placeOf(band * columns * heads + row);
        element("span", { text: row, style: `left: 0; top: ${y + cell / 2 - 5}px; width: ${LEFT - 4}px`,
          "aria-hidden": "true" }, place);
      }
    }
  }

  const whereAt = (share) => (head) => to[head].map((end, axis) => (
    from ? from[head][axis] + share * (end - from[head][axis]) : end));

  /** Frame the chosen head, and the one that is pointed at. */
  function mark(share = 1) {
    const where = whereAt(share);
    [pointed, shown.head].forEach((head, n) => {
      marks[n].hidden = head < 0;
      if (head < 0) return;
      const [x, y] = where(head);
      marks[n].style = `width: ${cell + 2}px; height: ${cell + 2}px; transform: translate(${x - 2.5}px, ${y - 2.5}px)`;
    });
  }

  function drawAt(share) {
    const scale = canvas.width / place.clientWidth;
    const { size, sprites } = shown.text;
    const side = cell - Math.max(1.5, cell * 0.1);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.imageSmoothingEnabled = size > side * scale;
    const where = whereAt(share);
    for (let head = 0; head < count; head += 1) {
      const [x, y] = where(head);
      const isOff = shown.off.includes(head);
      pen.globalAlpha = isOff || !shown.counts(head) ? 0.35 : 1;
      pen.drawImage(sprites, Math.floor(head / heads) * size, (head % heads) * size, size, size,
        x, y, side, side);
      if (!isOff) continue;
      pen.globalAlpha = 1;
      pen.strokeStyle = "#888";
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(x + 2, y + 2);
      pen.lineTo(x + side - 2, y + side - 2);
      pen.moveTo(x + side - 2, y + 2);
      pen.lineTo(x + 2, y + side - 2);
      pen.stroke();
    }
    mark(share);
  }

  /** Draw, at once or as the heads fly to their places. */
  function settle(flies) {
    cancelAnimationFrame(frame);
    if (!flies) {
      from = null;
      drawAt(1);
      return;
    }
    const began = performance.now();
    const step = (now) => {
      const share = Math.min(1, Math.max(0, (now - began) / FLIES));
      if (share === 1) return settle(false);
      drawAt(1 - (1 - share) ** 3);
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }

  function layOut() {
    const width = place.clientWidth;
    if (!width || !shown) return; // not in the page yet
    bands = width < WIDE ? 2 : 1;
    columns = Math.ceil(layers / bands);
    cell = (width - LEFT) / columns;
    const height = bands * (heads * cell + TOP);
    const scale = Math.min(2, Math.max(1, globalThis.devicePixelRatio));
    change(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    to = Array.from({ length: count }, (_, head) => placeOf(head));
    name();
    settle(false);
  }

  const at = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    return to.findIndex(([left, top]) => x >= left && x < left + cell && y >= top && y < top + cell);
  };
  const point = (head) => {
    if (head === pointed) return;
    pointed = head;
    onPoint(head);
    if (!from) mark();
  };
  canvas.addEventListener("pointermove", (event) => point(at(event)));
  canvas.addEventListener("pointerleave", () => point(-1));
  canvas.addEventListener("click", (event) => { if (at(event) >= 0) onChoose(at(event)); });
  canvas.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === " " || key === "Enter") {
      event.preventDefault();
      onSwitch();
      return;
    }
    const order = shown.ranks ? shown.order : Array.from({ length: count }, (_, head) => head);
    const rank = order.indexOf(shown.head);
    const [across, down] = shown.ranks ? [1, columns] : [heads, 1];
    const by = { ArrowRight: across, ArrowLeft: -across, ArrowDown: down, ArrowUp: -down,
      Home: -rank, End: count - 1 - rank }[key];
    if (by === undefined) return;
    event.preventDefault();
    const stays = !shown.ranks && (key === "ArrowDown" || key === "ArrowUp"); // in its layer
    const next = order[rank + by];
    if (next === undefined || (stays && Math.floor(next / heads) !== Math.floor(shown.head / heads))) return;
    onChoose(next);
  });
  const observer = new ResizeObserver(layOut);
  observer.observe(place);
  return {
    stop: () => observer.disconnect(),
    draw: (next) => {
      const moves = shown && shown.ranks !== next.ranks;
      const stays = shown && shown.text === next.text && shown.off.join() === next.off.join();
      const before = to;
      shown = next;
      change(canvas, { "aria-valuenow": shown.head, "aria-valuetext": shown.told });
      if (!to.length) return layOut();
      if (from && !moves) return undefined; // they fly, and are drawn all the time
      if (!moves) return stays ? mark() : drawAt(1);
      to = Array.from({ length: count }, (_, head) => placeOf(head));
      name();
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      from = still ? null : before;
      settle(!still);
    },
  };
}

/** The large map. Returns draw(text, head), and redraws itself where one points. */
function largeMap(parent) {
  const place = element("div", { class: "mh-map" }, parent);
  const above = element("div", { class: "mh-above", "aria-hidden": "true" }, place);
  const beside = element("div", { class: "mh-beside", "aria-hidden": "true" }, place);
  const canvas = element("canvas", { width: LARGE, height: LARGE, role: "img", tabindex: 0,
    "aria-label": "the large map: rows look, columns are looked at", ...OWN_KEYS }, place);
  const points = element("p", { class: "mh-points", "aria-live": "polite" }, parent);
  const pen = canvas.getContext("2d");
  let [text, head, at] = [null, 0, null];

  function draw() {
    const { size, labels, sprites, weight } = text;
    const cell = LARGE / size;
    const heads = sprites.height / size;
    pen.imageSmoothingEnabled = false;
    pen.clearRect(0, 0, LARGE, LARGE);
    pen.drawImage(sprites, Math.floor(head / heads) * size, (head % heads) * size, size, size, 0, 0, LARGE, LARGE);
    for (let line = 1; line < size; line += 1) {
      pen.clearRect(line * cell - 1, 0, 2, LARGE);
      pen.clearRect(0, line * cell - 1, LARGE, 2);
    }
    if (size <= NUMBERED) {
      pen.font = `${Math.min(34, cell * 0.36)}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      for (let i = 0; i < size; i += 1) {
        for (let j = 0; j <= i; j += 1) {
          const share = weight(head, i, j);
          if (share < 0.05) continue;
          [, pen.fillStyle] = paint(share, 0);
          pen.fillText(written(share), (j + 0.5) * cell, (i + 0.5) * cell);
        }
      }
    }
    [[above, 1], [beside, 0]].forEach(([line, axis]) => [...line.children].forEach((span, n) => (
      span.classList.toggle("mh-at", at !== null && at[axis] === n))));
    points.textContent = "Rows look, columns are looked at. Point at a cell, or move by arrow keys.";
    if (!at) return;
    const [i, j] = at;
    pen.strokeStyle = MARK;
    pen.lineWidth = 6;
    pen.strokeRect(j * cell, i * cell, cell, cell);
    points.textContent = `${labels[i]} (token ${i}) looks at ${labels[j]} (token ${j}): ${written(weight(head, i, j))}`;
  }

  const point = (i, j) => {
    const row = Math.min(text.size - 1, Math.max(0, i));
    at = [row, Math.min(row, Math.max(0, j))];
    draw();
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    point(Math.floor(((event.clientY - box.top) / box.height) * text.size),
      Math.floor(((event.clientX - box.left) / box.width) * text.size));
  });
  canvas.addEventListener("pointerleave", () => { at = null; draw(); });
  canvas.addEventListener("blur", () => { at = null; draw(); });
  canvas.addEventListener("keydown", (event) => {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
    if (!down && !right) return;
    event.preventDefault();
    const [i, j] = at ?? [text.size - 1 - down, 0 - right];
    point(i + down, j + right);
  });
  return (nextText, nextHead) => {
    if (nextText !== text) {
      at = null;
      const tracks = `repeat(${nextText.size}, minmax(0, 1fr))`;
      for (const [line, side] of [[above, "columns"], [beside, "rows"]]) {
        line.style = `grid-template-${side}: ${tracks}`;
        line.replaceChildren(...nextText.labels.map((word) => element("span", { text: word })));
      }
      place.classList.toggle("mh-many", nextText.size > 26);
    }
    [text, head] = [nextText, nextHead];
    draw();
  };
}

/** The likeliest next words. Returns draw(text, rows, some are off). */
function nextWords(parent) {
  const line = element("p", { class: "mh-text" }, parent);
  const table = element("table", { class: "mh-next", "aria-label": "the likeliest next words" }, parent);
  const head = element("tr", {}, element("thead", {}, table));
  element("td", { class: "mh-corner" }, head);
  element("td", { class: "mh-bars" }, head);
  const titles = ["now", "all on"].map((text) => element("th", { scope: "col", text }, head));
  const body = element("tbody", {}, table);
  const slots = Array.from({ length: SLOTS }, () => {
    const row = element("tr", {}, body);
    const word = element("th", { scope: "row" }, row);
    const bars = element("td", { class: "mh-bars" }, row);
    const was = element("div", { class: "mh-was" }, bars);
    const bar = element("div", { class: "ex-bar" }, bars);
    return { row, word, was, bar, numbers: [element("td", {}, row), element("td", {}, row)] };
  });
  return (text, rows, isOff) => {
    const [, space, word] = /^( *)([^]*)$/.exec(rows[0][0].replaceAll("\n", "↵"));
    line.replaceChildren(text.text + (word ? space : ""), element("b", { text: word || space,
      class: rows[0][0] === text.said ? "" : "mh-other" }));
    titles[1].style.visibility = isOff ? "visible" : "hidden";
    slots.forEach(({ row, word: name, was, bar, numbers }, slot) => {
      row.style.visibility = rows[slot] ? "visible" : "hidden";
      if (!rows[slot]) return;
      const [token, now, before] = rows[slot];
      name.textContent = label(token);
      bar.style.transform = `scaleX(${now})`;
      was.style.right = `calc(6px + (100% - 12px) * ${1 - before})`;
      was.hidden = !isOff || before < FAINTEST;
      numbers[0].textContent = written(now);
      numbers[1].textContent = isOff ? written(before) : "";
    });
  };
}

function render({ model, el }) {
  const recorded = model.get("recorded");
  const { layers, heads, kinds, groups, sentences } = recorded;
  const put = setter(model);
  const name = (head) => `${Math.floor(head / heads)}.${head % heads}`;
  const kindOf = (head) => kinds.findIndex((kind) => kind.heads.includes(head));
  const scoreOf = (head, kind) => written(kinds[kind].scores[head] / 100);
  const orders = kinds.map((kind) => {
    const counts = new Set(kind.heads);
    const order = kind.scores.map((_, head) => head)
      .sort((a, b) => counts.has(b) - counts.has(a) || kind.scores[b] - kind.scores[a] || a - b);
    const ranks = [];
    order.forEach((head, rank) => { ranks[head] = rank; });
    return { order, ranks, counts: (head) => counts.has(head) };
  });
  const texts = new Map(); // of the recorded ones, by index, as they are needed
  let typed = null;
  let isLive = false; // a kernel with a model answers
  const answers = new Map(); // of the kernel, by text and heads that are off
  let pointed = -1;

  const root = explorer(el, "270 heads of a real model");
  root.classList.add("mh");
  element("style", { text: MODEL_STYLE }, root);
  const tip = element("p", { class: "mh-tip" }, root);
  tip.append(element("b", { text: "Try: " }), "press ", element("i", { text: "repeats" }), ", then switch ",
    element("i", { text: "all 8" }), " off. What does the model say next? Then 8 others, to compare.");
  const chooseText = choice(root, "the text", sentences.map(({ label: text }, n) => [n, text]),
    (value) => { put("off")([]); put("sentence")(Number(value)); });
  const own = element("div", { hidden: "" }, root);
  const line = textLine(own, "or your own", (text) => {
    if (text === textNow().text) return;
    model.send({ read: text });
  });
  const complaint = element("p", { "aria-live": "polite" }, root);

  const sorts = element("div", { class: "mh-sorts", role: "group", "aria-label": "sort the heads" }, root);
  element("span", { text: "sort by", "aria-hidden": "true" }, sorts);
  const sortButtons = kinds.map((kind, n) => button(sorts, `${kind.name} (${kind.heads.length})`,
    () => {
      const on = model.get("order") === n;
      put("order")(on ? BY_LAYER : n);
      if (!on) put("head")(orders[n].order[0]);
    }));
  const says = element("p", { class: "mh-says" }, root);
  const grid = thumbnails(root, recorded, {
    onChoose: (head) => put("head")(head),
    onPoint: (head) => { pointed = head; showHead(); },
    onSwitch: () => switchHead(),
  });
  const below = element("div", { class: "mh-below" }, root);
  const left = element("div", {}, below);
  const title = element("p", { class: "ex-title" }, left);
  const drawLarge = largeMap(left);
  const right = element("div", {}, below);
  element("p", { class: "ex-title", text: "the text, and what comes next" }, right);
  const next = element("div", {}, right);
  const drawNext = nextWords(next);
  element("p", { class: "ex-title", text: "switch off" }, right);
  const offs = element("div", { class: "mh-offs", role: "group", "aria-label": "switch heads off" }, right);
  const headButton = button(offs, "", () => switchHead());
  const groupButtons = groups.map((group) => button(offs, group.name, () => (
    put("off")(isOff(group) ? [] : group.heads))));
  const allOn = button(offs, "all on again", () => {
    headButton.focus(); // a disabled button has no focus
    put("off")([]);
  });
  const say = status(right);

  const isOff = (group) => String(group.heads) === String(model.get("off"));

  function switchHead() {
    const [head, off] = [model.get("head"), model.get("off")];
    const others = isLive ? off.filter((one) => one !== head) : []; // one at a time is recorded
    put("off")(off.includes(head) ? others : [...others, head].sort((a, b) => a - b));
  }

  function textNow() {
    const index = model.get("sentence");
    if (index === TYPED && typed) return typed;
    const at = Math.max(0, index);
    if (!texts.has(at)) texts.set(at, readText(sentences[at], recorded));
    return texts.get(at);
  }

  /** The next words with the heads off that are off; null if nobody knows them yet. */
  function rowsNow() {
    const [text, off] = [textNow(), model.get("off")];
    if (!text.recorded && !off.length) return text.best;
    const group = groups.findIndex(isOff);
    const set = !off.length ? 0 : group >= 0 ? 1 + layers * heads + group : off.length === 1 ? 1 + off[0] : null;
    if (text.recorded && set !== null) return text.recorded(set);
    const key = JSON.stringify([text.text, off]);
    if (!answers.has(key) && isLive) {
      answers.set(key, null);
      model.send({ text: text.text, off });
    }
    return answers.get(key) ?? null;
  }

  function showHead() {
    const head = pointed >= 0 ? pointed : model.get("head");
    const kind = kindOf(head);
    title.textContent = `head ${name(head)}: ${kinds[kind].name}`;
    drawLarge(textNow(), head);
  }

  function update() {
    const [text, head, order] = [textNow(), model.get("head"), model.get("order")];
    const off = model.get("off");
    chooseText(model.get("sentence"));
    sortButtons.forEach((one, n) => one.setAttribute("aria-pressed", n === order));
    says.textContent = order === BY_LAYER
      ? `By layer: a column for each of ${layers} layers, the first on the left; in it its ${heads} heads. Head ${name(head)} is head ${head % heads} of layer ${Math.floor(head / heads)}, both counted from 0.`
      : kinds[order].says;
    const scores = kinds.slice(0, -1).map((kind, n) => `${kind.name} ${scoreOf(head, n)}`).join(", ");
    grid.draw({ text, head, off, told: `head ${name(head)}, ${kinds[kindOf(head)].name}`,
      ...(order === BY_LAYER ? { ranks: null, counts: () => true } : orders[order]) });
    showHead();
    headButton.textContent = `head ${name(head)}`;
    headButton.setAttribute("aria-pressed", off.includes(head));
    groupButtons.forEach((one, n) => {
      one.hidden = groups[n].kind !== order && !isOff(groups[n]);
      one.setAttribute("aria-pressed", isOff(groups[n]));
    });
    allOn.disabled = !off.length;
    const rows = rowsNow();
    next.classList.toggle("mh-waits", !rows);
    const group = groups.find(isOff);
    const without = group ? `${group.name.replace("all ", "the ")} (${kinds[group.kind].name})` : off.map(name).join(", ");
    const about = `Head ${name(head)} scores: ${scores}.`;
    if (!rows) {
      say(isLive ? `Reading without ${without} …` : "This set is not recorded: it takes a kernel and the real model.");
      return;
    }
    drawNext(text, rows, off.length > 0);
    const was = rows.find(([word]) => word === text.said);
    say(off.length ? `Without ${without}: ${quoted(was[0])} goes from ${written(was[2])} to ${written(was[1])}. ${about}`
      : `All ${layers * heads} heads are on: ${quoted(rows[0][0])} is likeliest, ${written(rows[0][1])}. ${about}`);
  }

  function hear(content) {
    complaint.textContent = content.failed ?? "";
    if (content.ready) {
      isLive = true;
      own.hidden = false;
      line(textNow().text);
    }
    if (content.sentence) {
      if (!typed) element("option", { value: TYPED, text: "your own" }, root.querySelector("select"));
      typed = readText(content.sentence, recorded);
      put("off")([]);
      put("sentence")(TYPED);
      update();
    }
    if (content.best) {
      answers.set(JSON.stringify([content.text, content.off]), content.best);
      update();
    }
  }

  const changes = ["change:sentence", "change:order", "change:head", "change:off"];
  changes.forEach((one) => model.on(one, update));
  model.on("msg:custom", hear);
  update();
  const greet = () => model.send({ hello: true });
  model.on("joined", greet); // a kernel may come later than the page
  greet();
  return () => {
    grid.stop();
    changes.forEach((one) => model.off(one, update));
    model.off("msg:custom", hear);
  };
}

export default { render };
