// The maps of some heads, and what is lost without one of them, or without several together.

import { sum } from "./arithmetic.js";
import { bars, button, checkbox, element, explorer, heatmap, oneStop, setter, status, textLine,
  written } from "./drawing.js";

const NONE = -1; // no head is enlarged: the mean is

const HEAD_STYLE = `
.he-head { width: 75px; } /* eight fit beside the front page's text */
.he-head button { display: block; padding: 2px; width: 100%; }
.he-head button[aria-pressed=true] { outline: 3px solid #d55e00; }
.he-head .ex-fades { margin: auto; }
.he-head .ex-check { margin: 0; }
.he-gone canvas { opacity: 0.25; }
`;

/** The mean of the maps in which `on` is true. */
function meanOf(maps, on) {
  const kept = maps.filter((_, head) => on[head]);
  return maps[0].map((row, i) => row.map((_, j) =>
    sum(kept.map((map) => map[i][j])) / Math.max(1, kept.length)));
}

/** A small map that can be enlarged, above a switch. Returns draw(on, large). */
function thumbnail(parent, name, map, rows, columns, onEnlarge, onSwitch) {
  const box = element("div", { class: "he-head" }, parent);
  const enlarge = button(box, "", onEnlarge);
  heatmap(enlarge, { name: `enlarge ${name}`, rows, columns, side: 72 })(map);
  const check = checkbox(box, name, onSwitch);
  return (on, large) => {
    check(on);
    box.classList.toggle("he-gone", !on);
    enlarge.setAttribute("aria-pressed", large);
  };
}

/** The line in which a sentence is typed, and what the kernel has against it. */
function sentenceLine(parent, model) {
  const read = (sentence) => {
    setter(model)("sentence")(sentence);
    if (!model.hasKernel) say("Python cannot read it yet: run the cell above, then type it again.");
  };
  textLine(parent, "a sentence, then Enter", read)(model.get("sentence"));
  const say = status(parent);
  return () => say(model.get("complaint"));
}

function render({ model, el }) {
  const root = explorer(el, "Heads explorer",
    "Try: switch heads off one by one, and find out which question each of them answers.");
  element("style", { text: HEAD_STYLE }, root);
  const complain = model.get("sentence") === null ? () => {} : sentenceLine(root, model);
  const content = element("div", {}, root);
  let stop = build(model, content);
  const again = () => {
    stop();
    content.replaceChildren();
    stop = build(model, content);
  };
  model.on("change:version", again);
  model.on("change:complaint", complain);
  return () => {
    stop();
    model.off("change:version", again);
    model.off("change:complaint", complain);
  };
}

/** Maps and bars of the sentence that is shown. Returns a function that ends it. */
function build(model, root) {
  const [names, questions, answers, maps, rows, columns, unit] = ["names", "questions", "answers",
    "maps", "target", "source", "unit"].map((trait) => model.get(trait));
  const put = setter(model);
  const small = element("div", { class: "ex-row", style: "gap: 4px", role: "group",
    "aria-label": "heads: enlarge them, switch them off; arrows lead from head to head" }, root);
  const heads = names.map((name, head) => thumbnail(small, name, maps[head], rows, columns,
    () => put("large")(model.get("large") === head ? NONE : head),
    () => put("off")(model.get("off") ^ (1 << head))));
  oneStop([...small.children]);
  const row = element("div", { class: "ex-row" }, root);
  const left = element("div", {}, row);
  const title = element("p", { class: "ex-title" }, left);
  const drawLarge = heatmap(left, { name: "the large map", rows, columns });
  const right = element("div", { class: "ex-scroll" }, row);
  element("p", { class: "ex-title", text: "with the heads that are switched on" }, right);
  const drawAnswers = bars(right, { name: "what is left", labels: questions,
    columns: ["all on", "now", unit ? "more" : "lost"] });
  const say = status(root);

  const sign = unit ? -1 : 1; // a loss grows when something is lost
  const longest = unit ? Math.max(...answers.flat()) : 1;
  const lost = (set) => answers[0].map((all, question) => sign * (all - answers[set][question]));
  const listed = (numbers) => numbers.map((number, question) =>
    `${questions[question]} ${written(number)}${unit && ` ${unit}`}`).join(", ");

  function update() {
    const off = model.get("off");
    const large = model.get("large");
    const on = names.map((_, head) => !(off & (1 << head)));
    const gone = names.filter((_, head) => !on[head]);
    heads.forEach((draw, head) => draw(on[head], head === large));
    title.textContent = large === NONE ? "the mean of the heads that are on" : names[large];
    drawLarge(large === NONE ? meanOf(maps, on) : maps[large]);
    const now = answers[off];
    const together = lost(off);
    drawAnswers(now.map((n) => n / longest), [answers[0], now, together].map((column) => column.map((n) => written(n))));
    const singly = questions.map((_, question) =>
      sum(names.map((_name, head) => (on[head] ? 0 : lost(1 << head)[question]))));
    if (!gone.length) say(`All ${names.length} heads are on: ${listed(now)}. Switch some off; press a small map to enlarge it.`);
    else if (gone.length === 1) say(`Without ${gone[0]} alone the ${unit ? "loss grows by" : "loss is"}: ${listed(together)}.`);
    else {
      say(`Switched off together, ${gone.join(", ")} cost: ${listed(together)}. `
        + `What each costs alone adds up to: ${listed(singly)}.`);
    }
  }
  const changes = ["change:off", "change:large"];
  changes.forEach((change) => model.on(change, update));
  update();
  return () => changes.forEach((change) => model.off(change, update));
}

export default { render };
