// A mask built from rules and by hand, and the weights that it leaves.

import { softmax } from "./arithmetic.js";
import { checkbox, controls, element, explorer, heatmap, setter, slider, status } from "./drawing.js";

function render({ model, el }) {
  const labels = model.get("labels");
  const scores = model.get("scores"); // (len, len)
  const root = explorer(el, "Mask explorer",
    "Try: press cells to close them, then close a whole row.");
  const put = setter(model);
  const last = labels.length - 1;
  const place = controls(root);
  const show = {
    length: slider(place, "length", [1, labels.length, 1], put("length")),
    half_width: slider(place, "half-width", [0, last, 1], put("half_width")),
    causal: checkbox(place, "causal", put("causal")),
    inverted: checkbox(place, "read True as blocked", put("inverted")),
  };
  const press = (i, j) => {
    const others = model.get("by_hand").filter(([row, column]) => row !== i || column !== j);
    const was = others.length < model.get("by_hand").length;
    put("by_hand")(was ? others : [...others, [i, j]]);
  };

  const pictures = element("div", { class: "ex-row" }, root);
  const map = (title, onPress) => {
    const box = element("div", {}, pictures);
    element("p", { class: "ex-title", text: title }, box);
    return heatmap(box, { name: title, rows: labels, columns: labels, onPress });
  };
  const drawMask = map("mask: press a cell to change it", press);
  const drawWeights = map("weights");
  const say = status(root);

  function ruled(i, j) {
    return j < model.get("length") && Math.abs(i - j) <= model.get("half_width")
      && (!model.get("causal") || j <= i);
  }

  function update() {
    for (const [name, draw] of Object.entries(show)) draw(model.get(name));
    const mask = scores.map((row, i) => row.map((_, j) => ruled(i, j)));
    for (const [i, j] of model.get("by_hand")) mask[i][j] = !mask[i][j];
    const inverted = model.get("inverted");
    const open = mask.map((row) => row.map((yes) => yes !== inverted));
    drawMask(mask.map((row) => row.map(Number)), { digits: 0 });
    drawWeights(scores.map((row, i) => softmax(row, open[i])),
      { closed: open.map((row) => row.map((yes) => !yes)) });
    say(words(mask, open, inverted));
  }

  function words(mask, open, inverted) {
    const count = mask.flat().filter(Boolean).length;
    const hand = model.get("by_hand").length;
    const empty = labels.filter((_, i) => !open[i].some(Boolean));
    return [
      `${count} of ${mask.flat().length} cells are 1, True${hand ? `; ${hand} set by hand` : ""}.`,
      inverted ? "True is read as blocked: without any error, each word attends to exactly what it "
        + "should not, and to nothing else." : "Each row is shared among its open cells.",
      empty.length ? `Nothing is open for ${empty.join(", ")}: softmax gives 0 / 0, NaN, unless `
        + "somebody guards against it." : "",
    ].join(" ").trim();
  }

  const changes = [...Object.keys(show), "by_hand"].map((name) => `change:${name}`);
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
