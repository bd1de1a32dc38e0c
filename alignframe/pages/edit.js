// Mending gold: the cells of a grid change through Sure, Possible and none, and a file holds what was changed or checked.

const LABELS = ["none", "Possible", "Sure"];
const NEXT = [2, 0, 1]; // a click on no link makes a Sure one, then a Possible one, then none
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const drafts = {}; // by sentence: its links as text, once it was changed or checked
let stored = true; // whether the browser keeps edits when the page is closed
let cursor = [0, 0]; // the cell with the keyboard focus
let toGrid = false; // whether the next sentence opens with the focus in its grid

const goldText = ([i, j, sure]) => i.map((one, k) => [one, j[k], sure[k]]).sort(([a, b], [c, d]) => a - c || b - d).map(([one, other, k]) => one + (k ? "-" : "p") + other).join(" ");
const goldOf = (text) => {
  const links = text.split(" ").filter(Boolean).map((one) => [...one.split(/[-p]/).map(Number), one.includes("-")]);
  return [0, 1, 2].map((side) => links.map((link) => link[side]));
};
const labelsOf = (text) => new Map(text.split(" ").filter(Boolean).map((one) => [one.replace("p", "-"), one.includes("p") ? 1 : 2]));
const nowOf = (one) => drafts[one.key] ?? goldText(one.detail.gold);

// The cells whose label is not that of gold.
function changesOf(one) {
  const [before, after] = [goldText(one.detail.gold), nowOf(one)].map(labelsOf);
  return [...new Set([...before.keys(), ...after.keys()])].filter((link) => before.get(link) !== after.get(link));
}

function putLinks(one, text) {
  if (text === undefined) delete drafts[one.key];
  else drafts[one.key] = text;
  one.detail.other[0] = goldOf(nowOf(one));
}

// A step that can be undone: the sentence gets other links, or none of its own.
function editLinks(one, text) {
  (one.steps ??= []).push(drafts[one.key]);
  putLinks(one, text);
  keepEdits();
}

function undoEdit(one) {
  if (!one.steps?.length) return;
  putLinks(one, one.steps.pop());
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
  const open = source?.opened();
  if (open) showDetail();
  sayEdits();
  return showSentences();
}

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

function sayEdits() {
  const checked = every.filter((one) => drafts[one.key] !== undefined);
  const changed = checked.map((one) => changesOf(one).length).filter(Boolean);
  const count = changed.reduce((sum, one) => sum + one, 0);
  const rest = checked.length - changed.length;
  the("edits-said").textContent =
    `${counted(count, "link")} of ${counted(changed.length, "sentence")} changed${rest ? `, ${counted(rest, "sentence")} checked without a change` : ""}. ` +
    (stored ? "This browser keeps the edits." : "This browser keeps nothing when the page is closed: save the edits before.") +
    " Scores and errors are those of the gold before.";
  for (const name of ["save-edits", "save-gold"]) if (the(name)) the(name).disabled = !checked.length;
}

const editsColumn = {
  head: "Edits",
  text: true,
  cell: (one) => (drafts[one.key] === undefined ? "" : changesOf(one).length ? `${changesOf(one).length} changed` : "checked"),
};

function downloadText(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "application/octet-stream" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  onbeforeunload = null;
}

function editsText() {
  const { of, gold } = data.edit;
  const rows = every.map((one) => JSON.stringify({ unit: one.unit, gold: one.detail.digest, sizes: [one.detail.src.length, one.detail.tgt.length], edited: drafts[one.key] }));
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
  const lines = [...every].sort((a, b) => a.unit - b.unit).map((one) => nowOf(one) + "\n");
  downloadText("gold.edited.talp", lines.join(""));
}

// The cells of a grid can be clicked, and take the arrow keys; one of them has the focus.
function editCells({ grid, centre, src, tgt, sets, names, detail }) {
  const one = source.opened();
  const labels = labelsOf(nowOf(one));
  const changed = new Set(changesOf(one));
  const said = (i, j) => {
    const link = i + "-" + j;
    const found = names.filter((_, which) => sets[which].has(link));
    return `${src[i]}, ${tgt[j]}: ${LABELS[labels.get(link) ?? 0]}${changed.has(link) ? ", changed" : ""}${found.length ? `; linked by ${found.join(" and ")}` : ""}`;
  };
  const [below, right] = [detail.src.length, detail.tgt.length];
  the("undo").disabled = !one.steps?.length;
  the("restore").disabled = !changed.size;
  the("checked").disabled = changed.size > 0; // what is changed is checked
  the("checked").checked = drafts[one.key] !== undefined;
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
      cursor = [Math.max(0, Math.min(below - 1, cursor[0] + move[0])), Math.max(0, Math.min(right - 1, cursor[1] + move[1]))];
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
  editLinks(one, goldText([0, 1, 2].map((side) => links.map((each) => each[side]))));
  editCells.focus();
}

async function startEditing() {
  const button = (id, text, click) => element("button", { type: "button", id, onclick: click }, text);
  const opened = (act) => () => act(source.opened());
  const name = element("input", { id: "annotator", autocomplete: "name", onchange: () => keepEdits() });
  const bar = element("form", { class: "bar", id: "edits", "aria-label": "Edits of gold", onsubmit: (event) => event.preventDefault() },
    element("label", {}, "Your name ", name), button("save-edits", "Save the edits", saveEdits), data.edit.whole ? button("save-gold", "Save all of gold, as lines", saveGold) : null);
  the("sentences-title").after(element("p", { class: "said", id: "edits-said", role: "status" }), bar);
  const marks = [button("undo", "Undo", opened(undoEdit)), button("restore", "Restore gold", opened((one) => editLinks(one, undefined)))];
  const checked = element("input", { type: "checkbox", id: "checked", onchange: opened((one) => editLinks(one, drafts[one.key] === undefined ? nowOf(one) : undefined)) });
  the("close").before(...marks, element("label", {}, "Checked ", checked));
  view("detail").before(element("p", { class: "said" }, "A click on a cell, or Enter, makes its link Sure, then Possible, then none. Arrow keys move, U undoes, N and P open the next and the previous sentence. Cells that differ from gold have a red edge."));
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem("alignframe " + data.edit.key)) ?? {};
  } catch {
    stored = false;
  }
  every = rowsGiven();
  name.value = kept.annotator ?? "";
  for (const one of every) {
    one.detail = await one.open();
    one.detail.gold = one.detail.other[0];
    if (kept.drafts?.[one.key] !== undefined) putLinks(one, kept.drafts[one.key]);
  }
  sayEdits();
}
