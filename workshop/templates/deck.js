// Starts a deck, and makes what stands on each slide as large as it has room for.

const LARGEST = { said: 1.15, shown: 1.5 };
const SMALLEST = { said: 0.65, shown: 0.55 }; // what is smaller nobody at the back reads: it scrolls
const LAYOUTS = [[false, LARGEST.said], [true, LARGEST.said], [true, 0.85]]; // the text above, how large

function overflows(part) {
  return part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1;
}

/** Make each part of a slide as large as it may be; how small one had to be for that. */
function enlarge(section, [above, said]) {
  section.classList.toggle("above", above);
  const reached = [...section.querySelectorAll(".part")].map((part) => {
    const kind = part.classList[1];
    const { style } = part.firstElementChild;
    let zoom = style.zoom = kind === "said" ? said : LARGEST.shown;
    while (overflows(part) && zoom > SMALLEST[kind]) style.zoom = zoom -= 0.05;
    return overflows(part) ? 0 : zoom / LARGEST[kind];
  });
  return Math.min(...reached);
}

/** Text stands beside what is shown, or above it where that lets both be larger. */
function fit(section) {
  const reached = LAYOUTS.map((layout) => enlarge(section, layout));
  enlarge(section, LAYOUTS[reached.indexOf(Math.max(...reached))]);
  for (const part of section.querySelectorAll(".part")) {
    if (overflows(part)) part.tabIndex = 0; // so that the keyboard scrolls it
    else part.removeAttribute("tabindex");
  }
}

/** Keys belong to what has the focus, as far as that is something to move, to open or to scroll. */
function isFree() {
  return !document.activeElement.closest(".explorer, summary, .part[tabindex]");
}

function arrive({ currentSlide }) {
  if (!currentSlide.contains(document.activeElement)) document.activeElement.blur();
  fit(currentSlide);
}

MathJax.startup.promise.then(async () => {
  const deck = new Reveal({
    width: 1280, height: 720, margin: 0.02, center: false, hash: true, slideNumber: "c/t",
    transition: "none", scrollActivationWidth: null, keyboardCondition: isFree,
    plugins: [RevealNotes],
  });
  deck.on("ready", arrive);
  deck.on("slidechanged", arrive);
  await deck.initialize();
  new MutationObserver(() => fit(deck.getCurrentSlide())).observe(document.querySelector(".slides"),
    { subtree: true, attributeFilter: ["data-alive"] });
  document.addEventListener("toggle", () => fit(deck.getCurrentSlide()), true);
  document.documentElement.dataset.ready = "";
});
