// Two trained translators side by side: type a sentence, and follow how each writes its translation.

import {
  bars, button, change, choice, COLOURS, controls, element, explorer, heatmap, OWN_KEYS, slider, status, strip, written,
} from "./drawing.js";
import { best, differences, readTranslator, tokenise, translate, wordsOf } from "./seq2seq.js";

const LONGEST = 40; // words; the models have seen up to 19
const SHOWN = 5; // of the next words
const LAST = "<eos>";
const STAYS = 450; // ms for a word while it plays
const [FAN, LEAST] = [52, 0.05]; // pixels of the lines' height; a smaller weight has no line
const NONE = -1; // the place of a source word, where none is pointed at
const PLAIN = { dot: "looks back at every word", "no attention": "remembers one vector" };

const TRANSLATOR_STYLE = `
.tr-line { display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: center; }
.tr-line input { flex: 1 1 260px; min-width: 0; box-sizing: border-box; font-size: 16px; }
.tr-panel { flex: 1 1 320px; min-width: 0; max-width: 100%; box-sizing: border-box; overflow-x: auto; padding: 0 3px; }
.tr-panel .tr-words { font-size: 15px; gap: 2px; }
.tr-head { display: flex; flex-wrap: wrap; gap: 0 14px; align-items: baseline; }
.tr-head .ex-control { grid-template-columns: auto auto; }
.tr-head p { font-size: 13px; }
.tr-words { display: flex; flex-wrap: wrap; gap: 2px 4px; align-items: center; min-height: 2em;
  margin: 2px 0; font-size: 16px; }
.tr-words span { border: 1px solid transparent; border-radius: 3px; padding: 0 3px; line-height: 1.3; }
.tr-words .tr-here { outline: 3px solid #d55e00; outline-offset: -1px; }
.tr-words .tr-new { font-weight: bold; }
.tr-words .tr-new::first-line { text-decoration: underline; text-underline-offset: 3px; } /* without the gloss */
.tr-words .tr-differs::first-line { text-decoration: underline wavy #d55e00 1.5px; text-underline-offset: 1px; }
.tr-words .tr-later { opacity: 0.15; }
.tr-words span[data-gloss]::after { content: attr(data-gloss); display: block; font: 11px/1.2 var(--jp-ui-font-family, sans-serif);
  text-align: center; opacity: 0.8; margin-top: 2px; }
.tr-panel:has([data-gloss]) .tr-words { line-height: 1; }
.tr-words:has([data-gloss]) { align-items: flex-start; }
.ex:has(.tr-line) > .ex-controls { position: sticky; top: 0; z-index: 2; background: var(--ex-paper); padding: 2px 0;
  display: flex; flex-wrap: wrap; gap: 0 20px; align-items: center; } /* the step stays in sight with all that it moves */
.ex:has(.tr-line) > .ex-controls .ex-control { grid-template-columns: auto minmax(7em, 12em) 1.5em; }
.ex:has(.tr-line) > .ex-controls .ex-control:has(select) { grid-template-columns: auto auto; }
.tr-words .tr-unknown { border: 1px dashed currentColor; }
.ex .tr-panel .ex-map { font-size: 12px; line-height: 15px; margin: 0; }
.ex .tr-panel .ex-map td { min-width: 20px; height: 15px; padding: 0; font-size: 10px; text-align: center; }
.tr-panel .ex-map tbody th { padding: 0 6px; }
.tr-panel .ex-map thead th { writing-mode: vertical-rl; transform: rotate(180deg); padding: 2px 0; }
.tr-panel .ex-bars td:last-child { width: 110px; }
.tr-panel .tr-beam td:last-child { width: 5em; }
.tr-panel .tr-beam th { white-space: normal; text-align: left; }
.tr-panel .ex-bars tr { line-height: 1.25; }
.ex .tr-panel .tr-next.tr-next { display: flex; flex-wrap: wrap; gap: 2px 12px; margin: 2px 0; padding: 0;
  list-style: none; font-size: 13px; } /* twice: JupyterLab has its own idea of lists */
.ex .tr-next li { margin: 0; white-space: nowrap; }
.tr-next .ex-bar { height: 5px; }
.tr-panel summary { cursor: pointer; font-size: 13px; padding: 2px 0; }
`;

/**
 * Words in a row, of which one is pointed at, by mouse, or by Tab and the arrow keys.
 *
 * Returns draw(words, class names of each).
 */
