// Keys as arrows, a query to turn, and the attention that follows, all computed in the page.

const SIZE = 300; // of the plane, in pixels
const REACH = 4.2; // from the origin to the edge, in units of the keys
const KEY_COLOUR = "#0072b2"; // blue, orange and green that colour-blind readers tell apart
const QUERY_COLOUR = "#d55e00";
const CONTEXT_COLOUR = "#009e73";

const STYLE = `
.qe { display: flex; flex-wrap: wrap; gap: 20px; align-items: flex-start; max-width: 760px;
  font: 14px/1.4 var(--jp-ui-font-family, sans-serif); color: var(--jp-ui-font-color1, #222); }
.qe svg { background: white; border: 1px solid #bbb; border-radius: 4px; touch-action: none;
  cursor: grab; }
.qe-plane { margin: 0; }
.qe-plane figcaption { white-space: pre; text-align: center; }
.qe-side { flex: 1; min-width: 300px; }
.qe label { display: grid; grid-template-columns: 9em 1fr 4em; gap: 8px; align-items: center;
  margin: 2px 0; }
.qe input:focus-visible { outline: 3px solid #d55e00; outline-offset: 2px; }
.qe output { font-variant-numeric: tabular-nums; }
.qe table { border-collapse: collapse; width: 100%; margin-top: 8px;
  font-variant-numeric: tabular-nums; }
.qe th, .qe td { padding: 1px 6px; text-align: right; font-weight: normal; }
.qe thead th { border-bottom: 1px solid currentColor; }
.qe th:first-child { text-align: left; }
.qe td:last-child { width: 45%; }
.qe-bar { height: 13px; background: #0072b2; border-radius: 2px; min-width: 1px; }
`;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

function attend(query, keys, temperature) {
  const scores = keys.map((key) => dot(query, key));
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp((score - largest) / temperature));
  const sum = powers.reduce((a, b) => a + b, 0);
  const weights = powers.map((power) => power / sum);
  const context = [0, 1].map((axis) => weights.reduce((c, w, j) => c + w * keys[j][axis], 0));
  return { scores, weights, context };
}

function element(tag, attributes = {}, parent = null) {
  const svg = ["svg", "line", "text", "circle", "title"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else node.setAttribute(name, value);
  }
  if (parent) parent.append(node);
  return node;
}

const px = (x) => SIZE / 2 + (x / REACH) * (SIZE / 2);
const py = (y) => SIZE / 2 - (y / REACH) * (SIZE / 2);

function arrow(svg, colour, width, label, dashes = "none") {
  const line = element("line", { stroke: colour, "stroke-width": width, x1: px(0), y1: py(0),
    "stroke-dasharray": dashes }, svg);
  const head = element("circle", { fill: colour, r: width + 2 }, svg);
  const text = element("text", { fill: colour, "font-size": 13, "font-weight": "bold",
    "text-anchor": "middle", "dominant-baseline": "middle", text: label }, svg);
  return ([x, y]) => {
    line.setAttribute("x2", px(x));
    line.setAttribute("y2", py(y));
    head.setAttribute("cx", px(x));
    head.setAttribute("cy", py(y));
    const length = Math.hypot(x, y) || 1;
    text.setAttribute("x", px(x + (0.5 * x) / length));
    text.setAttribute("y", py(y + (0.5 * y) / length));
  };
}

function slider(parent, name, unit, min, max, step, onInput) {
  const label = element("label", {}, parent);
  element("span", { text: name }, label);
  // JupyterLab takes the arrow keys for itself unless this attribute says not to.
  const input = element("input", { type: "range", min, max, step, "aria-label": name,
    "data-lm-suppress-shortcuts": "true" }, label);
  const output = element("output", {}, label);
  input.addEventListener("input", () => onInput(Number(input.value)));
  return (value) => {
    input.value = value;
    output.textContent = `${Number(input.value)}${unit}`;
    input.setAttribute("aria-valuetext", output.textContent);
  };
}

