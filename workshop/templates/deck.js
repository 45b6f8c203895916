// Starts a deck, and makes what stands on each slide as large as it has room for.

const LARGEST = { said: 1.15, shown: 1.5 };
const SMALLEST = 0.65; // what is smaller nobody at the back can read: it scrolls instead

function overflows(part) {
  return part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1;
}

/** Make each part of a slide as large as it may be; how large the smallest is, of what it may be. */
function enlarge(parts) {
  const reached = parts.map((part) => {
    const largest = LARGEST[part.classList[1]];
    const { style } = part.firstElementChild;
    let zoom = style.zoom = largest;
    while (overflows(part) && zoom > SMALLEST) style.zoom = zoom -= 0.05;
    return overflows(part) ? 0 : zoom / largest;
  });
  return Math.min(...reached);
}

/** Text stands beside what is shown, or above it where that lets both be larger. */
function fit(section) {
  const parts = [...section.querySelectorAll(".part")];
  section.classList.remove("above");
  const beside = enlarge(parts);
  if (parts.length === 2 && beside < 0.9) {
    section.classList.add("above");
    if (enlarge(parts) <= beside) {
      section.classList.remove("above");
      enlarge(parts);
    }
  }
  for (const part of parts) {
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
