// Local attention: a window around a centre, the softmax inside it, and a bell over that.

import { softmax, sum } from "./arithmetic.js";
import { COLOURS, bars, chart, checkbox, controls, element, explorer, setter } from "./drawing.js";
import { slider, status, written } from "./drawing.js";

/** The nearest whole number; halves go to the even one, as torch.round does. */
function nearest(number) {
  const up = Math.round(number);
  return up - number === 0.5 && up % 2 ? up - 1 : up;
}

/** Softmax in the window, the bell, and the weights: Luong et al. 2015, equation 10. */
function localWeights(scores, centre, D, again) {
  const open = scores.map((_, j) => Math.abs(j - nearest(centre)) <= D);
  const inside = softmax(scores, open);
  const bell = (x) => Math.exp(-((x - centre) ** 2) / (2 * (D / 2) ** 2));
  const under = inside.map((weight, j) => weight * bell(j));
  const total = again ? sum(under) : 1;
  return { open, inside, bell, weights: under.map((weight) => weight / total) };
}

function legend(parent, entries) {
  const line = element("p", {}, parent);
  entries.forEach(([colour, text]) => {
    element("span", { text: text[0], style: `color: ${colour}` }, line);
    line.append(`${text.slice(1)}  `);
  });
}

function render({ model, el }) {
  const [labels, scores] = [model.get("labels"), model.get("scores")];
  const last = labels.length - 1;
  const root = explorer(el, "Local window explorer",
    "Try: move the centre from word to word. Does the weight glide along, or jump?");
  const put = setter(model);
  const place = controls(root);
  const showCentre = slider(place, "centre p", [0, last, 0.1], put("centre"),
    (value) => written(value, 1));
  const showWidth = slider(place, "half width D", [1, Math.ceil(last / 2), 1], put("half_width"));
  const showAgain = checkbox(place, "normalise again after the bell", put("again"));
  const row = element("div", { class: "ex-row" }, root);
  const figure = element("div", {}, row);
  const drawBell = chart(figure, { name: "window, bell and weights", x: [0, last], y: [0, 1],
    xName: "position in the source", yName: "weight", width: 360, height: 260,
    onDrag: put("centre") });
  legend(figure, [["#888", "━ the window, and the softmax in it"],
    [COLOURS.query, "╍ the bell"], [COLOURS.key, "━ the weights"]]);
  const columns = ["score", "in the window", "weight"];
  const drawBars = bars(element("div", { class: "ex-scroll", style: "flex: 1 1 240px" }, row), { name: "weights",
    labels: labels.map((label, j) => `${label} ${j}`), columns });
  const say = status(root);
  const places = Array.from({ length: 121 }, (_, n) => (last * n) / 120);

  function update() {
    const [centre, D, again] = ["centre", "half_width", "again"].map((name) => model.get(name));
    showCentre(centre);
    showWidth(D);
    showAgain(again);
    const { open, inside, bell, weights } = localWeights(scores, centre, D, again);
    const stems = (heights, colour, wide) => heights.map((height, j) => (
      { points: [[j, 0], [j, height]], colour, wide }));
    const [from, to] = [open.indexOf(true), open.lastIndexOf(true)];
    const [left, right] = [Math.max(0, from - 0.5), Math.min(last, to + 0.5)];
    drawBell([
      { points: [[left, 0], [left, 1], [right, 1], [right, 0]], colour: "#888" },
      ...stems(inside, "#888", 12),
      ...stems(weights, COLOURS.key, 12),
      { points: places.map((x) => [x, bell(x)]), colour: COLOURS.query, dashes: "6 4" },
    ]);
    drawBars(weights, [
      scores.map((score, j) => (open[j] ? written(score, 1) : "−∞")),
      inside.map((weight) => written(weight)),
      weights.map((weight) => written(weight)),
    ]);
    const most = weights.indexOf(Math.max(...weights));
    say(`The window holds ${labels.slice(from, to + 1).join(", ")}. Most weight: ${labels[most]}, `
      + `${written(weights[most])}. The row sums to ${written(sum(weights))}.`);
  }
  const changes = ["change:centre", "change:half_width", "change:again"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
