// Controls in the page, and a picture that the kernel draws.

import { checkbox, choice, element, explorer, slider, textLine } from "./drawing.js";

const PATIENCE = 300; // milliseconds until we say that we wait
const BUSY = "The kernel is drawing. If it does not answer, run this cell first.";

const CONTROLS = {
  slider: (parent, { label, options, ...range }, onInput) => {
    const digits = String(range.step).split(".")[1]?.length ?? 0;
    return slider(parent, label, [range.min, range.max, range.step], onInput,
      (value) => options?.[value] ?? value.toFixed(digits));
  },
  choice: (parent, { label, options }, onChange) =>
    choice(parent, label, [...options.entries()], (index) => onChange(Number(index))),
  checkbox: (parent, { label }, onChange) => checkbox(parent, label, onChange),
  text: (parent, { label }, onChange) => textLine(parent, label, onChange),
};

function render({ model, el }) {
  const root = explorer(el, "Figure with controls");
  root.classList.add("ex-kernel");
  const show = model.get("controls").map((control) => CONTROLS[control.kind](root, control,
    (value) => ask(control.name, value)));
  const picture = element("div", {}, root);
  const busy = element("output", {}, root);
  let waiting;

  function ask(name, value) {
    model.set("values", { ...model.get("values"), [name]: value });
    model.set("asked", model.get("asked") + 1);
    model.save_changes();
    clearTimeout(waiting);
    waiting = setTimeout(() => { busy.textContent = BUSY; }, PATIENCE);
  }
  function update() {
    const values = model.get("values");
    model.get("controls").forEach(({ name }, n) => show[n](values[name]));
  }
  function draw() {
    if (model.get("drawn") === model.get("asked")) {
      clearTimeout(waiting);
      busy.textContent = "";
    }
    picture.innerHTML = model.get("image");
  }
  model.on("change:values", update);
  model.on("change:drawn", draw);
  update();
  draw();
  return () => {
    model.off("change:values", update);
    model.off("change:drawn", draw);
  };
}

export default { render };