function wordsIn(parent, name, onPoint, glosses = {}) {
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
        tabindex: n ? -1 : 0, "data-gloss": glosses[text], ...OWN_KEYS }, line));
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
function panel(parent, names, number, { choose, point, onFold, plain, glosses }) {
  const box = element("div", { class: "tr-panel" }, parent);
  const head = element("div", { class: "tr-head" }, box);
  const title = plain && element("p", { class: "ex-title" }, head);
  const showName = plain ? (name) => { title.textContent = PLAIN[name]; }
    : choice(head, `model ${number + 1}`, names, (name) => choose(number, name));
  const about = element("p", {}, head);
  const wires = element("svg", { width: "100%", height: FAN, "aria-hidden": "true" }, box);
  const showWords = wordsIn(box, `translation by model ${number + 1}`, (row) => point(row, NONE), glosses);
  const map = element("div", {}, box);
  const next = element("div", {}, box);
  const fold = plain ? null : element("details", {}, box);
  const details = fold && element("div", {}, fold);
  if (fold) {
    fold.prepend(element("summary", { text: "The numbers of this step", ...OWN_KEYS }));
    fold.addEventListener("toggle", () => onFold(fold.open));
  }
  let drawMap = null;
  let drawn = null; // the table is built anew only for other words, or another model

  /** Lines to each French word, from what it looked at or from the one vector: the step's strong, the others faint. */
  function showLines({ moments, words }, source, step, until) {
    const line = box.querySelector(".tr-words");
    const wide = line.clientWidth;
    wires.replaceChildren();
    change(wires, { display: wide ? "block" : "none" });
    if (!wide) return; // not in the page yet
    const letters = source.reduce((sum, text) => sum + text.length + 1, 0);
    const size = Math.min(13, (1.7 * wide) / letters);
    let before = 0;
    const across = source.map((text) => { // long words get more room
      before += text.length + 1;
      return ((before - (text.length + 1) / 2) * wide) / letters;
    });
    source.forEach((text, j) => element("text", { x: across[j], y: 11, text, "text-anchor": "middle",
      style: `font-size: ${size}px` }, wires));
    const draw = (x, y, toX, toY, weight, strong) => element("path", { fill: "none", stroke: COLOURS.context,
      d: `M ${x} ${y} C ${x} ${(y + toY) / 2} ${toX} ${(y + toY) / 2} ${toX} ${toY}`, opacity: strong ? 0.9 : 0.12,
      "stroke-width": 0.6 + 5 * weight }, wires);
    const [middle, low] = [wide / 2, FAN / 2 + 6]; // the one vector
    const looks = moments[0].weights.length > 0;
    if (!looks) across.forEach((x) => draw(x, 15, middle + (x - middle) / 5, low - 4, 0.2, false));
    [...line.children].slice(0, Math.min(words.length, until + 1)).forEach((word, n) => {
      const x = word.offsetLeft - line.offsetLeft + word.offsetWidth / 2;
      if (!looks) draw(middle, low + 4, x, FAN, 0.4, n === step);
      [...moments[n].weights].forEach((weight, j) => {
        if (weight >= LEAST) draw(across[j], 15, x, FAN, weight, n === step);
      });
    });
    if (!looks) {
      element("rect", { x: middle - 50, y: low - 4, width: 100, height: 8, rx: 3, fill: COLOURS.context }, wires);
    }
  }

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
    next.replaceChildren();
    details.replaceChildren();
    element("p", { class: "ex-title", text: `Step ${step + 1} writes “${words[step] ?? LAST}”` }, next);
    const likeliest = element("ol", { class: "tr-next", "aria-label": "next word" }, next);
    for (const id of best(logProbs, SHOWN)) {
      const share = Math.exp(logProbs[id]);
      const item = element("li", { text: `${model.targetWords[id]} ${written(share)}` }, likeliest);
      const bar = element("div", { class: "ex-bar", "data-value": share }, item);
      bar.style.transform = `scaleX(${Math.max(0.006, share)})`;
    }
    if (weights.length) {
      bars(details, { name: "what it looks at", labels: source, columns: ["score", "weight"] })(weights,
        [scores.map((score) => written(score)), weights.map((share) => written(share))]);
    }
    element("p", { text: `context, ${context.length} numbers:` }, details);
    strip(details, "the context, a colour for each number between −1 and 1", context.length)(context, 1);
  }

  function showBeam(model, { steps, winner }, source, step) {
    const { kept, done } = steps[step];
    element("p", { class: "ex-title", text: `The beam after step ${step + 1}` }, next);
    const table = element("table", { class: "ex-bars tr-beam", "aria-label": "the beam" }, next);
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

  return ({ name, model, found, source, step, word, isNew, differs, until, open }) => {
    showName(name);
    about.textContent = model ? `${written(100 * model.about.exact_match, 0)} % of new sentences right` : "";
    if (fold) fold.open = open;
    if (!found) {
      drawn = null;
      [map, next, wires, details].forEach((part) => part?.replaceChildren());
      showWords([], () => "");
      return;
    }
    const here = Math.min(step, (plain ? found.words : found.moments).length - 1);
    showWords(found.words, (text, n) => [n === here && "tr-here", isNew(text) && "tr-new", differs(n) && "tr-differs",
      n > until && "tr-later"].filter(Boolean).join(" "));
    showLines(found, source, here, until);
    showMap(name, found, source, here, word ?? lookedAt(found, here)); // null for the one looked at
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
  let timer = 0; // while it plays
  let open = false; // whether the numbers of a step are shown

  const put = (changes) => {
    for (const [name, value] of Object.entries(changes)) {
      if (model.get(name) !== value) model.set(name, value);
    }
    model.save_changes();
  };
  const root = explorer(el, "Translator",
    "Try: a longer sentence. Which of the two loses the thread first, and where?");
  element("style", { text: TRANSLATOR_STYLE }, root);
  const label = element("label", { class: "tr-line", text: "English sentence" }, root);
  const line = element("input", { type: "text", autocomplete: "off", spellcheck: "false",
    ...OWN_KEYS }, label);
  line.addEventListener("input", () => {
    put({ sentence: line.value, step: 0, word: NONE });
    stop();
  });
  const showSource = wordsIn(root, "the words as the models read them",
    (word) => put({ word }));
  const place = controls(root);
  const playButton = button(place, "Play", () => (timer ? stop() : play(0)));
  const showStep = slider(place, "step", [1, 1, 1], (step) => {
    put({ step: step - 1, word: NONE });
    stop();
  });
  const showSearch = plain ? null : choice(place, "search",
    [[1, "greedy"], [2, "beam of 2"], [3, "beam of 3"], [5, "beam of 5"]],
    (size) => put({ beam_size: Number(size), step: 0, word: NONE }));
  const compare = plain ? null : button(place, "Mark what changes",
    () => put({ compared: model.get("sentence") }));
  const row = element("div", { class: "ex-row" }, root);
  const say = status(root);
  const last = () => Number(root.querySelector("input[type=range]").max);
  const panels = [0, 1].map((number) => panel(row, names, number, {
    choose: (n, name) => put({ models: model.get("models").map((old, m) => (m === n ? name : old)) }),
    point: (step, word) => (timer ? null : put({ step, word })),
    onFold: (now) => {
      if (open === now) return;
      open = now;
      update();
    },
    plain,
    glosses: model.get("glosses"),
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

  function stop() {
    if (!timer) return;
    clearTimeout(timer);
    timer = 0;
    playButton.textContent = "Play";
    update();
  }

  /** Let both write from a step on, a word at a time. */
  function play(step) {
    if (step > 0 && !root.isConnected) return;
    playButton.textContent = "Pause";
    timer = setTimeout(() => (step < last() - 1 ? play(step + 1) : stop()), STAYS);
    put({ step, word: NONE }); // the words after it are hardly seen
    update();
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
    const most = Math.max(1, ...translations.map((one) => (one ? steps(one) : 1)));
    const step = Math.min(model.get("step"), most - 1);
    const pointed = model.get("word");
    const word = pointed in source ? pointed : null;
    const marked = word === null ? translations.map((one) => one && lookedAt(one, step)) : [word];
    root.querySelector("input[type=range]").max = most;
    showStep(step + 1);
    const known = arrived.get(chosen[0])?.ids;
    const unknown = known ? source.filter((text) => !known.has(text)) : [];
    showSource(source, (text, n) => `${marked.includes(n) ? "tr-here" : ""} ${unknown.includes(text)
      ? "tr-unknown" : ""}`);
    const news = chosen.map((name, n) => {
      const before = new Set(found(name, plain ? sentence : compared)?.words);
      return (translations[n]?.words ?? []).filter((text) => !before.has(text));
    });
    const [left, right] = translations.map((one) => one?.words ?? []);
    const parted = left.length ? differences(left, right) : [];
    panels.forEach((draw, n) => draw({ name: chosen[n], model: arrived.get(chosen[n]),
      found: translations[n], source, step, word, open, until: timer ? step : Infinity,
      isNew: (text) => news[n].includes(text),
      differs: (at) => n === 1 && parted.some(([from, to]) => at >= from && at < to) }));
    say(account({ source, chosen, translations, unknown, news, step, parted }));
    for (const name of chosen.filter((one) => !asked.has(one))) {
      asked.add(name);
      model.send({ want: name });
    }
  }

  function account({ source, chosen, translations, unknown, news, step, parted }) {
    if (failed) return failed;
    if (!source.length) return "There is no word to translate yet: type an English sentence above.";
    if (source.length > LONGEST) {
      return `That is ${source.length} words. The models learned from sentences of up to 19; `
        + `please keep it to ${LONGEST}.`;
    }
    if (translations.includes(null)) return "The models are on their way.";
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
      parted.length && "A wavy line: there the second differs from the first.",
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
  let width = 0;
  const sized = new ResizeObserver(([{ contentRect }]) => { // lines end where words stand
    if (contentRect.width === width) return;
    width = contentRect.width;
    update();
  });
  sized.observe(root);
  return () => {
    clearTimeout(timer);
    sized.disconnect();
    model.off("msg:custom", receive);
    changes.forEach((change) => model.off(change, update));
  };
}

export default { render };
