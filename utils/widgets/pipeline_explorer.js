// From queries, keys and values to the context, step by step, with one cell followed through.

import { dot, matmul, softmax, transposed } from "./arithmetic.js";
import { controls, element, explorer, heatmap, setter, status, stepper, written } from "./drawing.js";

const LONGEST = 8; // terms of a sum that are all written out

const brief = (number) => written(number, Number.isInteger(number) ? 0 : 2);
const factor = (number) => (number < 0 ? `(${brief(number)})` : brief(number));
const series = (terms) => (terms.length <= LONGEST ? terms
  : [...terms.slice(0, 3), "…", terms.at(-1)]).join(" + ");
const products = (a, b) => series(a.map((number, n) => `${factor(number)} · ${factor(b[n])}`));

/** Every tensor on the way, with the labels of its axes. */
function compute(q, k, v, mask, targets, sources) {
  const root = Math.sqrt(k[0].length);
  const axes = (matrix) => matrix[0].map((_, axis) => String(axis));
  const scores = matmul(q, transposed(k));
  const scaled = scores.map((row) => row.map((score) => score / root));
  const open = scaled.map((row, i) => row.map((_, j) => !mask.length || mask[i][j]));
  const masked = scaled.map((row, i) => row.map((score, j) => (open[i][j] ? score : -Infinity)));
  const closed = open.map((row) => row.map((yes) => !yes));
  const weights = masked.map((row, i) => softmax(row, open[i]));
  const tensor = (name, values, rows, columns, signed = true, shut = undefined) => {
    const size = Math.max(1, ...values.flat().map(Math.abs).filter(Number.isFinite));
    return { name: `${name} (${values.length}, ${values[0].length})`, values, rows, columns,
      options: { limit: signed ? size : 0, closed: shut, digits: signed ? 1 : 2 } };
  };
  return {
    Q: tensor("Q", q, targets, axes(q)),
    K: tensor("Kᵀ", transposed(k), axes(k), sources),
    V: tensor("V", v, sources, axes(v)),
    scores: tensor("scores", scores, targets, sources),
    scaled: tensor("scaled scores", scaled, targets, sources),
    masked: tensor("masked scores", masked, targets, sources, true, closed),
    weights: tensor("weights", weights, targets, sources, false, mask.length ? closed : undefined),
    context: tensor("context", matmul(weights, v), targets, axes(v)),
  };
}

/** The steps: what is done, from which tensors to which, and one cell of it in numbers. */
function steps({ Q, K, V, scores, scaled, masked, weights, context }, masks) {
  const cell = (tensor, i, j) => tensor.values[i][j];
  const column = (tensor, j) => tensor.values.map((row) => row[j]);
  const all = [
    { title: "Q Kᵀ", from: [Q, K], to: scores,
      sum: (i, j) => products(Q.values[i], column(K, j)) },
    { title: "scale", from: [scores], to: scaled,
      sum: (i, j) => `${brief(cell(scores, i, j))} / √${K.values.length}` },
    { title: "mask", from: [scaled], to: masked,
      sum: (i, j) => (masked.options.closed[i][j] ? `closed, so ${brief(cell(scaled, i, j))} becomes −∞`
        : `open, so ${brief(cell(scaled, i, j))} stays`) },
    { title: "softmax", from: [masks ? masked : scaled], to: weights,
      sum: (i, j) => {
        const power = (score) => `exp(${brief(score)})`;
        const row = (masks ? masked : scaled).values[i];
        return `${power(row[j])} / (${series(row.map(power))})`;
      } },
    { title: "sum of V", from: [weights, V], to: context,
      sum: (i, axis) => products(weights.values[i], column(V, axis)) },
  ];
  return masks ? all : all.filter(({ title }) => title !== "mask");
}

function render({ model, el }) {
  const [q, k, v, mask] = ["q", "k", "v", "mask"].map((name) => model.get(name));
  const [targets, sources] = [model.get("targets"), model.get("sources")];
  const path = steps(compute(q, k, v, mask, targets, sources), mask.length > 0);
  const root = explorer(el, "Pipeline explorer",
    "Try: choose one cell of the scores, and follow it from step to step.");
  const put = setter(model);

  const list = element("ol", { class: "ex-tokens", style: "list-style: none; padding: 0" }, root);
  const places = path.map(({ title, to }) => element("li",
    { class: "ex-token", text: `${title} → ${to.name}` }, list));
  const showStep = stepper(controls(root), (step) => put("step")(step - 1), 1);

  const panels = path.map(({ from, to }, step) => {
    const panel = element("div", { class: "ex-row" }, root);
    const choose = (i, j) => {
      const last = step === path.length - 1; // whose columns are no keys, but axes of the values
      put("cell")([i, last ? model.get("cell")[1] : j]);
      if (last) put("axis")(j);
    };
    const draws = [...from, to].map((tensor) => {
      const box = element("div", {}, panel);
      element("p", { class: "ex-title", text: tensor.name }, box);
      const draw = heatmap(box, { ...tensor, onPress: tensor === to ? choose : undefined });
      return (marked) => draw(tensor.values, { ...tensor.options, marked });
    });
    return { panel, draws };
  });
  const say = status(root);

  function update() {
    const step = model.get("step");
    const [i, j] = model.get("cell");
    const { title, from, to, sum } = path[step];
    const across = step === path.length - 1 ? model.get("axis") : j;
    panels.forEach(({ panel }, n) => { panel.style.display = n === step ? "" : "none"; });
    places.forEach((place, n) => {
      if (n === step) place.setAttribute("aria-current", "step");
      else place.removeAttribute("aria-current");
    });
    showStep(step + 1, path.length);
    const whole = from.length === 2 ? [[i, null], [null, across]]
      : [title === "softmax" ? [i, null] : [i, across]];
    panels[step].draws.forEach((draw, n) => draw(whole[n] ?? [i, across]));
    say(`${title}: ${to.name}. Row ${to.rows[i]}, column `
      + `${to.columns[across]}: ${sum(i, across)}${title === "mask" ? "."
        : ` = ${brief(to.values[i][across])}.`} Press another cell to follow it.`);
  }
  const changes = ["change:step", "change:cell", "change:axis"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
