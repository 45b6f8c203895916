// Shows what a room guesses, as bars: the guesses that its server counts, or the hands in it.
"use strict";

/** Show the counts of a question on all its slides: those that ask, and those that answer. */
function showGuesses(question, counts, total) {
  const most = Math.max(...counts, 1);
  for (const place of document.querySelectorAll(".guesses")) {
    if (place.dataset.question !== question) continue;
    place.classList.toggle("counted", counts.length > 0);
    [...place.querySelectorAll("li")].forEach((row, number) => {
      row.style.setProperty("--share", (counts[number] ?? 0) / most);
      row.querySelector(".count").textContent = counts[number] ?? "";
    });
    place.querySelector(".came").textContent = `${total} ${total === 1 ? "guess" : "guesses"}`;
  }
}

/** Ask the room's server for its counts, again and again. */
async function listen(address) {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(10000) });
    const counted = await answer.json();
    for (const [question, { guesses, bars }] of Object.entries(counted)) {
      showGuesses(question, bars, guesses);
    }
    delete document.documentElement.dataset.lost;
  } catch {
    document.documentElement.dataset.lost = ""; // the bars stay as they are, and say so
  }
  setTimeout(listen, 1000, address);
}

/** Count hands, which somebody types in. */
function countHands({ target }) {
  const place = target.closest(".guesses");
  const counts = [...place.querySelectorAll("input")].map((input) => Number(input.value) || 0);
  showGuesses(place.dataset.question, counts, counts.reduce((sum, count) => sum + count, 0));
}

if (document.documentElement.dataset.room) {
  document.querySelectorAll(".guesses input").forEach((input) => input.remove());
  document.querySelectorAll(".came").forEach((place) => { place.textContent = "no guesses yet"; });
  listen(document.documentElement.dataset.room);
} else {
  document.addEventListener("input", (event) => {
    if (event.target.closest(".guesses")) countHands(event);
  });
}
