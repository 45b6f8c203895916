// A figure that follows its controls: the frames of all their settings are there.

import { COLOURS, change, chart, checkbox, choice, controls, element, explorer, heatmap, planeLegend,
  setter, slider, status } from "./drawing.js";

const LINES = [COLOURS.key, COLOURS.other, COLOURS.context];
const LARGE = 200; // pixels of a picture

const CONTROLS = {
  slider: (parent, { label, texts }, onInput) =>
    slider(parent, label, [0, texts.length - 1, 1], onInput, (place) => texts[place]),
  choice: (parent, { label, texts }, onChange) =>
    choice(parent, label, [...texts.entries()], (place) => onChange(Number(place))),
  checkbox: (parent, { label }, onChange) =>
    checkbox(parent, label, (checked) => onChange(Number(checked))),
};

/** Curves. Returns draw(frame); all frames have the same axes, and equally many lines. */
function curves(parent, frames) {
  const [{ x, lines, xlabel, ylabel }] = frames;
  const all = frames.flatMap((frame) => frame.lines.flatMap(([, y]) => y));
  const figure = element("figure", { style: "margin: 0; width: fit-content" }, parent);
  const draw = chart(figure, { name: `${ylabel} by ${xlabel}`, x: [x[0], x.at(-1)],
    y: [Math.floor(Math.min(0, ...all) * 10) / 10, Math.ceil(Math.max(...all) * 10) / 10],
    xName: xlabel, yName: ylabel, width: 460, height: 260 });
  const names = planeLegend(figure, lines.map((_, n) => ["━━", LINES[n]]));
  return (frame) => {
    draw(frame.lines.map(([, y], n) =>
      ({ points: x.map((place, i) => [place, y[i]]), colour: LINES[n] })));
    frame.lines.forEach(([name], n) => names[n](name));
  };
}

/** Heatmaps side by side. Returns draw(frame). */
function maps(parent) {
  const axes = element("p", {}, parent);
  const row = element("div", { class: "ex-row" }, parent);
  let [panels, labels] = [[], ""];
  return ({ maps: all, rows, columns, links = [] }) => {
    const [[, first]] = all;
    axes.textContent = rows ? "A row asks, a column is looked at." : "";
    const now = JSON.stringify([rows, columns]);
    if (!panels.length || now !== labels) {
      row.replaceChildren();
      panels = all.map(() => {
        const box = element("div", {}, row);
        const title = element("p", { class: "ex-title" }, box);
        return { title, draw: heatmap(box, { name: rows ? "weights" : "picture", rows: rows ?? first,
          columns: columns ?? first[0], side: rows ? undefined : LARGE }) };
      });
      labels = now;
    }
    const framed = first.map((line, i) => line.map((_, j) => links.some(([s, t]) => s === j && t === i)));
    all.forEach(([text, values], n) => {
      change(panels[n].title, { text });
      panels[n].draw(values, { framed });
    });
  };
}

function render({ model, el }) {
  const [list, frames] = [model.get("controls"), model.get("frames")];
  const [{ maps: mapped, rows, xlabel, ylabel }] = frames;
  const shows = mapped ? (rows ? "weights" : "pictures, side by side")
    : `${ylabel}, by ${xlabel}`;
  const root = explorer(el, model.get("title") || `${shows[0].toUpperCase()}${shows.slice(1)}`, model.get("task")
    || `Try: take ${list.map(({ label }) => `“${label}”`).join(" and ")} from one end to the other, and say first what will change.`);
  const put = setter(model)("places");
  const place = controls(root);
  const show = list.map((control, n) => CONTROLS[control.kind](place, control,
    (at) => put(model.get("places").map((old, i) => (i === n ? at : old)))));
  const draw = (mapped ? maps : curves)(root, frames);
  const say = status(root);

  function update() {
    const places = model.get("places");
    places.forEach((at, n) => show[n](at));
    const frame = frames[places.reduce((index, at, n) => index * list[n].texts.length + at, 0)];
    draw(frame);
    say(frame.alt);
  }
  model.on("change:places", update);
  update();
  return () => model.off("change:places", update);
}

export default { render };
