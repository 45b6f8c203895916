// Rotary positions: a query and a key as the two hands of clocks that turn with the place.

import { dot, sum } from "./arithmetic.js";
import { COLOURS, change, chart, element, explorer, planeLegend, setter, slider, status,
  written } from "./drawing.js";

const FARTHEST = 384; // words between query and key
const [IN_A_ROW, DIAL, RADIUS] = [4, 88, 32]; // clocks; pixels
const CIRCLE = 2 * Math.PI;

/** The vector (1, 0), turned by an angle. */
const turned = (angle) => [Math.cos(angle), Math.sin(angle)];

/** One clock. Returns draw(the angles of key and query, the angle up to which they were apart). */
function clock(parent, number) {
  const [x, y] = [(number % IN_A_ROW + 0.5) * DIAL, Math.floor(number / IN_A_ROW) * (DIAL + 8) + 38];
  const tip = (angle) => [x + RADIUS * Math.sin(angle), y - RADIUS * Math.cos(angle)]; // from the top
  const known = element("path", { fill: COLOURS.key, "fill-opacity": 0.25 }, parent);
  const rim = element("circle", { cx: x, cy: y, r: RADIUS, fill: "none" }, parent);
  const [ofKey, ofQuery] = [[COLOURS.key, 6], [COLOURS.query, 3]].map(([stroke, width]) =>
    element("path", { stroke, "stroke-width": width }, parent));
  const text = element("text", { x, y: y + RADIUS + 16, "text-anchor": "middle" }, parent);
  return (key, query, range) => {
    change(ofKey, { d: `M ${x} ${y} L ${tip(key)}` });
    change(ofQuery, { d: `M ${x} ${y} L ${tip(query)}` });
    const most = Math.min(range, CIRCLE - 1e-3); // an arc of a whole circle would not be drawn
    known.setAttribute("d", `M ${x} ${y} L ${tip(key)} A ${RADIUS} ${RADIUS} 0 `
      + `${Number(most > Math.PI)} 1 ${tip(key + most)} Z`);
    const apart = (query - key) % CIRCLE;
    const isNew = apart > range + 1e-9;
    rim.setAttribute("stroke", isNew ? COLOURS.query : "#888");
    rim.setAttribute("stroke-width", isNew ? 4 : 1);
    text.textContent = `${written((apart * 360) / CIRCLE, 0)}°${isNew ? " (new)" : ""}`;
    text.dataset.value = dot(turned(key), turned(query));
    return isNew;
  };
}

function render({ model, el }) {
  const frequencies = model.get("frequencies");
  const count = frequencies.length;
  const root = explorer(el, "Clock explorer",
    "Try: move the query away from the key until a clock shows an angle that training never did.");
  const put = setter(model);
  const show = {
    place: slider(root, "place of the key", [0, 1000, 1], put("place")),
    distance: slider(root, "distance to the query", [0, FARTHEST, 1], put("distance")),
    trained: slider(root, "trained on (words)", [8, FARTHEST, 8], put("trained")),
  };
  const row = element("div", { class: "ex-row" }, root);
  const figure = element("figure", { style: "margin: 0" }, row);
  element("p", { class: "ex-title", text: "from the fastest clock to the slowest" }, figure);
  const [wide, high] = [IN_A_ROW * DIAL, Math.ceil(count / IN_A_ROW) * (DIAL + 8)];
  const svg = element("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, role: "img",
    style: "max-width: 100%; height: auto" }, figure);
  const clocks = frequencies.map((_, number) => clock(svg, number));
  const legend = [["━", COLOURS.key, "key"], ["━", COLOURS.query, "query"],
    ["◔", COLOURS.key, "angles between them in training"]];
  planeLegend(figure, legend).forEach((name, n) => name(legend[n][2]));
  const right = element("div", {}, row);
  const title = element("p", { class: "ex-title" }, right);
  const drawScores = chart(right, { name: "score, word by word", x: [0, FARTHEST], y: [-1, 1],
    xName: "distance", yName: "score", onDrag: (x) => put("distance")(Math.round(x)) });
  const say = status(root);
  const scoreAt = (distance) => sum(frequencies.map((each) => Math.cos(distance * each))) / count;
  const curve = Array.from({ length: FARTHEST + 1 }, (_, distance) => [distance, scoreAt(distance)]);

  function update() {
    for (const [name, draw] of Object.entries(show)) draw(model.get(name));
    const [key, distance, trained] = ["place", "distance", "trained"].map((name) => model.get(name));
    const query = key + distance;
    const isNew = frequencies.map((each, n) =>
      clocks[n](key * each, query * each, (trained - 1) * each));
    const score = sum(frequencies.map((each) => dot(turned(key * each), turned(query * each)))) / count;
    title.textContent = `score: ${written(score)} of that at distance 0`;
    title.dataset.value = score;
    drawScores([
      { points: curve, colour: COLOURS.context },
      { points: [[trained - 1, -1], [trained - 1, 1]], colour: "#888", dashes: "5 4", wide: 1.5 },
      { points: [[distance, score]], colour: COLOURS.query },
    ]);
    const strange = isNew.filter(Boolean).length;
    const words = `Key at ${key}, query at ${query}: distance ${distance}, score ${written(score)}, `
      + `wherever the key stands. ${strange || "None"} of ${count} clocks `
      + `${strange === 1 ? "shows" : "show"} an angle never met in texts of ${trained} words.`;
    svg.setAttribute("aria-label", `${count} clocks with two hands each. ${words}`);
    say(words);
  }
  const changes = Object.keys(show).map((name) => `change:${name}`);
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