function render({ model, el }) {
  const labels = model.get("labels");
  const keys = model.get("key_vectors");
  const root = element("div", { class: "qe" }, el);
  element("style", { text: STYLE }, root);

  const plane = element("figure", { class: "qe-plane" }, root);
  const svg = element("svg", { width: SIZE, height: SIZE, role: "img" }, plane);
  const description = element("title", {}, svg);
  labels.forEach((label, j) => arrow(svg, KEY_COLOUR, 2, label)(keys[j]));
  // These two are named below the plane: where they lie on a key, labels would collide.
  const moveContext = arrow(svg, CONTEXT_COLOUR, 3, "", "6 3");
  const moveQuery = arrow(svg, QUERY_COLOUR, 4, "");

  const legend = element("figcaption", {}, plane);
  element("span", { text: "━━", style: `color: ${QUERY_COLOUR}` }, legend);
  legend.append(" query     ");
  element("span", { text: "╍╍", style: `color: ${CONTEXT_COLOUR}` }, legend);
  legend.append(" context");

  const side = element("div", { class: "qe-side" }, root);
  const point = (degrees, length) => {
    const angle = (degrees * Math.PI) / 180;
    model.set("query", [length * Math.cos(angle), length * Math.sin(angle)]);
    model.save_changes();
  };
  const polar = () => {
    const [x, y] = model.get("query");
    return [Math.round((Math.atan2(y, x) * 180) / Math.PI), Math.hypot(x, y)];
  };
  const showDirection = slider(side, "query direction", "°", -180, 180, 1,
    (degrees) => point(degrees, polar()[1]));
  const showLength = slider(side, "query length", "", 0.1, 4, 0.1,
    (length) => point(polar()[0], length));
  const showTemperature = slider(side, "temperature", "", 0.1, 10, 0.1, (temperature) => {
    model.set("temperature", temperature);
    model.save_changes();
  });

  const table = element("table", {}, side);
  const heading = element("tr", {}, element("thead", {}, table));
  for (const name of ["key", "score", "weight", ""]) {
    element(name ? "th" : "td", { text: name, ...(name && { scope: "col" }) }, heading);
  }
  const body = element("tbody", {}, table);
  const rows = labels.map((label) => {
    const row = element("tr", {}, body);
    element("th", { text: label, scope: "row" }, row);
    const score = element("td", {}, row);
    const weight = element("td", {}, row);
    const bar = element("div", { class: "qe-bar" }, element("td", {}, row));
    return { score, weight, bar };
  });
  const summary = element("p", { role: "status" }, side);

  function update() {
    const query = model.get("query");
    const { scores, weights, context } = attend(query, keys, model.get("temperature"));
    const [degrees, length] = polar();
    showDirection(degrees);
    showLength(length);
    showTemperature(model.get("temperature"));
    moveQuery(query);
    moveContext(context);
    rows.forEach(({ score, weight, bar }, j) => {
      score.textContent = scores[j].toFixed(1);
      weight.textContent = weights[j].toFixed(2);
      bar.style.width = `${100 * weights[j]}%`;
    });
    const best = weights.indexOf(Math.max(...weights));
    const entropy = -weights.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0);
    summary.textContent = `Most weight: ${labels[best]}, ${weights[best].toFixed(2)}. `
      + `Entropy: ${entropy.toFixed(2)} nats, as if ${Math.exp(entropy).toFixed(1)} keys `
      + "shared equally.";
    description.textContent = `Keys as arrows, the query at ${degrees} degrees and the context. `
      + summary.textContent;
  }

  svg.addEventListener("pointerdown", (event) => svg.setPointerCapture(event.pointerId));
  svg.addEventListener("pointermove", (event) => {
    if (!svg.hasPointerCapture(event.pointerId)) return;
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width - 0.5) * 2 * REACH;
    const y = (0.5 - (event.clientY - box.top) / box.height) * 2 * REACH;
    const shorten = Math.min(1, 4 / Math.hypot(x, y)); // no further than the slider reaches
    model.set("query", [x * shorten, y * shorten]);
    model.save_changes();
  });
  model.on("change:query", update);
  model.on("change:temperature", update);
  update();
  return () => {
    model.off("change:query", update);
    model.off("change:temperature", update);
  };
}

export default { render };
