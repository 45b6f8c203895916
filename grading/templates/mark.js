// One answer after the other: points by key, a remark, and what others have marked meanwhile.
"use strict";
const SECONDS = 5;
const find = (id) => document.querySelector(`#${id}`);
const [which, count, bar, trouble, same] = ["which", "count", "bar", "trouble", "same"].map(find);
const [answer, points, remark] = ["answer", "points", "remark"].map(find);
const sections = [...document.querySelectorAll(".question")];
let all = [], shown = "", question = which.value, half = 0, busy = Promise.resolve();

const here = () => all.filter((one) => one.question === question);
const now = () => all.find((one) => one.id === shown);
const worth = () => Number(sections.find((one) => one.dataset.name === question).dataset.worth);

function choose(step, open = false) {
  const list = here(), at = list.findIndex((one) => one.id === shown);
  const turn = list.map((_, n) => list[(at + step * (n + 1) + 2 * list.length) % list.length]);
  const next = open ? [...turn, ...all].find((one) => one.points === null) : turn[0];
  if (next) [shown, question] = [next.id, next.question];
  draw();
}

function draw() {
  if (!now() || now().question !== question) {
    shown = (here().find((one) => one.points === null) ?? here()[0]).id;
  }
  which.value = question;
  for (const section of sections) section.hidden = section.dataset.name !== question;
  const one = now(), list = here();
  const done = list.filter((each) => each.points !== null).length;
  const open = all.filter((each) => each.points === null).length;
  count.textContent = `${done} of ${list.length} answers marked; ${open} left in all questions.`;
  [bar.value, bar.max] = [done, list.length];
  if (answer.dataset.id !== one.id) {
    answer.textContent = one.text;
    answer.dataset.id = one.id;
    answer.scrollTop = 0;
    remark.value = one.remark;
  }
  same.textContent = `Answer ${list.indexOf(one) + 1}`
    + (one.count > 1 ? `, the same from ${one.count} learners: one mark for all of them.` : ".")
    + (half ? " Half a point, and …" : "");
  points.replaceChildren(...Array.from({ length: 2 * worth() + 1 }, (_, n) => n / 2).map((value) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = value;
    button.setAttribute("aria-pressed", String(one.points === value));
    button.addEventListener("click", () => give(value));
    return button;
  }));
}

/** Give the answer that is shown so many points; `stay` there, or go on to one without a mark. */
function give(value, stay = false) {
  const one = now();
  const body = JSON.stringify({ id: one.id, points: value, remark: remark.value, was: one.points });
  busy = busy.then(async () => {
    try {
      const reply = await fetch("mark.json",
        { method: "POST", body, headers: { "Content-Type": "application/json" } });
      take(await reply.json());
      if (!trouble.textContent && !stay && shown === one.id) choose(1, true);
      else draw();
    } catch {
      trouble.textContent = "No answer, so this mark is not kept. Is `mark` still running in the terminal?";
    }
  });
}

function take(told) {
  trouble.textContent = told.complaint ?? "";
  if (told.answers) all = told.answers;
}

/** Ask what others have marked: between two marks, so that what is older than a mark never hides it. */
function refresh() {
  busy = busy.then(async () => {
    try {
      const told = await (await fetch("state.json")).json();
      all = told.answers;
      draw();
    } catch {
      trouble.textContent = "No answer. Is `mark` still running in the terminal?";
    }
    setTimeout(refresh, 1000 * SECONDS);
  });
}

which.addEventListener("change", () => { question = which.value; shown = ""; draw(); });
find("back").addEventListener("click", () => choose(-1));
find("next").addEventListener("click", () => choose(1));
remark.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  if (now().points !== null) give(now().points, true);
  answer.focus();
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!now() || event.key === "Shift") return;
  const value = Number(event.key) + half;
  if (half || event.key === "+") {
    half = event.key === "+" ? 0.5 : 0;
    draw();
  }
  if (/^\d$/.test(event.key) && value <= worth()) give(value);
  else if (event.key === "ArrowLeft") choose(-1);
  else if (event.key === "ArrowRight") choose(1);
  else if (event.key.toLowerCase() === "r") remark.focus();
  else if (!half) return;
  event.preventDefault();
});
refresh();
