// Starts a deck, and makes what stands on each slide as large as it has room for.

/** Make a part of a slide as large as it has room for; how large it got. Letters stay large. */
function enlarge(part) {
  const { style } = part.firstElementChild;
  let zoom = part.querySelector("img, .explorer") ? 2.5 : part.matches(".said") ? 1.8 : 1.5;
  for (; zoom > 0.3; zoom -= 0.05) {
    style.zoom = zoom;
    style.setProperty("--letters", `${24 / zoom}px`);
    if (part.scrollHeight <= part.clientHeight + 1 && part.scrollWidth <= part.clientWidth + 1) break;
  }
  return zoom;
}

/**
 * Make what a slide shows large. Controls of an explorer stand above its pictures, or beside them
 * where that lets it be larger. Lines break, and code makes way for what it prints, only if there is
 * no room otherwise.
 */
function fit(section) {
  const comes = section.querySelector(".fragment:not(.visible)"); // an explorer, later
  const strip = !section.matches(".ask") || section.querySelector(".fragment.visible");
  section.querySelector(".guesses")?.classList.toggle("strip", Boolean(strip));
  const part = comes ? null : section.querySelector(".shown") ?? section.querySelector(".said:last-child");
  if (!part || section.matches(".title, .pause")) return;
  const [ways, enough] = part.querySelector(".ex > :is(.ex-row, .tu-row)") ? [["", "beside"], Infinity]
    : [["whole", "", "whole long", "long"], 0.99]; // steps of 0.05 do not add up to 1
  const choose = (way) => {
    part.classList.remove("whole", "long", "beside");
    part.classList.add(...way.split(" ").filter(Boolean));
  };
  let [best, largest] = ["", 0];
  for (const way of ways) {
    choose(way);
    const zoom = enlarge(part);
    if (zoom > largest) [best, largest] = [way, zoom];
    if (largest >= enough) break;
  }
  choose(best);
  enlarge(part);
  // Chromium leaves the words of a drawing where they were if nothing but the zoom has changed.
  part.firstElementChild.style.display = "none";
  part.getBoundingClientRect();
  part.firstElementChild.style.display = "";
}

/** Keys belong to what has the focus, as far as that is something to move or to fill in. */
function isFree() {
  return !document.activeElement.closest(".explorer, .guesses");
}

function arrive({ currentSlide }) {
  if (!currentSlide.contains(document.activeElement)) document.activeElement.blur();
  fit(currentSlide);
}

MathJax.startup.promise.then(async () => {
  const deck = new Reveal({
    width: 1280, height: 720, margin: 0, center: false, hash: true, slideNumber: "c/t", controls: false,
    transition: "none", scrollActivationWidth: null, keyboardCondition: isFree,
    plugins: [RevealNotes],
  });
  deck.on("ready", arrive);
  deck.on("slidechanged", arrive);
  for (const change of ["fragmentshown", "fragmenthidden"]) {
    deck.on(change, () => fit(deck.getCurrentSlide()));
  }
  await deck.initialize();
  new MutationObserver(() => fit(deck.getCurrentSlide())).observe(document.querySelector(".slides"),
    { subtree: true, attributeFilter: ["data-alive"] });
  document.documentElement.dataset.ready = "";
});
