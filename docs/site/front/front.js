// The front page: one scene, in which two translators write the same sentence, word by word.

import { best, differences, readTranslator, tokenise, translate } from "./explorers/seq2seq.js";
import { fetchWeights } from "./explorers/weights.js";
import { near } from "./near.js";
import { pictureOf } from "./picture.js";

const READS = 700; // ms in which the models read the sentence, before they write
const LASTS = 6000; // ms of the whole scene
const [FASTEST, SLOWEST] = [200, 400]; // ms for a word
const FAINTEST = 2; // hundredths: a smaller weight has no line
const TOLD = 5; // hundredths: a smaller weight has no number
const MOST_WORDS = 20; // of a sentence that a visitor types
const SURE = 0.5; // the chance below which a word of a translation is a guess
const GLANCE = 0.1; // the weight below which a word was not looked at
const MOST_STRANGE = 1 / 3; // share of its words that may be unknown
const VIRIDIS = ["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"]
  .map((code) => [0, 2, 4].map((at) => parseInt(code.slice(at, at + 2), 16)));
const ICONS = { play: ["Play", "M4 2v12l10-6z"], pause: ["Pause", "M3 2h4v12H3zM9 2h4v12H9z"],
  again: ["Play again", "M8 2a6 6 0 1 0 6 6h-2a4 4 0 1 1-4-4v3l5-4-5-4z"] };
const SVG = "http://www.w3.org/2000/svg";
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

const $ = (id) => document.getElementById(id);

function element(tag, attributes = {}, parent = null, text = null) {
  const drawn = ["g", "path", "rect", "text"].includes(tag) && parent?.namespaceURI === SVG;
  const node = drawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  parent?.append(node);
  return node;
}

/** The colour of a share, from 0 to 1, and the colour of letters on it. */
function colours(share) {
  const at = Math.max(0, Math.min(1, share)) * (VIRIDIS.length - 1);
  const below = Math.min(VIRIDIS.length - 2, Math.floor(at));
  const rgb = VIRIDIS[below].map((from, n) => Math.round(from + (at - below) * (VIRIDIS[below + 1][n] - from)));
  const light = rgb.map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  return [`rgb(${rgb})`, luminance > 0.179 ? "#000" : "#fff"];
}

/** What stands between two words: nothing behind l' or before n't and a comma; a French ? keeps off. */
function between(word, next, language) {
  if (!next) return " ";
  if (word.endsWith("'") || /^(n't|'\p{L}+|[.,])$/u.test(next)) return "";
  return /^[?!]$/.test(next) ? (language === "fr" ? "\u00a0" : "") : " ";
}

/** A sentence of French words. */
const sentenceOf = (words) => words.map((word, n) => word + between(word, words[n + 1], "fr")).join("")
  .trim().replaceAll("'", "’");

// ---- What is shown ------------------------------------------------------------------------------

const scene = $("scene");
const side = (name) => {
  const panel = scene.querySelector(name);
  const part = (selector) => panel.querySelector(selector);
  return { stage: part(".stage"), english: part(".en"), french: part(".fr"), wires: part(".wires"),
    map: part(".map"), verdict: part(".verdict") };
};
const [see, mem] = [side(".see"), side(".mem")];
let shown; // the scene: see `scene_of` in front.py
let total; // its number of steps: the words of the longer translation
let step = 0;
let pointed = -1; // a written word under the mouse
let timer = 0;
let playing = false;

/** Put words into a line, each an element; the words of a group share a note below them. */
function write(line, words, groups = []) {
  line.replaceChildren();
  const spans = [];
  for (let at = 0; at < words.length;) {
    const group = groups.find(([from]) => from === at);
    const end = group ? group[1] : at + 1;
    const holder = group ? element("span", { class: "err", "data-until": end }, line) : line;
    for (; at < end; at += 1) {
      const gap = between(words[at], words[at + 1], line.lang);
      spans.push(element("span", { class: gap ? "w" : "w glue" }, holder, words[at].replace("'", "’")));
      (at < end - 1 ? holder : line).append(gap);
    }
    if (group) element("small", { lang: "en" }, holder, group[2]);
  }
  return spans;
}

