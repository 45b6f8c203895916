// The way of one token through a language model: every stop stays, and the next one is added below.

import { bars, change, COLOURS, controls, element, explorer, paint, setter, slider, status, stepper,
  written } from "./drawing.js";

const [LEFT, COLUMN, ROW, TOP] = [112, 104, 29, 32]; // pixels
const [WIDE, HIGH] = [88, 13]; // of a vector
const LIMIT = 2.5; // of the colours: a normed number is rarely larger
const SHOWN = 3; // numbers of a vector that are written out
const HEADS = [COLOURS.key, COLOURS.query, COLOURS.context, COLOURS.value, COLOURS.other];
const TELLS = [ // a sentence whose words light up their part
  "Every token is a row of numbers, its ", "embedding", ". Its ", "position", " is added. In each block a ", "norm",
  " evens out a copy of the row, ", "heads", " look at the tokens so far, and what they find is added to the row. "
    + "Another norm; then the ", "feed-forward", " network works on each token alone, and its result is added, too. "
    + "After a ", "last norm", " the row is compared with all words: ", "next token", ".",
];
const NEXT = "next token";

const PASSAGE_STYLE = `
.pa-way { width: 100%; max-width: 760px; height: auto; display: block; }
.pa-way text { font-size: 13px; }
.pa-way .pa-stop { opacity: .13; transition: opacity .25s; }
.pa-way .pa-been { opacity: .75; }
.pa-way .pa-here, .pa-way .pa-lit { opacity: 1; }
.pa-way .pa-here .pa-name, .pa-way .pa-lit .pa-name { font-weight: bold; }
.pa-way .pa-frame { fill: none; stroke: none; }
.pa-way .pa-here .pa-frame { stroke: #d55e00; stroke-width: 2; }
.ex .pa-tells { max-width: 56em; }
.ex .pa-tells button { border: 0; padding: 0 2px; background: none; font-weight: 600; text-decoration: underline dotted;
  text-underline-offset: 3px; }
.ex .pa-tells button[aria-pressed=true], .ex .pa-tells button:hover, .ex .pa-tells button:focus {
  background: color-mix(in srgb, #d55e00 25%, transparent); text-decoration: underline; }
@media (prefers-reduced-motion: reduce) { .pa-way .pa-stop { transition: none; } }
`;

const length = (vector) => Math.hypot(...vector);
const minus = (a, b) => a.map((number, n) => number - b[n]);
const some = (vector) => `${vector.slice(0, SHOWN).map((number) => written(number)).join(", ")}, …`;
const isCopy = ({ part }) => part === "norm";

/** What stands behind a row: the last stop before it whose numbers are the token's own, not a copy's. */
const before = (stops, n) => stops.slice(0, n).findLast((stop) => !isCopy(stop));

/** One stop: its name, and a vector for each token. Returns draw(token, "" or "been" or "here", lit). */
function lane(svg, stops, n, tokens, chances) {
  const stop = stops[n];
  const y = TOP + n * ROW;
  const group = element("g", {}, svg);
  const name = stop.block ? `${stop.block} · ${stop.part}` : stop.part;
  element("text", { class: "pa-name", x: LEFT - 14, y: y + HIGH - 2, "text-anchor": "end", text: name }, group);
  const column = (i) => LEFT + i * COLUMN + (isCopy(stop) ? 8 : 0);
  const wires = element("g", {}, group);
  const next = stop.part === NEXT ? element("text", { y: y + HIGH - 1, "text-anchor": "middle",
    "font-weight": "bold" }, group) : null;
  const boxes = tokens.map((_, i) => element("rect", { x: column(i), y, width: WIDE, height: HIGH, rx: 2,
    fill: "#888", opacity: 0.3 }, group));
  const cells = stop.vectors?.[0].map((_, k) => element("rect", { y, width: WIDE / stop.vectors[0].length + 0.3,
    height: HIGH }, group)) ?? [];
  const frame = element("rect", { class: "pa-frame", y: y - 3, width: WIDE + 6, height: HIGH + 6, rx: 4 }, group);
  return (token, state, lit) => {
    group.setAttribute("class", `pa-stop ${state && `pa-${state}`} ${lit ? "pa-lit" : ""}`);
    boxes.forEach((box, i) => box.setAttribute("opacity", i === token || !stop.vectors ? 0 : 0.3));
    frame.setAttribute("x", column(token) - 3);
    cells.forEach((cell, k) => change(cell, { x: column(token) + (k * WIDE) / cells.length,
      fill: paint(stop.vectors[token][k], LIMIT)[0] }));
    if (next) change(next, { x: column(token) + WIDE / 2, text: chances[token][0][0] });
    wires.replaceChildren();
    if (!n) return;
    const from = y - ROW + HIGH;
    const middle = LEFT + token * COLUMN + WIDE / 2;
    const own = ["heads", "feed-forward"].includes(stop.part) ? from - ROW : from; // past the norm of the copy
    element("path", { d: `M ${middle - 34} ${own} L ${middle - 34} ${y}`, stroke: "#888", "stroke-width": 5, fill: "none" }, wires);
    if (stop.part === "feed-forward") {
      element("path", { d: `M ${middle + 8} ${from} L ${middle + 8} ${y}`, stroke: COLOURS.other, "stroke-width": 4,
        fill: "none" }, wires);
    }
    stop.weights?.forEach((head, h) => head[token].forEach((weight, j) => {
      const x = LEFT + j * COLUMN + WIDE / 2 + 8 * (h - 1);
      const to = middle + 8 * (h - 1);
      if (weight >= 0.02) {
        element("path", { d: `M ${x} ${from} C ${x} ${y - 4} ${to} ${from + 4} ${to} ${y}`, fill: "none",
          stroke: HEADS[h % HEADS.length], "stroke-width": 0.6 + 5 * weight, opacity: 0.85 }, wires);
      }
    }));
  };
}

