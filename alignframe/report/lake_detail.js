// A sentence: two alignments in one grid with gold, or two translations beside the reference.

const CELL = 18;
const element = (name, given = {}, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...inside.filter((one) => one !== null && one !== undefined));
  return made;
};

const pairs = ([i, j]) => new Set(i.map((one, at) => one + "-" + j[at]));

// The words of a side; without a text, their numbers up to the last that is linked.
function wordsOf(words, links, side) {
  if (words) return words;
  const last = Math.max(-1, ...links.flatMap((one) => one[side]));
  return Array.from({ length: last + 1 }, (_, at) => String(at));
}

// Rows are source words, columns target words. Squares are gold; a dot is a link of one system, a ring one of the other.
function linkGrid(detail, names) {
  const given = names.map((name) => detail.hyp[name] || [[], []]);
  const every = [detail.gold, ...given];
  const src = wordsOf(detail.src, every, 0);
  const tgt = wordsOf(detail.tgt, every, 1);
  const [left, top] = [measured(src), measured(tgt)];
  const [width, height] = [left + tgt.length * CELL + 8, top + src.length * CELL + 8];
  const label = `Links of ${names.join(" and ")} with gold: ${src.length} source words by ${tgt.length} target words. The table below lists them.`;
  const grid = svgOf("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "grid" });
  const lines = [];
  for (let at = 0; at <= src.length; at++) lines.push(`M${left},${top + at * CELL}h${tgt.length * CELL}`);
  for (let at = 0; at <= tgt.length; at++) lines.push(`M${left + at * CELL},${top}v${src.length * CELL}`);
  grid.append(svgOf("path", { d: lines.join(""), class: "lines" }));
  src.forEach((word, at) => grid.append(svgOf("text", { x: left - 6, y: top + at * CELL + 13, "text-anchor": "end" }, word)));
  tgt.forEach((word, at) => {
    const [x, y] = [left + at * CELL + 13, top - 6];
    grid.append(svgOf("text", { x, y, transform: `rotate(-90 ${x} ${y})` }, word));
  });
  const centre = (i, j) => [left + j * CELL + CELL / 2, top + i * CELL + CELL / 2];
  detail.gold[0].forEach((i, at) => {
    const [x, y] = centre(i, detail.gold[1][at]);
    grid.append(svgOf("rect", { x: x - 8, y: y - 8, width: 16, height: 16, class: detail.gold[2][at] ? "sure" : "possible" }));
  });
  const sets = given.map(pairs);
  sets.forEach((set, which) => {
    for (const link of set) {
      const [x, y] = centre(...link.split("-").map(Number));
      grid.append(which ? svgOf("circle", { cx: x, cy: y, r: 6, class: "second" }) : svgOf("circle", { cx: x, cy: y, r: 3.5, class: "first" }));
    }
  });
  return { grid, rows: linkRows(detail, names, sets, src, tgt) };
}

function measured(words) {
  const longest = Math.max(1, ...words.map((word) => [...word].length));
  return Math.min(260, 14 + longest * 8);
}

function linkRows(detail, names, sets, src, tgt) {
  const gold = new Map(detail.gold[0].map((i, at) => [i + "-" + detail.gold[1][at], detail.gold[2][at] ? "Sure" : "Possible"]));
  const every = [...new Set([...gold.keys(), ...sets.flatMap((set) => [...set])])].map((link) => link.split("-").map(Number));
  every.sort(([a, b], [c, d]) => a - c || b - d);
  return every.map(([i, j]) => {
    const link = i + "-" + j;
    return [src[i] ?? String(i), tgt[j] ?? String(j), gold.get(link) || "no", ...sets.map((set) => (set.has(link) ? "yes" : "no"))];
  });
}

function linkView(detail, names) {
  const { grid, rows } = linkGrid(detail, names);
  const key = element("p", { class: "caption" }, "Rows are source words, columns target words. Squares are gold links, Possible ones dashed. ");
  key.append(`A dot is a link of ${names[0]}`, names[1] ? `, a ring one of ${names[1]}; a dot in a ring is one of both.` : ".");
  const heads = ["Source", "Target", "Gold", ...names];
  const table = element("details", { class: "rows" }, element("summary", {}, "The links as a table"));
  table.append(tableOf({ heads, rows, texts: heads.length, name: "Links" }));
  return [element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Grid of links" }, grid), key, table];
}

// Words that two texts share, each as often as both have it, are marked.
function matched(words, others) {
  const left = new Map();
  for (const word of others) left.set(word, (left.get(word) || 0) + 1);
  return words.map((word) => {
    const count = left.get(word) || 0;
    if (count) left.set(word, count - 1);
    return count > 0;
  });
}

function textView(detail, names) {
  const split = (text) => text.split(/(\s+)/u);
  const ref = split(detail.ref);
  const solid = (one) => one.trim() !== "";
  const list = element("dl", { class: "texts" });
  list.append(element("dt", {}, "Reference"), element("dd", { dir: "auto" }, detail.ref));
  for (const name of names) {
    const text = detail.hyp[name];
    const value = element("dd", { dir: "auto" });
    if (text === undefined) value.append("no translation");
    else {
      const pieces = split(text);
      const marks = matched(pieces.filter(solid), ref.filter(solid));
      let word = 0;
      for (const piece of pieces) value.append(solid(piece) && marks[word++] ? element("mark", {}, piece) : piece);
    }
    list.append(element("dt", {}, name), value);
  }
  return [list, element("p", { class: "caption" }, "Marked words stand in the reference too, each as often as there.")];
}
