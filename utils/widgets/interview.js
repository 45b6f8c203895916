// Cards: a question, its answer to open, and how it went, in three words to choose from.

const RATINGS = ["not yet", "partly", "could teach it"]; // `progress()` counts the last

const STYLE = `
.iv { max-width: 46em; font: 14px/1.5 var(--jp-ui-font-family, sans-serif);
  color: var(--jp-ui-font-color1, inherit); border-left: 4px solid #56b4e9; padding: 2px 0 2px 12px; }
.iv h3 { font-size: 1.15em; margin: 4px 0 8px; color: inherit; }
.iv summary { cursor: pointer; }
.iv p:first-child { font-size: 1.1em; }
.iv hr { border: 0; border-top: 1px solid #888; }
.iv code { background: none; color: inherit; padding: 0; }
.iv pre { overflow-x: auto; background: none; color: inherit; padding: 0; }
.iv fieldset { border: 0; margin: 8px 0; padding: 0; }
.iv label { margin-right: 16px; cursor: pointer; }
.iv input, .iv button { font: inherit; accent-color: #0072b2; }
.iv button { padding: 3px 14px; margin-right: 8px; border: 1px solid #888; border-radius: 3px;
  cursor: pointer; color: inherit; background: var(--jp-layout-color2, transparent); }
.iv :focus-visible { outline: 3px solid #d55e00; outline-offset: 2px; }
`;

let made = 0; // radio buttons belong together by name, so each sheet needs its own

function element(tag, attributes, parent) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else node.setAttribute(name, value);
  }
  if (parent) parent.append(node);
  return node;
}

function render({ model, el }) {
  const questions = model.get("questions");
  const answers = model.get("answers");
  const root = element("div", { class: "iv" }, el);
  element("style", { text: STYLE }, root);
  const count = element("div", { role: "status" }, root);
  const question = element("h3", { tabindex: "-1" }, root);
  const details = element("details", {}, root);
  element("summary", { text: "Open the answer", "data-lm-suppress-shortcuts": "true" }, details);
  const answer = element("div", {}, details); // what one can say aloud, a line, what supports it

  const set = element("fieldset", {}, root);
  element("legend", { text: "How well could you answer?" }, set);
  const name = `iv-${(made += 1)}`;
  const radios = RATINGS.map((rating) => {
    const label = element("label", {}, set);
    // JupyterLab takes keys for itself unless this attribute says not to.
    const radio = element("input", { type: "radio", name, "data-lm-suppress-shortcuts": "true" },
      label);
    label.append(` ${rating}`);
    radio.addEventListener("change", () => {
      model.set("ratings", { ...model.get("ratings"), [questions[shown]]: rating });
      model.save_changes();
    });
    return radio;
  });
  const back = element("button", { type: "button", text: "Back" }, root);
  const next = element("button", { type: "button", text: "Next question" }, root);

  const rated = (n) => model.get("ratings")[questions[n]];
  const open = questions.findIndex((_, n) => !rated(n));
  let shown = Math.max(open, 0); // the first that has no note yet

  function tell() {
    const best = questions.filter((_, n) => rated(n) === RATINGS.at(-1)).length;
    count.textContent = `Question ${shown + 1} of ${questions.length}. `
      + `You could teach ${best} so far.`;
    radios.forEach((radio, n) => { radio.checked = rated(shown) === RATINGS[n]; });
  }
  function show(n) {
    shown = (n + questions.length) % questions.length;
    question.innerHTML = questions[shown];
    answer.innerHTML = answers[shown];
    details.open = false;
    tell();
  }
  back.addEventListener("click", () => { show(shown - 1); question.focus(); });
  next.addEventListener("click", () => { show(shown + 1); question.focus(); });
  model.on("change:ratings", tell);
  show(shown);
  return () => model.off("change:ratings", tell);
}

export default { render };
