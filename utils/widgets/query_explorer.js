// Keys as arrows, a query to turn, and the attention that follows, all computed in the page.

import { context, dot, entropy, softmax } from "./arithmetic.js";
import { COLOURS, REACH, arrow, bars, choice, controls, draggable, element, explorer, heatmap,
  planeLegend, setter, slider, status, vectorPlane, written } from "./drawing.js";

const times = (matrix, vector) => matrix.map((row) => dot(row, vector));

// How well a key h fits a query s.
const SCORES = {
  dot: (s, h) => dot(s, h),
  scaled: (s, h) => dot(s, h) / Math.sqrt(h.length),
  additive: (s, h, { W, U, v }) => {
    const moved = times(W, [...s, 1]); // the 1 gives each question a bar of its own
    return dot(v, times(U, h).map((said, n) => Math.tanh(moved[n] + said)));
  },
  general: (s, h, { W }) => dot(s, times(W, h)),
};
const NAMES = [["dot", "dot product, s · h"], ["scaled", "scaled, s · h / √d"],
  ["additive", "additive, v · tanh(W s + U h)"], ["general", "general, s · W h"]];

/** The plane with its arrows. Dragging in it calls onDrag with the place. */
function plane(parent, labels, keys, onDrag) {
  const figure = element("figure", { style: "margin: 0" }, parent);
  const svg = vectorPlane(figure, "touch-action: none; cursor: grab");
  const title = element("title", {}, svg);
  labels.forEach((label, j) => arrow(svg, COLOURS.key, 2, label)(keys[j]));
  // These two are named below the plane: where they lie on a key, labels would collide.
  const moveContext = arrow(svg, COLOURS.context, 3, "", "6 3");
  const moveQuery = arrow(svg, COLOURS.query, 4, "");
  const named = planeLegend(figure, [["━━", COLOURS.query], ["╍╍", COLOURS.context]]);
  draggable(svg, (right, low) => {
    const [x, y] = [(right - 0.5) * 2 * REACH, (0.5 - low) * 2 * REACH];
    const shorten = Math.min(1, 4 / Math.hypot(x, y)); // no further than the slider reaches
    onDrag([x * shorten, y * shorten]);
  });
  return (query, mixed, words) => {
    moveQuery(query);
    moveContext(mixed);
    [["query", query], ["context", mixed]].forEach(([name, [x, y]], n) => {
      named[n](`${name} (${written(x, 1)}, ${written(y, 1)})`);
    });
    title.textContent = words;
  };
}

function render({ model, el }) {
  const [labels, keys] = [model.get("labels"), model.get("key_vectors")];
  const [targets, queries] = [model.get("targets"), model.get("queries")];
  const [parameters, plain] = [model.get("parameters"), model.get("plain")];
  const root = explorer(el, "Query explorer",
    "Try: drag the query (orange) round the plane. Which way must it point for one key to get nearly all the weight?");
  root.classList.add("qe");
  const put = setter(model);

  const place = controls(root);
  const pictures = element("div", { class: "ex-row" }, root);
  const drawPlane = plane(pictures, labels, keys, put("query"));
  const all = element("div", { style: "flex: 1 1 280px" }, pictures);
  element("p", { class: "ex-title", text: "weights of all queries, and of yours: press a row to ask as it does" }, all);
  const drawAll = heatmap(all, { name: "weights of all queries", rows: [...targets, "yours"], columns: labels,
    onPress: (i) => put("query")(queries[i] ?? model.get("query")) });

  const drawOne = bars(element("div", {}, root),
    { name: "weights of this query", labels, columns: ["score", "weight"] });
  const say = status(root);

  const turn = (degrees, length) => {
    const angle = (degrees * Math.PI) / 180;
    put("query")([length * Math.cos(angle), length * Math.sin(angle)]);
  };
  const polar = () => {
    const [x, y] = model.get("query");
    return [Math.round((Math.atan2(y, x) * 180) / Math.PI), Math.hypot(x, y)];
  };
  const showDirection = slider(place, "query direction", [-180, 180, 1],
    (degrees) => turn(degrees, polar()[1]), (degrees) => `${written(degrees, 0)}°`);
  const showLength = slider(place, "query length", [0.1, 4, 0.1],
    (length) => turn(polar()[0], length), (length) => written(length, 1));
  const showTemperature = plain ? null : slider(place, "temperature", [0.1, 10, 0.1], put("temperature"),
    (temperature) => written(temperature, 1));
  const showScore = plain ? null : choice(place, "score", NAMES, put("score"));

  function update() {
    const [query, name, temperature] = ["query", "score", "temperature"].map((one) => model.get(one));
    const score = (one) => keys.map((key) => SCORES[name](one, key, parameters[name]));
    const weigh = (scores) => softmax(scores.map((one) => one / temperature));
    const scores = score(query);
    const weights = weigh(scores);
    const [degrees, length] = polar();
    showDirection(degrees);
    showLength(length);
    if (!plain) {
      showTemperature(temperature);
      showScore(name);
    }
    drawOne(weights, [scores.map((one) => written(one, 1)), weights.map((one) => written(one))]);
    const asking = queries.findIndex((one) => one.every((x, axis) => x === query[axis]));
    drawAll([...queries.map((one) => weigh(score(one))), weights],
      { marked: [asking < 0 ? queries.length : asking, null] });
    const best = weights.indexOf(Math.max(...weights));
    const h = entropy(weights);
    const spread = ` Entropy: ${written(h)} nats, as if ${written(Math.exp(h), 1)} keys shared equally.`;
    const words = `Most weight: ${labels[best]}, ${written(weights[best])}.${plain ? "" : spread}`;
    say(words);
    drawPlane(query, context(weights, keys),
      `Keys as arrows, the query at ${degrees} degrees and the context. ${words}`);
  }
  const changes = ["change:query", "change:score", "change:temperature"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