function load(sentence) {
  shown = sentence;
  total = Math.max(shown.french.length, shown.french_without.length);
  see.source = write(see.english, shown.english);
  mem.source = write(mem.english, shown.english);
  see.words = write(see.french, shown.french);
  mem.words = write(mem.french, shown.french_without, shown.wrong);
  for (const words of [see.source, mem.source]) {
    words.forEach((word, n) => word.style.setProperty("--i", n));
  }
  if (shown.typed) tell(see.verdict, "");
  else tell(see.verdict, `✓ all ${shown.french.length} right`, true);
  const wrong = shown.wrong.reduce((sum, [from, to]) => sum + to - from, 0);
  const of = `of ${shown.french_without.length}`;
  const fewer = shown.french_without.length < shown.french.length;
  if (shown.typed) tell(mem.verdict, wrong ? `${wrong} ${of} differ` : fewer ? "leaves words out" : "the same");
  else tell(mem.verdict, wrong ? `✗ ${wrong} ${of} wrong` : `✓ all ${shown.french_without.length} right`, !wrong);
  scene.classList.toggle("typed", Boolean(shown.typed)); // nobody knows which of the two is right
  $("scrub").max = total;
  [...$("chips").children].forEach((chip) => chip.setAttribute("aria-pressed",
    String(!shown.typed && chip.textContent === shown.label)));
  drawMap();
  layOut();
}

function tell(verdict, text, good) {
  verdict.textContent = text;
  verdict.className = good === undefined ? "verdict" : good ? "verdict good" : "verdict bad";
}

function drawMap() {
  const table = element("table");
  element("caption", { class: "hide" }, table,
    "Attention weights in hundredths: a row for each French word, a column for each English word");
  const columns = element("colgroup", {}, table);
  element("col", { style: "width:78px" }, columns);
  shown.english.forEach(() => element("col", {}, columns));
  const head = element("tr", {}, element("thead", {}, table));
  element("td", { class: "axis" }, head).append("weights in %", element("br"), "looks at →", element("br"),
    "writes ↓");
  for (const word of shown.english) element("span", { lang: "en" }, element("th", { scope: "col" }, head), word);
  const body = element("tbody", {}, table);
  shown.french.forEach((word, row) => {
    const line = element("tr", {}, body);
    element("th", { scope: "row", lang: "fr" }, line, word.replace("'", "’"));
    for (const weight of shown.weights[row]) {
      const [ground, ink] = colours(weight / 100);
      element("td", { style: `--c:${ground};--k:${ink}` }, line, weight < TOLD ? "" : weight);
    }
  });
  see.map.replaceChildren(table);
  see.rows = [...body.children];
}

// ---- Where it stands: all lines are drawn at once, unseen, so that nothing moves later -----------

/** The largest size of letters with which each line takes at most so many rows; 0 if none does. */
function sizeFor(lines, rows, from, to) {
  const rowsOf = (words) => new Set(words.map((word) => Math.round(word.getBoundingClientRect().top / 4))).size;
  for (let size = from; size >= to; size -= 0.25) {
    for (const [line] of lines) line.style.fontSize = `${size}px`;
    if (lines.every(([, words]) => rowsOf(words) <= rows)) return size;
  }
  return 0;
}

const isNarrow = () => getComputedStyle(mem.english).position === "absolute"; // a phone: no second English line

function fitWords() {
  const narrow = isNarrow();
  scene.classList.remove("long");
  const english = [[see.english, see.source], [mem.english, mem.source]].slice(0, narrow ? 1 : 2);
  const french = [[see.french, see.words], [mem.french, mem.words]];
  const one = narrow ? 0 : sizeFor([...english, ...french], 1, 21, 15);
  scene.classList.toggle("one", one > 0);
  scene.classList.toggle("knot", narrow && !one); // lines would run behind words
  if (one) {
    sizeFor(english, 1, Math.min(21, one * 1.14), one); // shorter, so larger: the lines stand straighter
    return;
  }
  sizeFor(english, narrow ? 2 : 1, narrow ? 17 : 19, 15) || sizeFor(english, narrow ? 3 : 2, 17, 14);
  if (sizeFor(french, 2, narrow ? 17 : 19, 15)) return;
  sizeFor(french, 3, 16, 14);
  scene.classList.add("long");
}

function placesOf({ stage }, words) {
  const base = stage.getBoundingClientRect();
  return words.map((word) => {
    const { left, top, bottom, width } = word.getBoundingClientRect();
    return { x: left - base.left + width / 2, top: top - base.top, bottom: bottom - base.top };
  });
}

