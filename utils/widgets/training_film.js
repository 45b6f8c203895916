// A training, moment by moment: an alignment forms, while the loss falls. It plays once when it is seen.

import { COLOURS, button, chart, choice, controls, element, explorer, heatmap, setter, slider,
  status, written } from "./drawing.js";

const STAYS = 350; // ms for a moment while it plays

function render({ model, el }) {
  const [steps, losses, shares, sentences, frames, translations] = ["steps", "losses", "shares",
    "sentences", "frames", "translations"].map((name) => model.get(name));
  const root = explorer(el, "Training film",
    "Try: play it, then stop where the heatmap first looks like what it ends as.");
  const put = setter(model);
  const place = controls(root);
  const last = steps.length - 1;
  const showMoment = slider(place, "step of training", [0, last, 1], (moment) => {
    stop();
    put("moment")(moment);
  }, (moment) => String(steps[moment]));
  const playButton = button(element("div", { class: "ex-steps" }, place), "Play",
    () => (timer ? stop() : play(shown < last ? shown : 0)));
  const showSentence = choice(place, "sentence", sentences.map(({ name }, n) => [n, name]),
    (number) => put("sentence")(Number(number)));
  const row = element("div", { class: "ex-row" }, root);
  const map = element("div", {}, row);
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
  let shown = model.get("moment"); // while it plays, the model's moment stays as it is
  let timer = 0;

  function stop() {
    clearTimeout(timer);
    timer = 0;
    playButton.textContent = "Play";
  }
  function play(moment) {
    playButton.textContent = "Pause";
    shown = moment;
    update();
    timer = setTimeout(() => (moment < last ? play(moment + 1) : stop()), STAYS);
  }
  function update() {
    const [moment, number] = [shown, model.get("sentence")];
    const { name, source, target, links } = sentences[number];
    if (drawn !== number) {
      drawn = number;
      map.replaceChildren();
      drawMap = heatmap(map, { name: "weights: French words by English words, right links framed",
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
  const jump = () => {
    shown = model.get("moment");
    update();
  };
  model.on("change:moment", jump);
  model.on("change:sentence", update);
  update();
  const seen = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    seen.disconnect();
    play(0);
  }, { threshold: 0.5 });
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) seen.observe(map);
  // Nothing moves by itself under a hand that has taken over.
  for (const taken of ["pointerdown", "keydown"]) root.addEventListener(taken, () => seen.disconnect());
  return () => {
    stop();
    seen.disconnect();
    model.off("change:moment", jump);
    model.off("change:sentence", update);
  };
}

export default { render };
