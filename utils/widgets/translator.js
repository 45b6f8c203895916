// Two trained translators side by side: type a sentence, and follow how each writes its translation.

import {
  bars, button, choice, element, explorer, heatmap, OWN_KEYS, slider, status, strip, written,
} from "./drawing.js";
import { best, readTranslator, tokenise, translate, wordsOf } from "./seq2seq.js";

const LONGEST = 40; // words; the models have seen up to 19
const SHOWN = 5; // of the next words
const LAST = "<eos>";
const NONE = -1; // the place of a source word, where none is pointed at
const PLAIN = { dot: "looks back at the whole sentence", "no attention": "remembers one vector" };

const TRANSLATOR_STYLE = `
.tr-line { display: block; }
.tr-line input { display: block; box-sizing: border-box; width: 100%; font-size: 16px; }
.tr-panel { flex: 1 1 320px; }
.tr-words { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; min-height: 2em;
  margin: 6px 0; font-size: 16px; }
.tr-words span { border: 1px solid transparent; border-radius: 3px; padding: 0 4px; }
.tr-words .tr-here { outline: 3px solid #d55e00; }
.tr-words .tr-new { font-weight: bold; text-decoration: underline; text-underline-offset: 3px; }
.tr-words .tr-unknown { border: 1px dashed currentColor; }
.tr-panel .ex-map td { min-width: 20px; padding: 0; font-size: 11px; }
.tr-panel .ex-map thead th { writing-mode: vertical-rl; transform: rotate(180deg); padding: 2px 0; }
.tr-panel .ex-bars td:last-child { width: 110px; }
.tr-panel .tr-beam td:last-child { width: 5em; }
.tr-panel .tr-beam th { white-space: normal; text-align: left; }
.tr-panel .ex-bars tr { line-height: 1.25; }
`;

/**
 * Words in a row, of which one is pointed at, by mouse, or by Tab and the arrow keys.
 *
 * Returns draw(words, class names of each).
 */
function wordsIn(parent, name, onPoint) {
  const line = element("div", { class: "tr-words", role: "listbox", "aria-label": name,
    "aria-orientation": "horizontal" }, parent);
  let drawn = [];
  line.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    drawn[drawn.indexOf(event.target) + by]?.focus();
    event.preventDefault();
  });
  const point = (n) => {
    drawn.forEach((word, m) => { word.tabIndex = m === n ? 0 : -1; });
    onPoint(n);
  };
  return (words, classes) => {
    if (words.join("\n") !== drawn.map(({ textContent }) => textContent).join("\n")) {
      line.replaceChildren(); // only for other words: a new one under the mouse would be pointed at anew
      drawn = words.map((text, n) => element("span", { text, role: "option",
        tabindex: n ? -1 : 0, ...OWN_KEYS }, line));
      drawn.forEach((word, n) => {
        word.addEventListener("pointerenter", () => point(n));
        word.addEventListener("focus", () => point(n));
      });
    }
    drawn.forEach((word, n) => {
      word.className = classes(words[n], n);
      word.setAttribute("aria-selected", word.className.includes("tr-here"));
    });
  };
}

/** A sentence of French words: no space behind an elision. */
const sentenceOf = (words) => words.join(" ").replaceAll("' ", "'");

/** The place of the source word with the largest weight at a step; undefined without attention. */
const lookedAt = ({ moments }, step) => best(moments[Math.min(step, moments.length - 1)].weights, 1)[0];

