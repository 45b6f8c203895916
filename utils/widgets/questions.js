// Questions one by one: an answer is judged at once, with the sentence of the belief behind it.

const STYLE = `
.qs { max-width: 46em; font: 14px/1.5 var(--jp-ui-font-family, sans-serif);
  color: var(--jp-ui-font-color1, inherit); border-left: 4px solid #56b4e9; padding: 2px 0 2px 12px; }
.qs fieldset { border: 0; margin: 4px 0; padding: 0; min-width: 0; }
.qs legend { padding: 0; font-weight: bold; }
.qs .qs-scroll { overflow-x: auto; max-width: 100%; }
.qs .qs-options label { display: flex; gap: 8px; align-items: center; margin: 4px 0; cursor: pointer; }
.qs input, .qs button { font: inherit; accent-color: #0072b2; }
.qs input[type=number] { width: 8em; padding: 2px 6px; color: inherit; border: 1px solid #888;
  background: var(--jp-layout-color1, transparent); }
.qs button { padding: 3px 14px; margin: 6px 8px 2px 0; border: 1px solid #888; border-radius: 3px;
  cursor: pointer; color: inherit; background: var(--jp-layout-color2, transparent); }
.qs table { font: inherit; color: inherit; }
.qs code { background: none; color: inherit; padding: 0; }
.qs p { margin: 4px 0; }
.qs :focus-visible { outline: 3px solid #d55e00; outline-offset: 2px; }
`;
// A number in English; one in German is the same with point and comma exchanged.
const ENGLISH = new RegExp("^(?=[+-]?\\.?[0-9])[+-]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)"
  + "(?:\\.[0-9]*)?(?:e[+-]?[0-9]+)?$");
const AGAIN_AFTER = 3; // other questions, before one that went wrong is asked again

let made = 0; // radio buttons belong together by name, so each form needs its own

function element(tag, attributes, parent) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (name === "html") node.innerHTML = value;
    else node.setAttribute(name, value);
  }
  if (parent) parent.append(node);
  return node;
}

/** The numbers that a text can mean, as in `readings` of utils/items/marking.py. */
function readings(text) {
  const plain = text.trim().toLowerCase().replace("−", "-")
    .replace(/(?<=[0-9])['’ \u00a0\u2009\u202f](?=[0-9]{3})/g, "");
  const exchanged = plain.replace(/[.,]/g, (sign) => (sign === "." ? "," : "."));
  return [plain, exchanged].filter((one) => ENGLISH.test(one))
    .map((one) => Number.parseFloat(one.replaceAll(",", "")));
}

/** The option closest to what was typed, the right one first; -1 if none is close enough. */
function typedOption({ accepted, right }, text) {
  const off = accepted.flatMap(([value, slack], option) => readings(text)
    .map((number) => [Math.abs(number - value) / slack, option !== right, option]));
  const [distance, , option] = off.sort((a, b) => a[0] - b[0] || a[1] - b[1])[0];
  return distance <= 1 ? option : -1;
}

function render({ model, el }) {
  const all = model.get("questions");
  const endless = model.get("endless");
  const root = element("div", { class: "qs" }, el);
  element("style", { text: STYLE }, root);
  const count = element("div", {}, root);
  const stage = element("div", {}, root);
  let queue = endless ? [...all].sort(() => Math.random() - 0.5) : [...all];
  let [asked, right] = [0, 0];

  function options(form, question) {
    const set = element("fieldset", { class: "qs-options" }, form);
    element("legend", { html: question.text, tabindex: "-1" }, set);
    for (const part of question.shows) element("div", { class: "qs-scroll", html: part }, set);
    if (question.typed) {
      const label = element("label", { text: "Your answer, a number:" }, set);
      const node = element("input", { type: "text", inputmode: "decimal", size: "10",
        required: "", autocomplete: "off", "data-lm-suppress-shortcuts": "true" }, label);
      node.addEventListener("input", () => {
        node.setCustomValidity(readings(node.value).length ? "" : "A number, such as 0.25");
      });
      return () => typedOption(question, node.value);
    }
    const name = `qs-${(made += 1)}`;
    question.options.forEach((option, n) => {
      const label = element("label", {}, set);
      // JupyterLab takes keys for itself unless this attribute says not to.
      element("input", { type: "radio", name, value: n, required: "",
        "data-lm-suppress-shortcuts": "true" }, label);
      element("div", { class: "qs-scroll", html: option }, label);
    });
    return () => Number(set.querySelector("input:checked").value);
  }

  function judge(question, option) {
    const isRight = option === question.right;
    asked += 1;
    right += isRight;
    if (!(question.id in model.get("answers"))) {
      model.set("answers", { ...model.get("answers"), [question.id]: option });
      model.save_changes();
    }
    if (endless && !isRight) {
      const other = all.find((one) => one.id === question.id && one !== question) ?? question;
      queue.splice(AGAIN_AFTER, 0, other);
    }
    const said = element("div", { role: "status", tabindex: "-1" }, stage);
    if (isRight) element("p", { html: `<b>✓ Right.</b> ${question.why}` }, said);
    else {
      element("p", { html: `<b>✗ Not so.</b> ${option < 0 ? "" : question.says[option]}` }, said);
      element("p", { text: "Right is:" }, said);
      element("div", { class: "qs-scroll", html: question.options[question.right] }, said);
      element("p", { html: `${question.why} (${question.where}.)` }, said);
    }
    const next = element("button", { type: "button",
      text: queue.length ? "Next question" : "Done" }, said);
    next.addEventListener("click", show);
    said.focus();
  }

  function show() {
    stage.replaceChildren();
    const question = queue.shift();
    if (!question) {
      count.textContent = "";
      const end = element("p", { role: "status", tabindex: "-1" }, stage);
      end.textContent = `${right} of ${asked} right. ${model.get("link") && !endless
        ? "What you know comes back in some days, what went wrong sooner, in other numbers." : ""}`;
      end.focus();
      return;
    }
    count.textContent = endless ? `${right} of ${asked} right so far`
      : `Question ${all.length - queue.length} of ${all.length}`;
    const form = element("form", {}, stage);
    const chosen = options(form, question);
    element("button", { type: "submit", text: "Answer" }, form);
    if (asked || queue.length < all.length - 1) form.querySelector("legend").focus();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const option = chosen();
      for (const node of form.querySelectorAll("input")) node.disabled = true;
      form.querySelector("button").remove();
      judge(question, option);
    });
  }
  show();
}

export default { render };
