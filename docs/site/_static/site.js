// Brings the explorers and predictions of a page to life, and opens an answer once one has guessed.

import { mount } from "./explorers/standalone.js";
import { fetchWeights } from "./explorers/weights.js";

const held = JSON.parse(document.getElementById("translators")?.textContent ?? "{}");

// What these explorers ask of a kernel elsewhere can be had here: a model's weights.
const FETCHING = ["translator_explorer", "page_writer"];

/** A model's weights, which are in the page or beside it. */
async function answer({ want }) {
  if (!want) return [{}, []]; // of what a kernel would have to compute
  const file = held[want] ?? new URL(`translators/${want.replaceAll(" ", "-")}.safetensors.z`, import.meta.url);
  try {
    return [{ have: want }, [await fetchWeights(file)]];
  } catch {
    return [{ failed: `The model "${want}" could not be loaded.` }, []];
  }
}

async function enliven(place) {
  const { module, state } = place.dataset;
  const { default: explorer } = await import(`./explorers/${module}.js`);
  const stage = document.createElement("div");
  const model = mount(explorer, JSON.parse(state), stage, FETCHING.includes(module) ? answer : null);
  place.replaceChildren(stage);
  place.dataset.alive = "";
  model.on("msg:custom", () => { place.dataset.alive = ""; }); // a slide makes room for what came later
  if (module === "prediction") model.on("change:guess", () => reveal(place));
}

/** The answer to a prediction is the next folded one. */
function reveal(place) {
  const answers = [...document.querySelectorAll(".cell.tag_hide-output details")];
  const next = answers.find((one) => (
    place.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING));
  if (next) next.open = true;
}

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    enliven(target);
  }
}, { rootMargin: "600px" });
document.querySelectorAll(".explorer").forEach((place) => seen.observe(place));

// What is wider than a phone scrolls, by keyboard too.
for (const box of document.querySelectorAll("pre, .cell_output, .table-wrapper")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
