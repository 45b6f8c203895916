// Tables that sort by a click on a head, and a field that leaves only the rows with some text. The
// page is whole without this script: it adds what only a script can do.
"use strict";
const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function key(row, column) {
  const cell = row.cells[column];
  return cell.dataset.key ?? cell.textContent.trim();
}

function compare(one, other) {
  const numbers = [one, other].map((text) => (text === "" ? NaN : Number(text)));
  return numbers.some(Number.isNaN) ? order.compare(one, other) : numbers[0] - numbers[1];
}

for (const table of document.querySelectorAll(".listing table")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => compare(key(a, column), key(b, column)));
      body.append(...(down ? rows.reverse() : rows));
    });
  });
}

const field = document.querySelector("#filter input"), found = document.querySelector("#filter output");
const folds = [...document.querySelectorAll("details:not([open])")];
const rows = [...document.querySelectorAll(".listing tbody tr, .row")];
field.closest("#filter").hidden = false;
field.addEventListener("input", () => {
  const wanted = field.value.trim().toLowerCase();
  document.body.classList.toggle("filtered", wanted !== "");
  for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  for (const fold of folds) fold.open = wanted !== "";
  const shown = rows.filter((row) => !row.hidden).length;
  found.textContent = wanted ? `${shown} of ${rows.length} rows` : "";
});
