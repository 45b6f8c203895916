// Scores become weights: what temperature does, and what the width of the vectors does.

import { entropy, softmax } from "./arithmetic.js";
import { COLOURS, bars, chart, choice, controls, draggable, element, explorer, planeLegend, setter,
  slider, status, written } from "./drawing.js";

const [ACROSS, TALL] = [400, 190]; // pixels of the scores to drag
const NAMED = 0.09; // a smaller share of the whole has no room for its word

const SHARES_STYLE = `
.so-whole { display: flex; height: 24px; width: 100%; max-width: 400px; margin: 4px 0; overflow: hidden;
  border-radius: 3px; font-size: 13px; line-height: 24px; text-align: center; color: #fff; }
.so-whole span { flex: 0 0 auto; overflow: hidden; white-space: nowrap; background: #0173b2;
  box-shadow: inset -1px 0 0 var(--ex-paper); }
.so-whole span:nth-child(even) { background: #1f5a7d; }
.so-hold { touch-action: none; cursor: ns-resize; max-width: 100%; height: auto; }
@media (prefers-reduced-motion: no-preference) { .ex:not(:active) .so-whole span { transition: width 160ms; } }
`;

/** All weights as parts of one bar: what one gains, the others lose. Returns draw(weights). */
function whole(parent, labels) {
  const line = element("div", { class: "so-whole", "aria-hidden": "true" }, parent);
  const parts = labels.map(() => element("span", {}, line));
  return (weights) => parts.forEach((part, n) => {
    part.style.width = `${100 * weights[n]}%`;
    part.textContent = weights[n] > NAMED ? labels[n] : "";
  });
}

/** Scores as columns that are dragged up and down. Returns draw(scores, the chosen one). */
function scale(parent, labels, [least, most], onDrag) {
  const svg = element("svg", { class: "so-hold", width: ACROSS, height: TALL, role: "img",
    viewBox: `0 0 ${ACROSS} ${TALL}`, "aria-label": "the scores, each a column" }, parent);
  const wide = ACROSS / labels.length;
  const [top, bottom] = [14, TALL - 34];
  const y = (score) => bottom - ((score - least) / (most - least)) * (bottom - top);
  element("line", { x1: 0, x2: ACROSS, y1: y(0), y2: y(0), stroke: "#888" }, svg);
  const columns = labels.map((text, n) => {
    const x = (n + 0.5) * wide;
    element("text", { x, y: TALL - 6, text, "text-anchor": "middle" }, svg);
    return { stem: element("path", { "stroke-width": 3 }, svg), knob: element("circle", { cx: x, r: 7 }, svg), x };
  });
  let held = 0;
  svg.addEventListener("pointerdown", (event) => {
    const box = svg.getBoundingClientRect();
    held = Math.min(labels.length - 1, Math.floor(((event.clientX - box.left) / box.width) * labels.length));
  });
  draggable(svg, (_, down) => {
    const score = least + ((bottom - down * TALL) / (bottom - top)) * (most - least);
    onDrag(held, Math.round(10 * Math.min(most, Math.max(least, score))) / 10);
  });
  return (scores, chosen) => columns.forEach(({ stem, knob, x }, n) => {
    const colour = n === chosen ? COLOURS.query : COLOURS.key;
    stem.setAttribute("d", `M ${x} ${y(0)} L ${x} ${y(scores[n])}`);
    stem.setAttribute("stroke", colour);
    knob.setAttribute("cy", y(scores[n]));
    knob.setAttribute("fill", colour);
  });
}

function panel(parent, title, labels, columns) {
  const box = element("div", {}, parent);
  if (title) element("p", { class: "ex-title", text: title }, box);
  const draw = bars(box, { name: title || "weights", labels, columns });
  const share = whole(box, labels);
  return (scores, temperature) => {
    const weights = softmax(scores.map((score) => score / temperature));
    draw(weights, [
      scores.map((score) => written(score)),
      weights.map((weight) => written(weight)),
      weights.map((weight) => written((weight * (1 - weight)) / temperature, 3)),
    ].slice(0, columns.length));
    share(weights);
    return entropy(weights);
  };
}