/** What one translator makes of the sentence. Returns draw(what to show). */
function panel(parent, names, number, { choose, point, plain }) {
  const box = element("div", { class: "tr-panel" }, parent);
  const title = plain && element("p", { class: "ex-title" }, box);
  const showName = plain ? (name) => { title.textContent = PLAIN[name]; }
    : choice(box, `model ${number + 1}`, names, (name) => choose(number, name));
  const about = element("p", {}, box);
  const showWords = wordsIn(box, `translation by model ${number + 1}`, (row) => point(row, NONE));
  const map = element("div", {}, box);
  const details = element("div", {}, box);
  let drawMap = null;
  let drawn = null; // the table is built anew only for other words, or another model

  function showMap(name, { moments, words }, source, step, word) {
    const rows = plain ? words : [...words, LAST].slice(0, moments.length);
    const key = JSON.stringify([name, rows, source]);
    if (drawn !== key) {
      drawn = key;
      map.replaceChildren();
      drawMap = moments[0].weights.length
        ? heatmap(map, { name: "weights: French words by English words", rows, columns: source,
          onPoint: point })
        : element("p", { text: plain ? "It has nothing to look at: it read the sentence once."
          : "No weights: every step gets the same context, one vector made of the whole sentence." },
        map) && null;
    }
    const weights = moments.slice(0, rows.length).map((moment) => moment.weights);
    drawMap?.(weights, { marked: [step, word], digits: 1 });
  }

  function showStep(model, { moments, words }, source, step) {
    const { scores, weights, context, logProbs } = moments[step];
    details.replaceChildren();
    element("p", { class: "ex-title", text: `Step ${step + 1} writes “${words[step] ?? LAST}”` }, details);
    if (weights.length) {
      bars(details, { name: "what it looks at", labels: source, columns: ["score", "weight"] })(weights,
        [scores.map((score) => written(score)), weights.map((share) => written(share))]);
    }
    element("p", { text: `context, ${context.length} numbers:` }, details);
    strip(details, "the context, a colour for each number between −1 and 1", context.length)(context, 1);
    const likeliest = best(logProbs, SHOWN);
    const shares = likeliest.map((id) => Math.exp(logProbs[id]));
    bars(details, { name: "next word", labels: likeliest.map((id) => model.targetWords[id]),
      columns: ["probability"] })(shares, [shares.map((share) => written(share))]);
  }

  function showBeam(model, { steps, winner }, source, step) {
    const { kept, done } = steps[step];
    element("p", { class: "ex-title", text: `The beam after step ${step + 1}` }, details);
    const table = element("table", { class: "ex-bars tr-beam", "aria-label": "the beam" }, details);
    const heads = ["partial translation", "log-probability", "per word", ""];
    const head = element("tr", {}, element("thead", {}, table));
    heads.forEach((text) => element(text ? "th" : "td", { text, scope: text ? "col" : null }, head));
    const body = element("tbody", {}, table);
    for (const one of [...done, ...kept]) {
      const row = element("tr", { "data-total": one.total }, body);
      const ends = done.includes(one);
      element("th", { scope: "row", text: sentenceOf(wordsOf(model, source, one)) }, row);
      element("td", { text: written(one.total) }, row);
      element("td", { text: written(one.total / one.ids.length) }, row);
      const leads = one.ids.every((id, n) => winner.ids[n] === id);
      element("td", { text: [ends && "finished", leads && "chosen"].filter(Boolean).join(", ") }, row);
    }
  }

  return ({ name, model, found, source, step, word, isNew }) => { // word: null for the one looked at
    showName(name);
    about.textContent = model ? `${written(100 * model.about.exact_match, 0)} % of new sentences right in `
      + "every word" : "";
    if (!found) {
      drawn = null;
      map.replaceChildren();
      details.replaceChildren();
      showWords([], () => "");
      return;
    }
    const here = Math.min(step, (plain ? found.words : found.moments).length - 1);
    showWords(found.words, (text, n) => `${n === here ? "tr-here" : ""} ${isNew(text) ? "tr-new" : ""}`);
    showMap(name, found, source, here, word ?? lookedAt(found, here));
    if (!plain) showStep(model, found, source, here);
    if (found.steps[0].kept.length > 1) {
      showBeam(model, found, source, Math.min(step, found.steps.length - 1));
    }
  };
}