function curve(x, y, toX, toY) {
  const bend = (y - toY) * 0.52;
  return `M${[x, y].map(Math.round)}C${[x, y - bend, toX, toY + bend, toX, toY].map((n) => n.toFixed(1))}`;
}

function layOut() {
  const asMap = scene.classList.contains("as-map");
  see.map.style.setProperty("--row", `${Math.min(22, (see.stage.clientHeight - 68) / shown.french.length)}px`);
  if (!asMap) {
    fitWords();
    drawLooks();
  }
  drawMemory();
  show(step);
}

function drawLooks() {
  const [source, written] = [placesOf(see, see.source), placesOf(see, see.words)];
  see.wires.replaceChildren();
  see.groups = written.map((word, row) => {
    const group = element("g", {}, see.wires);
    const most = Math.max(...shown.weights[row]);
    shown.weights[row].forEach((weight, column) => {
      const { x, top, bottom } = source[column];
      if (weight >= FAINTEST) {
        element("path", { pathLength: 1, "stroke-width": 0.6 + 0.07 * weight, class: weight === most ? "most" : "rest",
          d: curve(word.x, word.top, x, bottom + 1) }, group);
      }
      if (weight >= TOLD) element("text", { x, y: top - 4 }, group, (weight / 100).toFixed(2));
    });
    return group;
  });
}

function drawMemory() {
  const narrow = isNarrow();
  const width = mem.stage.clientWidth;
  const half = shown.vector.length / 2;
  const cell = width < 420 ? 3 : 4;
  const across = half * cell;
  const written = placesOf(mem, mem.words);
  const source = placesOf(mem, mem.source);
  const isShort = width < across + 340; // no room for the whole label beside the vector
  const left = (width - across - (isShort ? 82 : 0)) / 2;
  const top = narrow ? 8 : Math.round((source.at(-1).bottom + written[0].top) / 2) - 12;
  mem.wires.replaceChildren();
  mem.funnel = element("g", { class: "funnel" }, mem.wires);
  if (!narrow) {
    source.forEach(({ x, bottom }, n) => element("path", { pathLength: 1,
      d: curve(x, bottom + 1, left + across * (0.2 + 0.6 * (n + 0.5) / source.length), top - 5) }, mem.funnel));
  }
  mem.groups = written.map((word) => {
    const group = element("g", {}, mem.wires);
    element("path", { pathLength: 1, "stroke-width": 2,
      d: curve(left + across / 2, top + 25, word.x, word.top) }, group);
    return group;
  });
  mem.vector = element("g", { class: "vector" }, mem.wires);
  element("rect", { class: "box", x: left - 5, y: top - 5, width: across + 10, height: 30, rx: 5 }, mem.vector);
  const reach = Math.max(...shown.vector.map(Math.abs));
  shown.vector.forEach((number, n) => element("rect", { class: "cell", x: left + (n % half) * cell,
    y: top + 10 * Math.floor(n / half), width: cell - 0.6, height: 9.4, fill: colours((number / reach + 1) / 2)[0],
    style: `transition-delay:${(n % half) * 6}ms` }, mem.vector));
  element("text", { x: left + across + (isShort ? 10 : 14), y: top + 14 }, mem.vector,
    `${isShort ? "" : "all it keeps: "}${shown.vector.length} numbers`);
}

// ---- How it moves -------------------------------------------------------------------------------

/** Show the scene after `count` written words; `reading` while the models read. */
function show(count, reading = false) {
  step = count;
  const ended = count >= total && !playing;
  const rests = ended && !scene.classList.contains("knot"); // at the end all lines rest, where they do not cross words
  const leading = pointed >= 0 ? pointed : rests ? -1 : count - 1;
  scene.classList.toggle("done", ended);
  scene.classList.toggle("reading", reading);
  scene.classList.toggle("peek", pointed >= 0);
  for (const { words, groups } of [see, mem]) {
    words.forEach((word, n) => {
      word.classList.toggle("on", n < count);
      word.classList.toggle("now", n === leading);
    });
    groups?.forEach((group, n) => group.setAttribute("class", n === leading ? "now" : n < count ? "past" : ""));
  }
  see.source.forEach((word, n) => {
    const share = (shown.weights[leading]?.[n] ?? 0) / 100;
    word.classList.toggle("hit", share >= 0.05);
    word.style.setProperty("--h", share);
  });
  see.rows.forEach((row, n) => { row.className = `${n < count ? "on" : ""} ${n === leading ? "now" : ""}`; });
  for (const group of mem.french.querySelectorAll(".err")) {
    group.classList.toggle("told", count >= Number(group.dataset.until));
  }
  const read = reading || count > 0;
  mem.vector?.classList.toggle("on", read);
  mem.funnel?.setAttribute("class", read ? "funnel past" : "funnel");
  mem.source.forEach((word) => word.classList.toggle("gone", count > 0));
  const words = [shown.french, shown.french_without].map((line) => line[count - 1] ?? "finished");
  $("scrub").value = count;
  $("scrub").setAttribute("aria-valuetext", count ? `${count} of ${total}: ${words.join(", ")}` : "not begun");
  $("place").textContent = count ? `word ${count} of ${total}` : "reads first";
  setIcon($("play"), playing ? "pause" : ended ? "again" : "play");
}

