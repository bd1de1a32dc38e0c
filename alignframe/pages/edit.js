// Mending gold: the cells of a grid change through Sure, Possible and none, and a file holds what was changed or checked.

const LABELS = ["none", "Possible", "Sure"];
const HINTS = {
  links: "A click on a cell, or Enter, makes its link Sure, then Possible, then none. Arrow keys move, U undoes, N and P open the next and the previous sentence. Cells that differ from gold have a red edge.",
  beads: "Buttons move the border between two beads by a sentence, join the beads, or split one. Borders that differ from gold are marked.",
};
const NEXT = [2, 0, 1]; // a click on no link makes a Sure one, then a Possible one, then none
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const drafts = {}; // by sentence or document: its links or borders as text, once it was changed or checked
let units = []; // the sentences or documents: key, unit, digest, sizes, and their gold as text
let stored = true; // whether the browser keeps edits when the page is closed
let cursor = [0, 0]; // the cell with the keyboard focus
let toGrid = false; // whether the next sentence opens with the focus in its grid

const goldText = ([i, j, sure]) => i.map((one, k) => [one, j[k], sure[k]]).sort(([a, b], [c, d]) => a - c || b - d).map(([one, other, k]) => one + (k ? "-" : "p") + other).join(" ");
const goldOf = (text) => {
  const links = text.split(" ").filter(Boolean).map((one) => [...one.split(/[-p]/).map(Number), one.includes("-")]);
  return [0, 1, 2].map((side) => links.map((link) => link[side]));
};
const labelsOf = (text) => new Map(text.split(" ").filter(Boolean).map((one) => [one.replace("p", "-"), one.includes("p") ? 1 : 2]));
const nowOf = (unit) => drafts[unit.key] ?? unit.gold;
const unitOf = (one) => units.find(({ key }) => key === (one.detail.unit ?? one.key));
const nouns = () => (data.edit.of === "links" ? ["link", "sentence"] : ["border", "document"]);

// The cells whose label is not that of gold.
function changesOf(unit) {
  const [before, after] = [unit.gold, nowOf(unit)].map(labelsOf);
  return [...new Set([...before.keys(), ...after.keys()])].filter((link) => before.get(link) !== after.get(link));
}

function putText(unit, text) {
  if (text === undefined) delete drafts[unit.key];
  else drafts[unit.key] = text;
  if (unit.detail) unit.detail.other[0] = goldOf(nowOf(unit));
}

// A step that can be undone: other links or borders, or those of gold.
function editText(unit, text) {
  (unit.steps ??= []).push(drafts[unit.key]);
  putText(unit, text);
  keepEdits();
}

function undoEdit(unit) {
  if (!unit.steps?.length) return;
  putText(unit, unit.steps.pop());
  keepEdits();
}

function keepEdits() {
  try {
    localStorage.setItem("alignframe " + data.edit.key, JSON.stringify({ annotator: the("annotator").value, drafts }));
    stored = true;
  } catch {
    stored = false;
  }
  onbeforeunload = stored ? null : (event) => event.preventDefault(); // until they are saved
  if (source?.opened()) {
    const { scrollLeft: left, scrollTop: top } = document.querySelector("#detail .scroll") ?? {};
    showDetail();
    document.querySelector("#detail .scroll")?.scrollTo({ left, top }); // the grid is drawn anew
  }
  sayEdits();
  return showSentences();
}

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

function sayEdits() {
  const checked = units.filter((unit) => drafts[unit.key] !== undefined);
  const [cell, noun] = nouns();
  const changed = checked.map((one) => changesOf(one).length).filter(Boolean);
  const count = changed.reduce((sum, one) => sum + one, 0);
  const rest = checked.length - changed.length;
  the("edits-said").textContent =
    `${counted(count, cell)} of ${counted(changed.length, noun)} changed${rest ? `, ${counted(rest, noun)} checked without a change` : ""}. ` +
    (stored ? "This browser keeps the edits." : "This browser keeps nothing when the page is closed: save the edits before.") +
    " Scores and errors are those of the gold before.";
  for (const name of ["save-edits", "save-gold"]) if (the(name)) the(name).disabled = !checked.length;
}

const editsColumn = {
  head: "Edits",
  text: true,
  cell: (one) => {
    const [top, below, left, right] = one.detail.span ?? [0, Infinity, 0, Infinity]; // of a document, what is at a bead
    const near = (i, j) => top <= i && i <= below && left <= j && j <= right;
    const count = changesOf(unitOf(one)).filter((link) => near(...link.split("-").map(Number))).length;
    return count ? `${count} changed` : drafts[unitOf(one).key] === undefined || one.detail.span ? "" : "checked";
  },
};

function downloadText(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "application/octet-stream" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  onbeforeunload = null;
}

