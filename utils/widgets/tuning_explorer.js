// The additive score: a state moves the threshold of each question, and keys flip from no to yes.

import { dot, softmax } from "./arithmetic.js";
import { COLOURS, bars, chart, controls, element, explorer, setter, slider, status,
  written } from "./drawing.js";

const MOST_POINTS = 8;
const WIDE = 274; // pixels of a question

const TUNING_STYLE = `
.tu-row { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: flex-start; }
.tu-questions.tu-questions { gap: 4px 12px; flex: 1 1 ${2 * WIDE + 12}px; min-width: 0; }
.tu-question .ex-control { grid-template-columns: auto minmax(4em, 1fr) 2em; }
.tu-question .tu-far { font-size: 13px; min-height: 1.4em; margin: 0; }
.tu-row .ex-bars td:last-child { width: 100px; }
`;

/** Dots from left to right; those at the same place are one, with all their names. */
function together(labels, places) {
  const named = new Map();
  labels.forEach((label, j) => named.set(places[j], [...(named.get(places[j]) ?? []), label]));
  return [...named].sort(([a], [b]) => a - b).map(([x, names]) => [x, names.join(", ")]);
}

/** The state that moves a threshold to x: of its numbers, the one of most weight changes. */
function stateFor(x, line, state, limits) {
  const most = line.reduce((best, weight, n) =>
    (Math.abs(weight) > Math.abs(line[best]) ? n : best), 0);
  const others = dot(line, state) - line[most] * state[most];
  const [low, high] = limits[most];
  const wanted = Math.min(high, Math.max(low, (-x - others) / line[most]));
  return state.map((value, n) => (n === most ? wanted : value));
}

function question(parent, name, labels, said, reach, putPoints, onDrag) {
  const box = element("div", { class: "tu-question", style: `flex: 0 1 ${WIDE}px` }, parent);
  element("p", { class: "ex-title", text: `${name}?` }, box);
  const far = element("p", { class: "tu-far" }, box); // why the curve is flat, where it is
  const dots = together(labels, said);
  const draw = chart(box, { name: `answers to ${name}`, x: [-reach, reach], y: [-1, 1], ticks: dots,
    xName: "what the key says", yName: "answer", width: WIDE, height: 160, onDrag });
  const showPoints = slider(box, `points for ${name}`, [0, MOST_POINTS, 0.5], putPoints,
    (points) => written(points, 1));
  const places = Array.from({ length: 81 }, (_, n) => reach * (n / 40 - 1));
  return (bar, points) => {
    showPoints(points);
    far.textContent = Math.abs(bar) <= reach ? "" : bar > 0 ? "← the threshold lies far left: yes from all"
      : "the threshold lies far right: no from all →";
    const threshold = { points: [[-bar, -1], [-bar, 1]], colour: COLOURS.query, dashes: "5 4" };
    draw([
      ...(Math.abs(bar) <= reach ? [threshold] : []),
      { points: places.map((x) => [x, Math.tanh(x + bar)]), colour: COLOURS.query },
      ...dots.map(([x]) => ({ points: [[x, Math.tanh(x + bar)]], colour: COLOURS.key })),
    ]);
  };
}

function render({ model, el }) {
  const [labels, questions, W] = ["labels", "questions", "W"].map((name) => model.get(name));
  const said = model.get("U").map((row) => model.get("key_vectors").map((key) => dot(row, key)));
  const reach = Math.ceil(Math.max(...said.flat().map(Math.abs))) + 1;
  const root = explorer(el, "Additive score explorer",
    "Try: drag a dashed threshold past a key. Its answer flips from no to yes, and the weights follow.");
  const put = setter(model);
  const putAt = (trait, n) => (value) =>
    put(trait)(model.get(trait).map((old, i) => (i === n ? value : old)));
  const sliders = model.get("sliders");
  const limits = sliders.map(([, low, high]) => [low, high]);
  const place = controls(root);
  const showState = sliders.map(([name, low, high], n) => slider(place, name,
    [low, high, 0.1], putAt("state", n), (value) => written(value, 1)));
  element("style", { text: TUNING_STYLE }, root);
  const row = element("div", { class: "tu-row" }, root);
  const asked = element("div", { class: "ex-row tu-questions" }, row);
  const panels = questions.map((name, n) => question(asked, name, labels, said[n], reach,
    putAt("points", n), (x) => put("state")(stateFor(x, W[n], model.get("state"), limits))));
  const result = element("div", {}, row);
  element("p", { class: "ex-title", text: "all answers, times their points" }, result);
  const draw = bars(result, { name: "scores and weights", labels, columns: ["score", "weight"] });
  const say = status(root);

  function update() {
    const [state, points] = [model.get("state"), model.get("points")];
    state.forEach((value, n) => showState[n](value));
    const moved = W.map((line) => dot(line, state)); // by how much the state lowers each threshold
    panels.forEach((show, n) => show(moved[n], points[n]));
    const answers = labels.map((_, j) => moved.map((bar, n) => Math.tanh(said[n][j] + bar)));
    const scores = answers.map((row) => dot(row, points));
    const weights = softmax(scores);
    draw(weights, [scores, weights].map((numbers) => numbers.map((one) => written(one))));
    const passed = questions.map((name, n) => {
      const yes = labels.filter((_, j) => answers[j][n] > 0);
      return `${name}: yes from ${yes.length === labels.length ? "all" : yes.join(", ") || "none"}`;
    });
    const most = weights.indexOf(Math.max(...weights));
    say(`Most weight: ${labels[most]}, ${written(weights[most])}. ${passed.join("; ")}.`);
  }
  const changes = ["change:state", "change:points"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