function render({ model, el }) {
  const labels = model.get("labels");
  let scores = model.get("scores"); // a row for each width, or only one
  const widths = scores.length > 1;
  const root = explorer(el, "Softmax explorer", widths
    ? "Try: widen the vectors. Only one of the two softmaxes stays as soft as it was."
    : "Try: drag the score of one word up by 1, then by 1 again. What does each step take from the others?");
  element("style", { text: SHARES_STYLE }, root);
  const put = setter(model);
  const place = controls(root);
  const showTemperature = slider(place, "temperature", [0.1, 10, 0.1], put("temperature"),
    (value) => written(value, 1));
  let chosen = 0; // the word whose score is moved
  const showWord = !widths && choice(place, "word", [...labels.entries()], (word) => { chosen = Number(word); update(); });
  const [least, most] = [Math.floor(Math.min(...scores[0])) - 2, Math.ceil(Math.max(...scores[0])) + 2];
  const showScore = !widths && slider(place, "its score", [least, most, 0.1],
    (score) => put("scores")([scores[0].map((old, n) => (n === chosen ? score : old))]), (score) => written(score, 1));
  const showWidth = widths && slider(place, "width d", [1, scores.length, 1], put("doublings"),
    (power) => String(2 ** power));
  const row = element("div", { class: "ex-row" }, root);
  const columns = ["score", "weight", ...(model.get("slope") ? ["slope"] : [])];
  let drawScale = null;
  if (!widths) {
    const box = element("div", {}, row);
    element("p", { class: "ex-title", text: "scores: drag one up or down" }, box);
    drawScale = scale(box, labels, [least, most], (word, score) => {
      chosen = word;
      put("scores")([scores[0].map((old, n) => (n === word ? score : old))]);
      update();
    });
  }
  const panels = (widths ? ["q·k", "q·k / √d"] : [""])
    .map((title) => panel(row, title, labels, columns));
  const softly = widths && element("div", { class: "ex-row" }, root);
  const drawSoftness = widths && chart(softly, { name: "entropy by width",
    x: [1, scores.length], y: [0, Math.ceil(Math.log(labels.length))], xName: "width d: each step doubles it",
    yName: "entropy", width: 460, height: 170,
    ticks: scores.map((_, n) => [n + 1, n % 3 ? "" : String(2 ** (n + 1))]) });
  if (widths) {
    const names = planeLegend(softly, [["━━", COLOURS.key], ["━━", COLOURS.other]]);
    ["q·k", "q·k / √d"].forEach((text, n) => names[n](text));
  }
  const say = status(root);

  function update() {
    const temperature = model.get("temperature");
    showTemperature(temperature);
    scores = model.get("scores");
    if (!widths) {
      showWord(chosen);
      showScore(scores[0][chosen]);
      drawScale(scores[0], chosen);
    }
    const doublings = model.get("doublings");
    if (widths) showWidth(doublings);
    const raw = scores[widths ? doublings - 1 : 0];
    const shared = panels.map((draw, n) => {
      const h = draw(n ? raw.map((score) => score / Math.sqrt(2 ** doublings)) : raw, temperature);
      return `${written(h)} nats, as if ${written(Math.exp(h), 1)} keys shared equally`;
    });
    if (widths) drawSoftness(softness(temperature, doublings));
    const moved = widths ? "" : ` The score of ${labels[chosen]} is ${written(scores[0][chosen], 1)}.`;
    say(`Entropy: ${shared.join("; divided by √d: ")}.${moved}`);
  }
  /** How soft both softmaxes are at every width, with a dot at the one that is shown. */
  function softness(temperature, doublings) {
    const line = (divisor) => scores.map((raw, n) => [n + 1,
      entropy(softmax(raw.map((score) => score / divisor(2 ** (n + 1)) / temperature)))]);
    return [[line(() => 1), COLOURS.key], [line(Math.sqrt), COLOURS.other]].flatMap(([points, colour]) =>
      [{ points, colour }, { points: [points[doublings - 1]], colour }]);
  }
  const changes = ["change:temperature", "change:doublings", "change:scores"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