function editsText() {
  const { of, gold } = data.edit;
  const rows = units.map(({ key, unit, digest, sizes }) => JSON.stringify({ unit, gold: digest, sizes, edited: drafts[key] }));
  const head = JSON.stringify({ alignframe_edits: 1, of, gold, annotator: the("annotator").value.trim() });
  return `${head.slice(0, -1)}, "sentences": [\n${rows.join(",\n")}]}\n`;
}

function saveEdits() {
  const name = the("annotator").value.trim();
  if (!name) {
    the("edits-said").textContent = "Give your name first: the file of edits says whose they are.";
    return the("annotator").focus();
  }
  downloadText(`edits-${name.replace(/[^\p{L}\p{N}]+/gu, "-")}.json`, editsText());
}

function saveGold() {
  const lines = [...units].sort((a, b) => a.unit - b.unit).map((unit) => nowOf(unit) + "\n");
  downloadText("gold.edited.talp", lines.join(""));
}

function showButtons(unit) {
  const changed = changesOf(unit).length;
  the("undo").disabled = !unit.steps?.length;
  the("restore").disabled = !changed;
  the("checked").disabled = changed > 0; // what is changed is checked
  the("checked").checked = drafts[unit.key] !== undefined;
}

// The cells of a grid can be clicked, and take the arrow keys; one of them has the focus.
function editCells({ grid, centre, src, tgt, sets, names, detail }) {
  const one = unitOf(source.opened());
  const labels = labelsOf(nowOf(one));
  const changed = new Set(changesOf(one));
  const said = (i, j) => {
    const link = i + "-" + j;
    const found = names.filter((_, which) => sets[which].has(link));
    return `${src[i]}, ${tgt[j]}: ${LABELS[labels.get(link) ?? 0]}${changed.has(link) ? ", changed" : ""}${found.length ? `; linked by ${found.join(" and ")}` : ""}`;
  };
  const [below, right] = [detail.src.length, detail.tgt.length];
  showButtons(one);
  const asked = toGrid;
  toGrid = false;
  if (!below || !right) return;
  if (one !== editCells.last) cursor = [0, 0];
  editCells.last = one;
  editCells.focus = () => {};
  cursor = [Math.min(cursor[0], below - 1), Math.min(cursor[1], right - 1)];
  grid.setAttribute("role", "grid");
  grid.setAttribute("aria-label", `Gold links of ${below} source words by ${right} target words. Arrow keys move; Enter changes a cell through Sure, Possible and none; U undoes; N and P open the next and the previous sentence.`);
  for (const link of changed) {
    const [x, y] = centre(...link.split("-").map(Number));
    grid.append(svgOf("rect", { x: x - SQUARE / 2 + 1, y: y - SQUARE / 2 + 1, width: SQUARE - 2, height: SQUARE - 2, class: "changed" }));
  }
  const cells = Array.from({ length: below }, (_, i) =>
    Array.from({ length: right }, (_, j) => {
      const [x, y] = centre(i, j);
      const focused = i === cursor[0] && j === cursor[1];
      const cell = svgOf("rect", { x: x - SQUARE / 2, y: y - SQUARE / 2, width: SQUARE, height: SQUARE, class: "cell", role: "gridcell", tabindex: focused ? 0 : -1, "aria-label": said(i, j) });
      cell.append(svgOf("title", {}, said(i, j)));
      cell.addEventListener("click", () => cycleCell(one, i, j));
      return cell;
    }),
  );
  grid.append(...cells.map((row) => svgOf("g", { role: "row" }, ...row)));
  const focus = () => {
    cells.flat().forEach((cell) => cell.setAttribute("tabindex", -1));
    cells[cursor[0]][cursor[1]].setAttribute("tabindex", 0);
    cells[cursor[0]][cursor[1]].focus();
  };
  grid.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move) {
      const across = grid.classList.contains("mirrored") ? -move[1] : move[1]; // from right to left
      cursor = [Math.max(0, Math.min(below - 1, cursor[0] + move[0])), Math.max(0, Math.min(right - 1, cursor[1] + across))];
      focus();
    } else if (key === "enter" || key === " ") cycleCell(one, ...cursor);
    else if (key === "u") {
      undoEdit(one);
      editCells.focus();
    }
    else if (key === "n" || key === "p") {
      const button = the(key === "n" ? "after" : "before");
      toGrid = !button.disabled;
      button.click();
    } else return;
    event.preventDefault();
  });
  editCells.focus = focus;
  if (asked) setTimeout(focus, 0); // after the heading had it
}

function cycleCell(one, i, j) {
  const labels = labelsOf(nowOf(one));
  const link = i + "-" + j;
  labels.set(link, NEXT[labels.get(link) ?? 0]);
  const links = [...labels].filter(([, label]) => label).map(([name, label]) => [...name.split("-").map(Number), label === 2]);
  cursor = [i, j];
  editText(one, goldText([0, 1, 2].map((side) => links.map((each) => each[side]))));
  editCells.focus();
}