/** What happens at a stop, in numbers. */
function account(stops, n, token, tokens, chances) {
  const { part, block, vectors, weights } = stops[n];
  const name = `“${tokens[token]}”`;
  if (part === NEXT) {
    const [[word, chance]] = chances;
    return `After ${name} the likeliest next token is “${word}”, with ${written(100 * chance, 0)} %.`;
  }
  const now = vectors[token];
  if (part === "embedding") return `${name} begins as ${now.length} numbers: ${some(now)}`;
  const old = before(stops, n).vectors[token];
  const [size, added] = [length(old), length(minus(now, old))].map((one) => written(one, 1));
  if (part === "position") return `Its place, ${token + 1}, is added: ${some(now)} What is added has length ${added}.`;
  if (part.endsWith("norm")) {
    return `${part === "norm" ? "A copy of the row" : "The row"} is evened out: of length ${size} before, `
      + `${written(length(now), 1)} now, ${some(now)}`;
  }
  if (part === "feed-forward") {
    return `Block ${block}: the network reads this token alone. Its result, of length ${added}, is added to a row of length ${size}.`;
  }
  const most = weights.map((head, h) => {
    const j = head[token].indexOf(Math.max(...head[token]));
    return `head ${h + 1} at “${tokens[j]}” (${written(head[token][j])})`;
  });
  return `Block ${block}: ${name} looks most, with ${most.join(", ")}. What they find, of length ${added}, is added to `
    + `a row of length ${size}.`;
}

function render({ model, el }) {
  const [tokens, chances] = [model.get("tokens"), model.get("chances")];
  const stops = [...model.get("stops"), { part: NEXT }];
  const root = explorer(el, "A token's way through the model",
    "Try: go on to the end; then choose another token, and watch which row of numbers the heads reach for.");
  element("style", { text: PASSAGE_STYLE }, root);
  const put = setter(model);
  let lit = ""; // a part that the prose points at

  const tells = element("p", { class: "pa-tells" }, root);
  const words = TELLS.map((text, n) => {
    if (n % 2 === 0) return void tells.append(text);
    const word = element("button", { type: "button", text }, tells);
    const light = (part) => () => { lit = part; update(); };
    word.addEventListener("pointerenter", light(text));
    word.addEventListener("focus", light(text));
    word.addEventListener("pointerleave", light(""));
    word.addEventListener("blur", light(""));
    word.addEventListener("click", () => put("step")(stops.findIndex(({ part }) => part === text)));
    return word;
  });
  const place = controls(root);
  const showStep = stepper(place, (step) => put("step")(step - 1), 1);
  const showToken = slider(place, "token", [0, tokens.length - 1, 1], put("token"), (token) => tokens[token]);

  const size = [LEFT + tokens.length * COLUMN, TOP + stops.length * ROW];
  const svg = element("svg", { class: "pa-way", viewBox: `0 0 ${size.join(" ")}`, role: "img" },
    element("div", { class: "ex-row" }, root));
  const title = element("title", {}, svg);
  const names = tokens.map((text, i) => element("text", { x: LEFT + i * COLUMN + WIDE / 2, y: TOP - 14, text,
    "text-anchor": "middle" }, svg));
  names.forEach((name, i) => {
    name.style.cursor = "pointer";
    name.addEventListener("click", () => put("token")(i));
  });
  const lanes = stops.map((_, n) => lane(svg, stops, n, tokens, chances));
  const labels = chances[0].map((_, n) => String(n + 1));
  const drawChances = bars(element("div", {}, root), { name: "chances of the next token", labels,
    columns: [NEXT, "chance"] });
  const say = status(root);

  function update() {
    const [step, token] = [model.get("step"), model.get("token")];
    showStep(step + 1, stops.length);
    showToken(token);
    names.forEach((name, i) => name.setAttribute("font-weight", i === token ? "bold" : "normal"));
    lanes.forEach((draw, n) => draw(token, n < step ? "been" : n === step ? "here" : "", stops[n].part === lit));
    words.forEach((word) => word?.setAttribute("aria-pressed", String(word.textContent === stops[step].part)));
    const next = chances[token];
    drawChances(next.map(([, chance]) => chance / next[0][1]), [next.map(([word]) => word), next.map(([, chance]) => written(chance))]);
    const told = account(stops, step, token, tokens, next);
    change(title, { text: `Step ${step + 1}: ${stops[step].part}. ${told}` });
    say(told);
  }
  const changes = ["change:step", "change:token"];
  changes.forEach((name) => model.on(name, update));
  update();
  return () => changes.forEach((name) => model.off(name, update));
}

export default { render };
