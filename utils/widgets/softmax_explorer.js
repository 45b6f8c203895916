// Scores become weights: what temperature does, and what the width of the vectors does.

import { entropy, softmax } from "./arithmetic.js";
import { bars, controls, element, explorer, setter, slider, status, written } from "./drawing.js";

function panel(parent, title, labels, columns) {
  const box = element("div", {}, parent);
  if (title) element("p", { class: "ex-title", text: title }, box);
  const draw = bars(box, { name: title || "weights", labels, columns });
  return (scores, temperature) => {
    const weights = softmax(scores.map((score) => score / temperature));
    draw(weights, [
      scores.map((score) => written(score)),
      weights.map((weight) => written(weight)),
      weights.map((weight) => written((weight * (1 - weight)) / temperature, 3)),
    ].slice(0, columns.length));
    return entropy(weights);
  };
}

function render({ model, el }) {
  const labels = model.get("labels");
  const scores = model.get("scores"); // a row for each width, or only one
  const root = explorer(el, "Softmax explorer");
  const put = setter(model);
  const place = controls(root);
  const showTemperature = slider(place, "temperature", [0.1, 10, 0.1], put("temperature"),
    (value) => written(value, 1));
  const widths = scores.length > 1;
  const showWidth = widths && slider(place, "width d", [1, scores.length, 1], put("doublings"),
    (power) => String(2 ** power));
  const row = element("div", { class: "ex-row" }, root);
  const columns = ["score", "weight", ...(model.get("slope") ? ["slope"] : [])];
  const panels = (widths ? ["q·k", "q·k / √d"] : [""])
    .map((title) => panel(row, title, labels, columns));
  const say = status(root);

  function update() {
    const temperature = model.get("temperature");
    showTemperature(temperature);
    const doublings = model.get("doublings");
    if (widths) showWidth(doublings);
    const raw = scores[widths ? doublings - 1 : 0];
    const shared = panels.map((draw, n) => {
      const h = draw(n ? raw.map((score) => score / Math.sqrt(2 ** doublings)) : raw, temperature);
      return `${written(h)} nats, as if ${written(Math.exp(h), 1)} keys shared equally`;
    });
    say(`Entropy: ${shared.join("; divided by √d: ")}.`);
  }
  const changes = ["change:temperature", "change:doublings"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
