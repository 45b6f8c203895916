// The general score with a matrix that turns: W brings the keys into the language of the queries.

import { matmul, softmax, transposed } from "./arithmetic.js";
import { COLOURS, arrow, controls, element, explorer, heatmap, planeLegend, setter, slider, status,
  vectorPlane, written } from "./drawing.js";

function render({ model, el }) {
  const [source, keys] = [model.get("source"), model.get("key_vectors")];
  const [target, queries] = [model.get("target"), model.get("queries")];
  const root = explorer(el, "Turn explorer",
    "Try: turn W until the query (orange) finds the word that its row asks for.");
  const put = setter(model);
  const showDegrees = slider(controls(root), "W turns by", [0, 360, 15], put("degrees"), (value) => `${value}°`);
  const row = element("div", { class: "ex-row" }, root);
  const figure = element("figure", { style: "margin: 0" }, row);
  const plane = vectorPlane(figure);
  const title = element("title", {}, plane);
  const moveKeys = source.map((label) => arrow(plane, COLOURS.key, 2, label));
  const moveQuery = arrow(plane, COLOURS.query, 4, "");
  const [nameKeys, nameQuery] = planeLegend(figure, [["━━", COLOURS.key], ["━━", COLOURS.query]]);
  nameKeys("W h, the turned keys");
  const right = element("div", {}, row);
  element("p", { class: "ex-title", text: "weights: press a row to see its query" }, right);
  const drawWeights = heatmap(right, { name: "weights", rows: target, columns: source,
    onPress: put("asking") });
  const say = status(root);

  function update() {
    const [degrees, asking] = [model.get("degrees"), model.get("asking")];
    const angle = (degrees * Math.PI) / 180;
    const W = [[Math.cos(angle), -Math.sin(angle)], [Math.sin(angle), Math.cos(angle)]];
    const heard = matmul(keys, transposed(W)); // W h, a row for each key
    const weights = matmul(queries, transposed(heard)).map((scores) => softmax(scores));
    const most = weights[asking].indexOf(Math.max(...weights[asking]));
    const words = `W = (${W.map((line) => line.map((one) => written(one)).join(", ")).join("; ")}). `
      + `${target[asking]} gives most weight to ${source[most]}: ${written(weights[asking][most])}.`;
    showDegrees(degrees);
    moveKeys.forEach((move, j) => move(heard[j]));
    moveQuery(queries[asking]);
    nameQuery(`s, the query of ${target[asking]}`);
    drawWeights(weights, { marked: [asking, null] });
    title.textContent = `The keys, turned by ${degrees} degrees, and a query. ${words}`;
    say(words);
  }
  const changes = ["change:degrees", "change:asking"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
