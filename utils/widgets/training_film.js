// A training, moment by moment: an alignment forms, while the loss falls.

import { chart, choice, COLOURS, element, explorer, heatmap, slider, status, written } from "./drawing.js";

function render({ model, el }) {
  const [steps, losses, shares, sentences, frames, translations] = ["steps", "losses", "shares",
    "sentences", "frames", "translations"].map((name) => model.get(name));
  const root = explorer(el, "Training film");
  const put = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const showMoment = slider(root, "step of training", [0, steps.length - 1, 1],
    (moment) => put("moment", moment), (moment) => String(steps[moment]));
  const showSentence = choice(root, "sentence", sentences.map(({ name }, n) => [n, name]),
    (number) => put("sentence", Number(number)));
  const row = element("div", { class: "ex-row" }, root);
  const place = element("div", {}, row);
  const side = element("div", { style: "max-width: 290px" }, row);
  const x = [steps[0], steps.at(-1)];
  const curve = (name, numbers, top, colour) => {
    const draw = chart(side, { name: `${name} by step of training`, x, y: [0, top],
      xName: "step of training", yName: name, width: 290, height: 150 });
    const points = steps.map((step, n) => [step, numbers[n]]);
    return (moment) => draw([{ points, colour }, { points: [points[moment]], colour: COLOURS.query }]);
  };
  const curves = [
    curve("loss", losses, Math.ceil(Math.max(...losses)), COLOURS.key),
    curve("share looking right", shares, 1, COLOURS.context),
  ];
  const say = status(root);
  let [drawMap, drawn] = [null, null];

  function update() {
    const [moment, number] = [model.get("moment"), model.get("sentence")];
    const { name, source, target, links } = sentences[number];
    if (drawn !== number) {
      drawn = number;
      place.replaceChildren();
      drawMap = heatmap(place, { name: "weights: French words by English words, right links framed",
        rows: target, columns: source });
    }
    showMoment(moment);
    showSentence(number);
    const right = target.map((_, t) => source.map((_, s) => links.some(([a, b]) => a === s && b === t)));
    drawMap(frames[moment][number], { framed: right });
    curves.forEach((draw) => draw(moment));
    const share = written(100 * shares[moment], 0);
    say(`After ${steps[moment]} steps: loss ${written(losses[moment])}, ${share} % of the words look at a `
      + `right one. It translates the ${name} as “${translations[moment][number]}”.`);
  }
  const changes = ["change:moment", "change:sentence"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