async function startEditing() {
  const button = (id, text, click) => element("button", { type: "button", id, onclick: click }, text);
  const opened = (act) => () => act(unitOf(source.opened()));
  const name = element("input", { id: "annotator", autocomplete: "name", onchange: () => keepEdits() });
  const bar = element("form", { class: "bar", id: "edits", "aria-label": "Edits of gold", onsubmit: (event) => event.preventDefault() },
    element("label", {}, "Your name ", name), button("save-edits", "Save the edits", saveEdits), data.edit.whole ? button("save-gold", "Save all of gold, as lines from 0", saveGold) : null);
  the("sentences-title").after(element("p", { class: "said", id: "edits-said", role: "status" }), bar);
  const marks = [button("undo", "Undo", opened(undoEdit)), button("restore", "Restore gold", opened((unit) => editText(unit, undefined)))];
  const checked = element("input", { type: "checkbox", id: "checked", onchange: opened((unit) => editText(unit, drafts[unit.key] === undefined ? nowOf(unit) : undefined)) });
  the("close").before(...marks, element("label", {}, "Checked ", checked));
  view("detail").before(element("p", { class: "said" }, HINTS[data.edit.of]));
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem("alignframe " + data.edit.key)) ?? {};
  } catch {
    stored = false;
  }
  every = rowsGiven();
  name.value = kept.annotator ?? "";
  for (const one of every) one.detail = await one.open();
  units = data.edit.documents
    ? data.edit.documents.map((one) => ({ ...one, key: one.unit, sizes: [one.src.length + 1, one.tgt.length + 1] }))
    : every.map(({ key, unit, detail }) => ({ key, unit, digest: detail.digest, sizes: [detail.src.length, detail.tgt.length], gold: goldText(detail.other[0]), detail }));
  for (const unit of units) if (kept.drafts?.[unit.key] !== undefined) putText(unit, kept.drafts[unit.key]);
  sayEdits();
}

// The beads at a place of the text, and the borders between them: a border (i, j) follows i source and j target sentences.
function editBeads(one) {
  const unit = unitOf(one);
  const [top, below, left, right] = one.detail.span;
  const last = [unit.src.length, unit.tgt.length];
  const inOrder = (borders) => borders.sort(([a, c], [b, d]) => a - b || c - d);
  const borders = inOrder([...labelsOf(nowOf(unit)).keys()].map((link) => link.split("-").map(Number)));
  const path = [[0, 0], ...borders, last];
  const marked = new Set(changesOf(unit));
  const put = (kept) => {
    const focused = document.activeElement?.getAttribute("aria-label");
    editText(unit, inOrder(kept).map((border) => border.join("-")).join(" "));
    [...view("detail").querySelectorAll("button")].find((button) => button.getAttribute("aria-label") === focused && !button.disabled)?.focus();
  };
  const button = (text, said, border, to) => element("button", { type: "button", "aria-label": said, disabled: !to, onclick: () => put([...borders.filter((other) => other !== border), ...to]) }, text);
  const near = path.slice(1).map((_, at) => at).filter((at) => path[at + 1][0] >= top && path[at][0] <= below && path[at + 1][1] >= left && path[at][1] <= right);
  const list = element("div", { class: "beads" });
  near.forEach((at, k) => {
    const [[a, c], [b, d]] = [path[at], path[at + 1]];
    if (k) {
      const [border, before] = [path[at], path[at - 1]];
      const isMarked = marked.has(border.join("-"));
      const moved = (i, j) => {
        const to = [border[0] + i, border[1] + j];
        const inside = before[0] <= to[0] && before[1] <= to[1] && to[0] <= b && to[1] <= d;
        return inside && String(to) !== String(before) && String(to) !== String([b, d]) && [to];
      };
      const moves = [["Source ↑", "up by a source sentence", -1, 0], ["Source ↓", "down by a source sentence", 1, 0], ["Target ↑", "up by a target sentence", 0, -1], ["Target ↓", "down by a target sentence", 0, 1]];
      list.append(element("p", { class: "bar" }, ...moves.map(([text, said, i, j]) => button(text, `Border ${k}: ${said}`, border, moved(i, j))), button("Join", `Border ${k}: join the beads`, border, []), isMarked ? "changed" : null));
    }
    const cut = [b - a > 1 ? b - 1 : b, d - c > 1 ? d - 1 : d];
    if (cut[0] === b && cut[1] === d) cut[1] = c;
    const side = (texts, from, to) => element("div", {}, ...(from < to ? texts.slice(from, to).map((text, n) => element("p", { dir: "auto" }, `${from + n} ${text}`)) : [element("p", { class: "said" }, "nothing")]));
    list.append(element("div", { class: "bead", role: "group", "aria-label": `Bead ${k + 1}` }, side(unit.src, a, b), side(unit.tgt, c, d), button("Split", `Bead ${k + 1}: split`, null, b - a + d - c > 1 && [cut])));
  });
  showButtons(unit);
  return list;
}
