// Asks for the page again, and puts what has changed into this one: whoever has scrolled, opened a
// fold or moved the focus keeps their place.
"use strict";
const SECONDS = 3;
const room = document.querySelector("#room"), trouble = document.querySelector("#trouble");
const pause = document.querySelector("#pause"), names = document.querySelector("#names");

function settle(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName || old.childNodes.length !== fresh.childNodes.length) {
    old.replaceWith(fresh.cloneNode(true));
  } else if (old.nodeType === Node.TEXT_NODE) {
    old.data = fresh.data;
  } else {
    for (const { name } of [...old.attributes]) {
      if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) old.setAttribute(name, value);
    [...old.childNodes].forEach((child, place) => settle(child, fresh.childNodes[place]));
  }
}

async function refresh() {
  try {
    const answer = await fetch("", { signal: AbortSignal.timeout(30000) });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!isOn(pause)) settle(room, page.querySelector("#room"));
    trouble.textContent = "";
  } catch {
    trouble.textContent = "No answer: this is how it was. Is the command in the terminal still running?";
  }
  setTimeout(refresh, 1000 * SECONDS);
}

const isOn = (button) => button?.getAttribute("aria-pressed") === "true";

for (const button of [pause, names]) {
  button?.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(!isOn(button)));
    document.body.classList.toggle("unnamed", isOn(names));
  });
}
document.querySelector("#controls").hidden = false;
setTimeout(refresh, 1000 * SECONDS);
