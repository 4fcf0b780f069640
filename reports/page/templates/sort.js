// SPDX-License-Identifier: MIT
// Sorts a table by the column whose heading is clicked (ascending, descending, original)
// and filters claims by class and verdict.
"use strict";

const valueOf = (row, column) => {
  const cell = row.cells[column];
  const text = (cell.dataset.value ?? cell.textContent).trim();
  return text === "–" ? "" : text;
};

// Compares numbers by value and names in natural order; empty cells come last in both directions.
const compare = (a, b, direction) => {
  if (a === "" || b === "") return (a === "") - (b === "");
  const difference = Number(a) - Number(b);
  return direction * (Number.isNaN(difference) ? a.localeCompare(b, "en", { numeric: true }) : difference);
};

const sortBy = (table, original, column) => {
  const heads = [...table.tHead.rows[0].cells];
  const next = { ascending: "descending", descending: null }[heads[column].getAttribute("aria-sort")];
  const order = next === undefined ? "ascending" : next;
  for (const head of heads) head.removeAttribute("aria-sort");
  const rows = [...original];
  if (order) {
    heads[column].setAttribute("aria-sort", order);
    const direction = order === "ascending" ? 1 : -1;
    rows.sort((a, b) => compare(valueOf(a, column), valueOf(b, column), direction));
  }
  table.tBodies[0].append(...rows);
};

for (const table of document.querySelectorAll("table.sortable")) {
  const original = [...table.tBodies[0].rows];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, original, column));
    head.append(button);
  });
}

for (const filter of document.querySelectorAll(".filter")) {
  const rows = [...filter.parentElement.querySelectorAll("tr[data-verdict]")];
  const buttons = [...filter.querySelectorAll("button")];
  for (const button of buttons) {
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      const { class: ofClass, show: verdict } = button.dataset;
      for (const row of rows)
        row.hidden = (ofClass && row.dataset.class !== ofClass) || (verdict && row.dataset.verdict !== verdict) || false;
      const shown = rows.filter((row) => !row.hidden).length;
      filter.querySelector("[role=status]").textContent = `${shown} of ${rows.length} claims shown`;
    });
  }
  filter.hidden = false;
}
