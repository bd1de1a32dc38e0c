// What all pages share: tables too wide for their card are stacked, heads of tables sort.

const PAPER = 670; // the room in a card on a sheet of A4 or Letter
const PRINTED = 0.75; // the size of a table on paper against that on the screen
const page = document.querySelector("main");

// A table that does not fit is stacked; `size` is that of its print against that on the screen.
function stack(table, room, size = 1) {
  table.classList.remove("stacked");
  table.style.width = "0";
  const least = table.offsetWidth;
  table.style.width = "";
  table.classList.toggle("stacked", least * size > room);
}

function stackAll(paper) {
  for (const table of document.querySelectorAll("table")) {
    if (paper) stack(table, PAPER, PRINTED);
    else stack(table, roomOf(table.parentElement));
  }
}

function roomOf(card) {
  const style = getComputedStyle(card);
  return card.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
}

// The number a cell begins with, or null; what stands below it, such as an interval, does not count.
function figure(cell) {
  const text = cell.firstChild?.textContent.replaceAll(",", "").replace("−", "-") || "";
  const found = text.match(/^\s*[<>≤≥≈]?\s*([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)/i);
  return found ? Number(found[1]) : null;
}

function sort(head) {
  const column = head.cellIndex;
  const body = head.closest("table").tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, text: row.cells[column].textContent, value: figure(row.cells[column]) }));
  const words = head.classList.contains("text") && rows.some(({ value }) => value === null);
  const known = words ? rows : rows.filter(({ value }) => value !== null);
  const before = head.getAttribute("aria-sort");
  // Words begin at A, figures at the largest; the next click turns them round.
  const down = before ? before === "ascending" : !words;
  known.sort((a, b) => (words ? a.text.localeCompare(b.text, undefined, { numeric: true }) : a.value - b.value) * (down ? -1 : 1));
  body.append(...known.map(({ row }) => row), ...rows.filter((one) => !known.includes(one)).map(({ row }) => row));
  head.parentElement.querySelectorAll("[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
}

document.querySelectorAll("th button").forEach((button) => button.addEventListener("click", () => sort(button.parentElement)));
