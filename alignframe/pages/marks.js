// Marks of charts and rows of tables list the sentences that they stand for: by a click; or by Tab, in charts then arrow keys, and Enter.

const reached = {}; // of each chart, the mark that the keyboard was last at

// What a mark or a row stands for, as words of the address, or null; `columns` says where it has them.
function wordsOfMark(datum, columns) {
  const [words, is] = [{}, []];
  for (const [what, column] of Object.entries(columns)) {
    const value = datum[column];
    if (what === "length") [words.least, words.most] = data.bands[value] ?? [null, null];
    else if (what === "sid") words.sid = every.some((one) => one.key === value) ? value : null;
    else if (what !== "system" && what !== "other") is.push(value === undefined ? null : `${what}=${value}`);
    else if (data.systems.length > 1) words[what] = [value, column].find((one) => data.systems.includes(one)) ?? null;
  }
  if (is.length && !is.includes(null)) words.is = is;
  const known = Object.entries(words).filter(([, value]) => value !== null);
  return known.some(([name]) => name !== "other") ? Object.fromEntries(known.concat("least" in words ? [["most", words.most]] : [])) : null;
}

function wordsOfItem(name, item) {
  if (!item?.datum || item.mark.marktype === "group") return null;
  // The datum of the nearest point, or its own.
  return wordsOfMark(item.datum.datum ?? item.datum, { system: "system", other: "baseline", ...picks[name] });
}

// The marks of a chart that stand for something, from the top left, one for each address: rather a point or a cell than its name, and these than lines.
function marksOf(name) {
  const found = new Map();
  const rank = ({ mark }) => ({ rect: 0, symbol: 0, text: 1 })[mark.marktype] ?? 2;
  for (const mark of the(name).querySelectorAll("svg [role]")) {
    const item = mark.__data__;
    const words = wordsOfItem(name, item);
    if (!words) continue;
    const key = JSON.stringify(words);
    if (!found.has(key) || rank(item) < found.get(key).rank) found.set(key, { key, mark, rank: rank(item), words });
  }
  const placed = [...found.values()].map((one) => {
    const { left, top, width, height } = one.mark.getBoundingClientRect();
    return { ...one, x: left + width / 2, y: top + height / 2 };
  });
  return placed.sort((a, b) => a.y - b.y || a.x - b.x);
}

// Charts are drawn again, as when a page's width changes: a mark that had the focus gets it back.
function reachable(name, focused) {
  const marks = marksOf(name);
  const current = marks.find((one) => one.key === reached[name]) ?? marks[0];
  for (const { mark, words } of marks) {
    mark.setAttribute("role", "link");
    if (!mark.hasAttribute("aria-label")) mark.setAttribute("aria-label", Object.values(words).flat().join(", "));
    mark.setAttribute("tabindex", mark === current.mark ? "0" : "-1");
  }
  if (focused) current?.mark.focus({ preventScroll: true });
}

// The next mark to a side: rather in the same row or column, otherwise the nearest along the axis.
function nextMark(marks, mark, key) {
  const current = marks.find((one) => one.mark === mark);
  const [along, across] = key === "ArrowLeft" || key === "ArrowRight" ? ["x", "y"] : ["y", "x"];
  const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  const ahead = (one) => sign * (one[along] - current[along]);
  const aside = (one) => Math.abs(one[across] - current[across]);
  const order = (one) => sign * (marks.indexOf(one) - marks.indexOf(current)); // of marks at one place
  const later = marks.filter((one) => ahead(one) > 1 || (Math.abs(ahead(one)) <= 1 && aside(one) <= 1 && order(one) > 0));
  const level = later.filter((one) => aside(one) <= 1);
  return (level.length ? level : later).sort((a, b) => ahead(a) - ahead(b) || aside(a) - aside(b) || order(a) - order(b))[0];
}

// Above the chart, whose later marks would cover the outline of a mark.
function ringAround(mark, chart) {
  const [own, whole] = [mark, chart].map((one) => one.getBoundingClientRect());
  const ring = element("div", { class: "ring" });
  for (const [side, value, of] of [["left", own.left - whole.left, whole.width], ["top", own.top - whole.top, whole.height], ["width", own.width, whole.width], ["height", own.height, whole.height]])
    ring.style[side] = `${(100 * value) / of}%`;
  return ring;
}

// The keyboard does what the pointer does: a mark that it reaches shows its figures, and Enter clicks.
function wireMarks() {
  const point = (kind, mark) => {
    const { left, top, width, height } = mark.getBoundingClientRect();
    mark.dispatchEvent(new PointerEvent(kind, { bubbles: true, clientX: left + width / 2, clientY: top + height / 2 }));
  };
  const pickable = (name, focused) => {
    views[name].addEventListener("click", (event, item) => {
      const words = wordsOfItem(name, item);
      if (words) pick(words);
    });
    views[name].addEventListener("mousemove", (event, item) => (the(name).style.cursor = wordsOfItem(name, item) ? "pointer" : ""));
    reachable(name, focused);
  };
  for (const name of Object.keys(specs)) {
    const chart = the(name);
    const own = (event) => marksOf(name).find((one) => one.mark === event.target);
    chart.addEventListener("focusin", (event) => {
      const one = own(event);
      if (!one) return;
      chart.querySelectorAll('[role="link"][tabindex="0"]').forEach((other) => other.setAttribute("tabindex", "-1"));
      one.mark.setAttribute("tabindex", "0");
      reached[name] = one.key;
      if (!one.mark.matches(":focus-visible")) return;
      point("pointermove", one.mark);
      chart.append(ringAround(one.mark, chart));
    });
    chart.addEventListener("focusout", (event) => {
      chart.querySelector(".ring")?.remove();
      if (own(event)) point("mouseout", event.target);
    });
    chart.addEventListener("keydown", (event) => {
      const current = own(event);
      if (!current) return;
      if (event.key === "Enter") point("click", current.mark);
      else if (event.key.startsWith("Arrow")) nextMark(marksOf(name), current.mark, event.key)?.mark.focus();
      else return;
      event.preventDefault();
    });
  }
  Object.keys(views).forEach((name) => pickable(name, false));
  page.addEventListener("drawn", ({ detail: { name, focused } }) => pickable(name, focused?.matches('[role="link"]')));
}

function linkTables() {
  for (const table of document.querySelectorAll(".pair table, main > section:not([id]) table")) {
    const columns = { system: "System", ...JSON.parse(table.dataset.picks ?? "{}") };
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    const at = heads.findIndex((head) => Object.values(columns).includes(head));
    for (const row of at < 0 ? [] : table.tBodies[0].rows) {
      const words = wordsOfMark(Object.fromEntries(heads.map((head, place) => [head, row.cells[place].firstChild?.textContent])), columns);
      if (!words) continue;
      const text = row.cells[at].firstChild;
      const link = element("a", { href: "#" + new URLSearchParams(words), title: "List its sentences", onclick: (event) => (event.preventDefault(), pick(words)) });
      text.replaceWith(link);
      link.append(text);
    }
  }
}