function setIcon(button, icon) {
  const [name, outline] = ICONS[icon];
  button.setAttribute("aria-label", name);
  button.querySelector("path").setAttribute("d", outline);
}

function stop() {
  clearTimeout(timer);
  playing = false;
  pointed = -1;
}

function finish() {
  stop();
  show(total);
  $("told").textContent = `Looks back writes “${sentenceOf(shown.french)}”. Remembers one vector writes `
    + `“${sentenceOf(shown.french_without)}”: ${mem.verdict.textContent}.`;
}

function play(from = 0) {
  stop();
  if (STILL.matches) return finish();
  playing = true;
  show(from, from === 0);
  const pace = Math.max(FASTEST, Math.min(SLOWEST, (LASTS - READS) / total));
  const next = () => {
    if (step >= total) return finish();
    show(step + 1);
    timer = setTimeout(next, pace);
  };
  timer = setTimeout(next, from === 0 ? READS : pace / 2);
}

function goTo(count) {
  stop();
  show(Math.max(0, Math.min(total, count)));
}

$("play").addEventListener("click", () => {
  if (playing) goTo(step);
  else play(step >= total ? 0 : step);
});
$("back").addEventListener("click", () => goTo(step - 1));
$("next").addEventListener("click", () => goTo(step + 1));
$("scrub").addEventListener("input", () => goTo(Number($("scrub").value)));
scene.addEventListener("change", ({ target }) => {
  if (target.name !== "view") return;
  scene.classList.toggle("as-map", target.value === "map");
  layOut();
});
for (const { french, side: own = see } of [{ french: see.french, side: see }, { french: mem.french, side: mem }]) {
  french.addEventListener("pointerover", ({ target }) => {
    const at = own.words.indexOf(target);
    if (playing || at < 0 || at >= step) return;
    pointed = at;
    show(step);
  });
  french.addEventListener("pointerleave", () => {
    pointed = -1;
    show(step);
  });
}
addEventListener("resize", () => layOut());

// ---- A sentence of one's own --------------------------------------------------------------------

const MODELS = { see: "everyday-dot", mem: "everyday-no-attention" };
const HALVES = ["ca", "wo"]; // of can't and won't
let models = null; // a promise of both, once somebody begins to type

function fetchModels() {
  models ??= Promise.all(Object.values(MODELS).map(async (name) => (
    readTranslator(await fetchWeights(new URL(`translators/${name}.safetensors.z`, import.meta.url))))));
  return models;
}

/** The word of a translation that its translator was least sure of, and the chance that it gave it. */
function leastSure({ words, winner, moments }) {
  const chances = words.map((_, step) => Math.exp(moments[step].logProbs[winner.ids[step]]));
  const [at] = best(chances.map((chance) => -chance), 1);
  return { word: words[at], chance: chances[at] };
}

/** Neighbours in the source, two or more, that no word of the translation looked at. */
function overlooked(source, { words, moments }) {
  const most = source.map((_, at) => Math.max(...words.map((_word, step) => moments[step].weights[at])));
  const runs = [[]];
  source.forEach((word, at) => (most[at] < GLANCE && /\p{L}/u.test(word) ? runs.at(-1).push(word) : runs.push([])));
  return runs.filter((run) => run.length > 1).map((run) => run.join(" "));
}

