// Shared by all pages: tables too wide for their card are stacked, and table headers sort.

const PAPER = 670; // the width of a card on A4 or Letter paper
const PAPER_HALF = 310; // and of each of two
const PRINTED = 0.75; // the size of a table on paper relative to the screen
const page = document.querySelector("main");
const inAddress = () => new URLSearchParams(location.hash.slice(1));

// Tables that do not fit are set tightly, and stacked if that is not enough. All are narrowed before any is measured, so that one layout pass suffices.
function stackAll(paper, place = document) {
  let tables = [...place.querySelectorAll("table")].map((table) => [table, paper ? PAPER / PRINTED : roomOf(table.parentElement)]);
  tables.forEach(([table]) => table.classList.remove("tight", "stacked"));
  for (const look of ["tight", "stacked"]) {
    tables.forEach(([table]) => (table.style.width = "0"));
    const least = tables.map(([table]) => table.offsetWidth);
    tables.forEach(([table]) => (table.style.width = ""));
    tables = tables.filter(([, room], at) => least[at] > room);
    tables.forEach(([table]) => table.classList.add(look));
  }
}

// Closed details have no width until they are opened.
document.addEventListener("toggle", (event) => stackAll(false, event.target), true);

function roomOf(card) {
  const style = getComputedStyle(card);
  return card.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
}

// The number at the start of a cell, or null; a second line, such as an interval, is ignored.
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
  // Text sorts from A, numbers from the largest; the next click reverses the order.
  const down = before ? before === "ascending" : !words;
  known.sort((a, b) => (words ? a.text.localeCompare(b.text, undefined, { numeric: true }) : a.value - b.value) * (down ? -1 : 1));
  body.append(...known.map(({ row }) => row), ...rows.filter((one) => !known.includes(one)).map(({ row }) => row));
  head.parentElement.querySelectorAll("[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
}

document.querySelectorAll("th button").forEach((button) => button.addEventListener("click", () => sort(button.parentElement)));

// Every table can be copied: as CSV, LaTeX or Markdown. A cell's second line, an interval, follows it in brackets. In papers, the best figures are in bold.
const FORMS = {
  // With all digits, and the ends of intervals as columns of their own.
  CSV: ({ heads, rows, exact = [] }) => {
    const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const parts = heads.map((_, at) => Math.max(1, ...exact.map((row) => row[at]?.length ?? 1)));
    const ends = [[""], [" low", " high"], ["", " low", " high"]];
    const named = heads.flatMap((head, at) => (parts[at] > 1 ? ends[parts[at] - 1].map((end) => head + end) : head));
    const whole = rows.map((row, y) => row.flatMap((text, at) => exact[y]?.[at] ?? (parts[at] > 1 ? Array(parts[at]).fill("") : text)));
    return [named, ...whole].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
  },
  LaTeX: ({ heads, rows, texts, best = [] }) => {
    const signs = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "−": "$-$", "–": "--", "α": "$\\alpha$", "▲": "$\\blacktriangle$", "▼": "$\\blacktriangledown$" };
    const plain = (text) => text.replace(/[\\&%$#_{}~^<>|−–α▲▼]/g, (sign) => signs[sign] || "\\" + sign).replace(/\s*\n\s*/g, " ");
    const line = (row, y) => "  " + row.map((text, at) => (best[y]?.[at] ? plain(text).replace(/^\S+/, "\\textbf{$&}") : plain(text))).join(" & ") + " \\\\\n";
    return `\\begin{tabular}{${heads.map((_, at) => (at < texts ? "l" : "r")).join("")}}\n  \\toprule\n${line(heads, -1)}  \\midrule\n${rows.map(line).join("")}  \\bottomrule\n\\end{tabular}\n`;
  },
  Markdown: ({ heads, rows, texts, best = [] }) => {
    const line = (row, y) => "| " + row.map((text, at) => (best[y]?.[at] ? text.replace(/^\S+/, "**$&**") : text).replaceAll("\\", "\\\\").replaceAll("|", "\\|").replace(/\s*\n\s*/g, " ")).join(" | ") + " |\n";
    return line(heads, -1) + "|" + heads.map((_, at) => (at < texts ? " --- |" : " ---: |")).join("") + "\n" + rows.map(line).join("");
  },
};

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

// Lets a menu close by Escape, and returns what closes it; the keyboard focus stays at its summary.
function closable(menu) {
  const close = () => {
    menu.open = false;
    menu.querySelector("summary").focus();
  };
  menu.addEventListener("keydown", (event) => event.key === "Escape" && close());
  return close;
}

// `get` returns {heads, rows, texts} of the current table, with rows of plain text.
function exportMenu(get, name = "table") {
  const menu = document.createElement("details");
  menu.className = "export";
  const head = document.createElement("summary");
  head.textContent = "Copy";
  head.setAttribute("aria-label", `Copy: ${name}`);
  menu.append(head);
  const close = closable(menu);
  for (const [form, write] of Object.entries(FORMS)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = form;
    button.addEventListener("click", async () => {
      menu.dataset.copied = write(get()); // lets tests read the copied text
      await copied(menu.dataset.copied);
      head.textContent = `Copied as ${form}`;
      close();
      setTimeout(() => (head.textContent = "Copy"), 2000);
    });
    menu.append(button);
  }
  return menu;
}

function plainTable(table) {
  const text = (cell) => {
    const below = cell.querySelector("small")?.textContent || "";
    const above = [...cell.childNodes].filter((one) => one.nodeName !== "SMALL").map((one) => one.textContent).join("").trim();
    return below ? `${above} [${below}]` : above;
  };
  const heads = [...table.tHead.rows[0].cells];
  return {
    heads: heads.map(text),
    rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map(text)),
    best: [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.classList.contains("best"))),
    exact: [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.dataset.value?.split(" "))),
    texts: heads.filter((head) => head.classList.contains("text")).length,
  };
}

document.querySelectorAll("table").forEach((table) => {
  if (table.classList.contains("many")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "whole-of";
    button.textContent = `Show all ${table.tBodies[0].rows.length}`;
    button.addEventListener("click", () => table.classList.add("whole"));
    table.after(button);
  }
  const name = table.closest("section")?.querySelector("h2")?.textContent.trim();
  table.before(exportMenu(() => plainTable(table), name));
});