function render({ model, el }) {
  const [names, plain] = [model.get("names"), model.get("plain")];
  const arrived = new Map(); // name → translator
  const asked = new Set();
  const memory = new Map(); // what was translated last: moving a step translates nothing anew
  let failed = "";

  const put = (changes) => {
    for (const [name, value] of Object.entries(changes)) {
      if (model.get(name) !== value) model.set(name, value);
    }
    model.save_changes();
  };
  const root = explorer(el, "Translator");
  element("style", { text: TRANSLATOR_STYLE }, root);
  const label = element("label", { class: "tr-line", text: "English sentence" }, root);
  const line = element("input", { type: "text", autocomplete: "off", spellcheck: "false",
    ...OWN_KEYS }, label);
  line.addEventListener("input", () => put({ sentence: line.value, step: 0, word: NONE }));
  const showSource = wordsIn(root, "the words as the models read them",
    (word) => put({ word }));
  const showStep = slider(root, "step", [1, 1, 1], (step) => put({ step: step - 1, word: NONE }));
  const showSearch = plain ? null : choice(root, "search",
    [[1, "greedy"], [2, "beam of 2"], [3, "beam of 3"], [5, "beam of 5"]],
    (size) => put({ beam_size: Number(size), step: 0, word: NONE }));
  const compare = plain ? null : button(root, "Compare with this sentence from now on",
    () => put({ compared: model.get("sentence") }));
  const say = status(root);
  const row = element("div", { class: "ex-row" }, root);
  const panels = [0, 1].map((number) => panel(row, names, number, {
    choose: (n, name) => put({ models: model.get("models").map((old, m) => (m === n ? name : old)) }),
    point: (step, word) => put({ step, word }),
    plain,
  }));

  function found(name, sentence) {
    const translator = arrived.get(name);
    const source = tokenise(sentence);
    if (!translator || !source.length || source.length > LONGEST) return null;
    const key = JSON.stringify([name, source, model.get("beam_size")]);
    if (!memory.has(key)) {
      if (memory.size > 20) memory.clear();
      memory.set(key, translate(translator, source, model.get("beam_size")));
    }
    return memory.get(key);
  }

  function update() {
    const [sentence, compared, chosen] = ["sentence", "compared", "models"].map((one) => model.get(one));
    if (line.value !== sentence) line.value = sentence;
    if (!plain) {
      compare.disabled = sentence === compared;
      showSearch(model.get("beam_size"));
    }
    const source = tokenise(sentence);
    const translations = chosen.map((name) => found(name, sentence));
    const steps = (one) => (plain ? one.words : one.steps).length;
    const last = Math.max(1, ...translations.map((one) => (one ? steps(one) : 1)));
    const step = Math.min(model.get("step"), last - 1);
    const pointed = model.get("word");
    const word = pointed in source ? pointed : null;
    const marked = word === null ? translations.map((one) => one && lookedAt(one, step)) : [word];
    root.querySelector("input[type=range]").max = last;
    showStep(step + 1);
    const known = arrived.get(chosen[0])?.ids;
    const unknown = known ? source.filter((text) => !known.has(text)) : [];
    showSource(source, (text, n) => `${marked.includes(n) ? "tr-here" : ""} ${unknown.includes(text)
      ? "tr-unknown" : ""}`);
    const news = chosen.map((name, n) => {
      const before = new Set(found(name, plain ? sentence : compared)?.words);
      return (translations[n]?.words ?? []).filter((text) => !before.has(text));
    });
    panels.forEach((draw, n) => draw({ name: chosen[n], model: arrived.get(chosen[n]),
      found: translations[n], source, step, word, isNew: (text) => news[n].includes(text) }));
    say(account({ source, chosen, translations, unknown, news, step }));
    for (const name of chosen.filter((one) => !asked.has(one))) {
      asked.add(name);
      model.send({ want: name });
    }
  }

  function account({ source, chosen, translations, unknown, news, step }) {
    if (failed) return failed;
    if (!source.length) return "There is no word to translate yet: type an English sentence above.";
    if (source.length > LONGEST) {
      return `That is ${source.length} words. The models learned from sentences of up to 19; `
        + `please keep it to ${LONGEST}.`;
    }
    if (translations.includes(null)) {
      return el.closest(".jupyter-widgets-disconnected")
        ? "The translators sleep until their cell has run: click on the code above, then press Shift+Enter."
        : "The models are on their way.";
    }
    const strangers = [...new Set(unknown)].map((text) => `“${text}”`);
    return [
      strangers.length && `Not in the vocabulary: ${strangers.join(", ")}. The models read `
        + `${strangers.length > 1 ? "them" : "it"} as <unk>.`,
      ...chosen.map((name, n) => {
        const { words, moments } = translations[n];
        const here = Math.min(step, moments.length - 1);
        const { weights, logProbs } = moments[here];
        const at = weights.length ? `, looking most at “${source[lookedAt(translations[n], here)]}”` : "";
        if (plain) return `It ${PLAIN[name]}: “${sentenceOf(words)}”. Word ${here + 1}${at}.`;
        return `${name}: “${sentenceOf(words)}”. Step ${here + 1} writes “${words[here] ?? LAST}”${at}, `
          + `with probability ${written(Math.exp(Math.max(...logProbs)))}.`
          + (news[n].length ? ` New: ${news[n].join(", ")}.` : "");
      }),
    ].filter(Boolean).join(" ");
  }

  function receive(content, [file] = []) {
    if (content.have) arrived.set(content.have, readTranslator(file));
    else failed = content.failed;
    update();
  }
  model.on("msg:custom", receive);
  const changes = ["sentence", "compared", "models", "beam_size", "step", "word"]
    .map((name) => `change:${name}`);
  changes.forEach((change) => model.on(change, update));
  update();
  const inPlace = setTimeout(update, 500); // only now is it known whether a kernel is connected
  return () => {
    clearTimeout(inPlace);
    model.off("msg:custom", receive);
    changes.forEach((change) => model.off(change, update));
  };
}

export default { render };