function sceneOf(english, [looksBack, remembers]) {
  const [seen, without] = [looksBack, remembers].map((model) => translate(model, english));
  const round = (share) => Math.round(100 * share);
  return { typed: true, english, least: leastSure(seen), overlooked: overlooked(english, seen), french: seen.words, french_without: without.words,
    weights: seen.moments.slice(0, seen.words.length).map(({ weights }) => [...weights].map(round)),
    vector: [...without.moments[0].context],
    wrong: differences(seen.words, without.words).map(([from, to]) => [from, to, "differs"]) };
}

/** The words of a typed sentence, as the translators learned them: cannot is two. */
const wordsOf = (text) => tokenise(text.replace(/\bcannot\b/giu, "can not"));

/** The words that a translator knows, without marks and parts of words: n't, 's. */
const wordsKnown = (ids) => [...ids.keys()].filter((word) => /^\p{L}+$/u.test(word) && !HALVES.includes(word));

const [own, known, says] = [$("own"), $("known"), $("own-says")];
let chosen = -1; // among the suggestions
const longer = JSON.parse($("longer").textContent);
let turn = 0; // of typing: what was begun before the last letter is of no use any more

function closeSuggestions() {
  known.classList.remove("open");
  own.setAttribute("aria-expanded", "false");
  own.removeAttribute("aria-activedescendant");
  chosen = -1;
}

async function suggest() {
  const mine = (turn += 1);
  const [{ ids }] = await fetchModels();
  if (mine !== turn) return;
  const begun = (/[\p{L}']+$/u.exec(own.value)?.[0] ?? "").toLowerCase();
  const words = begun ? wordsKnown(ids).filter((word) => word.startsWith(begun) && word !== begun) : [];
  known.replaceChildren(...words.slice(0, 5).map((word, n) => {
    const option = element("div", { role: "option", id: `known-${n}`, "aria-selected": "false" }, null, word);
    option.addEventListener("pointerdown", (event) => { event.preventDefault(); take(word); });
    return option;
  }));
  closeSuggestions();
  known.classList.toggle("open", words.length > 0);
  own.setAttribute("aria-expanded", String(words.length > 0));
  const finished = wordsOf(own.value.replace(/[\p{L}']+$/u, ""));
  const strange = [...new Set(finished.filter((word) => /\p{L}/u.test(word) && !ids.has(word)))];
  says.textContent = strange.length ? `Not among its words: ${strange.join(", ")}.` : "";
  offerNear(strange, ids);
}

function take(word) {
  own.value = `${own.value.replace(/[\p{L}']*$/u, "")}${word} `;
  own.focus();
  suggest();
}

/** Play what somebody has typed; true if there is something to play. */
async function translateOwn() {
  turn += 1;
  closeSuggestions();
  const typed = wordsOf(own.value);
  const real = typed.filter((word) => /[\p{L}\p{N}]/u.test(word));
  $("own-offers").replaceChildren();
  if (!real.length) return void (says.textContent = "There is no word to translate yet.");
  if (real.length > MOST_WORDS) return void (says.textContent = `Please keep it to ${MOST_WORDS} words.`);
  const both = await fetchModels();
  const words = typed.filter((word) => real.includes(word) || both[0].ids.has(word)); // no unknown marks
  const strange = [...new Set(words.filter((word) => !both[0].ids.has(word)))];
  if (strange.length > real.length * MOST_STRANGE) {
    says.textContent = `These two know ${wordsKnown(both[0].ids).length} words, and ${strange.join(", ")} `
      + `${strange.length > 1 ? "are" : "is"} not among them.`;
    offerNear(strange, both[0].ids);
    return;
  }
  says.textContent = strange.length ? `Not among its words: ${strange.join(", ")}. The translations `
    + "copy or drop what they do not know, and may go astray there." : "";
  offerNear(strange, both[0].ids);
  const scene = sceneOf(words, both);
  if (!strange.length && sentenceOf(scene.french) === sentenceOf(scene.french_without)) {
    says.textContent = "Both write the same: so short a sentence fits into 128 numbers.";
    offer("make it longer", () => attempt(() => makeLonger(both)));
  }
  if (scene.overlooked.length) {
    says.textContent += ` No French word looked at “${scene.overlooked.join("”, “")}”, so that is left out.`;
  }
  const { word, chance } = scene.least;
  if (chance < SURE) {
    says.textContent += ` Even the one that looks back is unsure: it wrote “${word}” with a chance of ${Math.round(100 * chance)} %.`;
  }
  begin(scene, own.value);
  return true;
}

/** Play a scene, and give the page its address: nothing is sent. */
function begin(scene, text) {
  stop();
  step = 0;
  history.replaceState(null, "", `#${new URLSearchParams({ say: text })}`);
  $("sent").textContent = "";
  load(scene);
  play();
}

function offer(text, action) {
  element("button", { type: "button", class: "chip" }, $("own-offers"), text).addEventListener("click", action);
}

/** Offer near words for those that are unknown, each in place of its own. */
function offerNear(strange, ids) {
  $("own-offers").replaceChildren();
  const words = wordsKnown(ids);
  for (const word of strange) {
    for (const other of near(word, words)) {
      offer(other, () => {
        const place = new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, "giu"); // a word has no sign of such expressions
        own.value = own.value.replaceAll("’", "'").replace(place, other);
        attempt(translateOwn);
      });
    }
  }
  if (strange.length) offer("words to try", () => { $("words").open = true; $("words").scrollIntoView({ block: "nearest" }); });
}

/** Add a clause to a sentence, the first with which the two translations differ. */
async function makeLonger(both) {
  const sentence = own.value.trim().replace(/[\s.!?]+$/u, "");
  const longest = longer.map((clause) => `${sentence} ${clause}`).filter((text) => wordsOf(text).length <= MOST_WORDS);
  const differs = (text) => {
    const { french, french_without: without } = sceneOf(wordsOf(text), both);
    return sentenceOf(french) !== sentenceOf(without);
  };
  const text = longest.find(differs) ?? longest.at(-1);
  if (!text) return void (says.textContent = "Longer than that it does not get here: try other words.");
  own.value = text;
  await translateOwn();
}

const attempt = (action) => action().catch((error) => { says.textContent = error.message; });
own.addEventListener("focus", () => attempt(fetchModels));
own.addEventListener("input", () => attempt(suggest));
own.addEventListener("blur", closeSuggestions);
own.addEventListener("keydown", (event) => {
  const options = [...known.children];
  if (event.key === "Escape") closeSuggestions();
  if (event.key === "Enter" && chosen >= 0) {
    event.preventDefault();
    take(options[chosen].textContent);
  }
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || !known.classList.contains("open")) return;
  event.preventDefault();
  chosen = (chosen + by + options.length + (chosen < 0 && by < 0)) % options.length;
  options.forEach((option, n) => option.setAttribute("aria-selected", String(n === chosen)));
  own.setAttribute("aria-activedescendant", `known-${chosen}`);
});
$("try").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(translateOwn);
});

$("words").addEventListener("click", ({ target }) => {
  if (!target.matches("button")) return;
  own.value = `${own.value.replace(/\s*$/u, own.value ? " " : "")}${target.textContent} `;
  attempt(suggest);
});

// ---- To send ------------------------------------------------------------------------------------

$("link").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    $("sent").textContent = "Copied.";
  } catch {
    $("sent").textContent = location.href; // where a page may not write there
  }
});

