// A question, a guess to commit, and, once that is done, the answer beside it.

const CERTAINTIES = ["just guessing", "fairly sure", "certain"];

const PATIENCE = 1500; // ms for the kernel to hear of a guess
const NOT_RUN = " Python has not heard of this guess, because the cells above have not been run yet:"
  + " choose Run ▸ Run All Above Selected Cell in the menu, then guess once more.";
const COUNTED = "The room sees how many guessed what, and no names.";

const STYLE = `
.pr { max-width: 46em; font: 14px/1.5 var(--jp-ui-font-family, sans-serif);
  color: var(--jp-ui-font-color1, inherit); border-left: 4px solid #56b4e9; padding: 2px 0 2px 12px; }
.pr fieldset { border: 0; margin: 4px 0; padding: 0; }
.pr legend { padding: 0; }
.pr .pr-question { font-weight: bold; }
.pr label { display: inline-block; margin: 2px 16px 2px 0; cursor: pointer; }
.pr .pr-options label { display: block; }
.pr input, .pr button { font: inherit; accent-color: #0072b2; }
.pr input[type=number] { width: 8em; padding: 2px 6px; color: inherit; border: 1px solid #888;
  background: var(--jp-layout-color1, transparent); }
.pr button { padding: 3px 14px; border: 1px solid #888; border-radius: 3px; cursor: pointer;
  color: inherit; background: var(--jp-layout-color2, transparent); }
.pr :focus-visible { outline: 3px solid #d55e00; outline-offset: 2px; }
.pr [role=status] { margin: 4px 0; }
.pr summary { cursor: pointer; }
`;

let made = 0; // radio buttons belong together by name, so each form needs its own

function element(tag, attributes, parent) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else node.setAttribute(name, value);
  }
  if (parent) parent.append(node);
  return node;
}

function input(parent, attributes, text) {
  const label = element("label", {}, parent);
  // JupyterLab takes keys for itself unless this attribute says not to.
  const node = element("input", { "data-lm-suppress-shortcuts": "true", ...attributes }, label);
  if (text) label.append(` ${text}`);
  return node;
}

function radios(form, legend, className, options) {
  const set = element("fieldset", { class: className }, form);
  element("legend", { text: legend }, set);
  const name = `pr-${(made += 1)}`;
  for (const value of options) input(set, { type: "radio", name, value, required: "" }, value);
  return () => set.querySelector("input:checked").value;
}

function number(form, question, [low, high]) {
  const set = element("fieldset", {}, form);
  element("legend", { class: "pr-question", text: question }, set);
  const node = input(set, { type: "number", min: low, max: high, step: "any", required: "",
    "aria-label": `your guess, from ${low} to ${high}` });
  set.append(`from ${low} to ${high}`);
  return () => String(Number(node.value));
}

function render({ model, el }) {
  const root = element("div", { class: "pr" }, el);
  element("style", { text: STYLE }, root);
  const form = element("form", {}, root);
  const question = model.get("question");
  const options = model.get("options");
  const guess = options.length ? radios(form, question, "pr-options", options)
    : number(form, question, model.get("between"));
  form.querySelector("legend").className = "pr-question";
  const certainty = radios(form, "How sure are you?", "", CERTAINTIES);
  if (model.get("in_room")) element("p", { text: COUNTED }, form);
  element("button", { type: "submit", text: "This is my guess" }, form);
  const said = element("div", { role: "status", tabindex: "-1" }, root);
  const isStored = model.get("guess") !== ""; // guessed before: perhaps on another day

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    model.set("certainty", certainty());
    model.set("guess", guess());
    model.save_changes();
    said.focus();
    // The kernel stores the guess in the output, which is then drawn anew: the focus has to follow.
    globalThis.attentionGuess = question;
    // In JupyterLab, a notebook that was opened but not run has no kernel that knows this question.
    if (document.getElementById("jupyter-config-data")) {
      setTimeout(() => { late = true; update(); }, PATIENCE);
    }
  });
  let late = false;

  function update() {
    const committed = model.get("guess");
    form.hidden = committed !== "";
    if (!committed) return;
    const answer = model.get("answer");
    said.replaceChildren();
    element("span", { class: "pr-question", text: question }, said);
    said.append(` You said ${committed} (${model.get("certainty")}). `);
    if (!answer) said.append("Now run the next cell.");
    else if (isStored) {
      const fold = element("details", {}, said);
      element("summary", { text: "The answer" }, fold);
      fold.append(answer);
    } else said.append(`The answer: ${answer}.`);
    if (late && !model.get("heard")) said.append(NOT_RUN);
  }
  model.on("change", update);
  update();
  const isElsewhere = document.activeElement?.matches("input, select, button, .cm-content");
  if (isStored && globalThis.attentionGuess === question && !isElsewhere) {
    setTimeout(() => said.focus()); // as soon as it stands in the page
  }
  globalThis.attentionGuess = "";
  return () => model.off("change", update);
}

export default { render };
