// Starts a deck, and makes what stands on each slide as large as it has room for.

/** Make a part of a slide as large as it has room for; how large it got. Letters stay large. */
function enlarge(part) {
  const { style } = part.firstElementChild;
  let zoom = part.querySelector("img, .explorer") ? 2.5 : 1.25;
  for (; zoom > 0.3; zoom -= 0.05) {
    style.zoom = zoom;
    style.setProperty("--letters", `${24 / zoom}px`);
    if (part.scrollHeight <= part.clientHeight + 1 && part.scrollWidth <= part.clientWidth + 1) break;
  }
  return zoom;
}

/** Controls of an explorer stand above its pictures, or beside them where that lets it be larger. */
function fit(section) {
  const part = section.querySelector(".shown") ?? section.querySelector(".said");
  if (!part) return;
  part.classList.remove("long");
  const places = part.querySelector(".ex > .ex-row") ? [false, true] : [false];
  const [above, beside = 0] = places.map((is) => {
    part.classList.toggle("beside", is);
    return enlarge(part);
  });
  part.classList.toggle("beside", beside > above);
  part.classList.toggle("long", Math.max(above, beside) < 1); // then what the code prints is enough
  enlarge(part);
  // Chromium leaves the words of a drawing where they were if nothing but the zoom has changed.
  part.firstElementChild.style.display = "none";
  part.getBoundingClientRect();
  part.firstElementChild.style.display = "";
}

/** Keys belong to what has the focus, as far as that is something to move. */
function isFree() {
  return !document.activeElement.closest(".explorer");
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
  await deck.initialize();
  new MutationObserver(() => fit(deck.getCurrentSlide())).observe(document.querySelector(".slides"),
    { subtree: true, attributeFilter: ["data-alive"] });
  document.documentElement.dataset.ready = "";
});