$("picture").addEventListener("click", async () => {
  finish();
  scene.classList.add("still");
  const caption = `${$("told").textContent} ${document.title}: ${$("caption").querySelector("b").textContent}`;
  const picture = await pictureOf(scene.querySelector(".panels"), caption);
  scene.classList.remove("still");
  const link = element("a", { href: URL.createObjectURL(picture), download: "attention.png" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});

// ---- The rest of the page -----------------------------------------------------------------------

document.querySelector(".check").addEventListener("change", ({ currentTarget, target }) => {
  for (const answer of currentTarget.querySelectorAll("[data-answer]")) {
    answer.hidden = answer.dataset.answer !== target.value;
  }
});

$("theme").addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", dataset.theme); } catch { /* a private window keeps nothing */ }
});

const scenes = JSON.parse($("scenes").textContent);
for (const sentence of scenes) {
  const text = sentence.english.join(" ");
  const chip = element("button", { type: "button", class: "chip", title: text }, $("chips"), sentence.label);
  chip.addEventListener("click", () => begin(sentence, text));
}

/** Play the sentence that the address names, if it names one. */
function playAddress() {
  const text = new URLSearchParams(location.hash.slice(1)).get("say");
  const stored = scenes.find(({ english }) => english.join(" ") === text);
  if (text === null) return false;
  if (stored) begin(stored, text);
  own.value = stored ? "" : text;
  if (!stored) attempt(async () => await translateOwn() || play());
  return true;
}

addEventListener("hashchange", playAddress);
load(scenes[0]);
if (!playAddress()) play();
