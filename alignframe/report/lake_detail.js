// A sentence: two alignments in one grid with gold, or two translations with the reference and their matchings.

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

// The words of a side; without a text, their numbers up to the last aligned one.
function wordsOf(words, links, side) {
  if (words) return words;
  const last = Math.max(-1, ...links.flatMap((one) => one[side]));
  return Array.from({ length: last + 1 }, (_, at) => String(at));
}

// A grid of words by words, with a function that returns the centre of a cell.
function wordGrid(rows, columns, label) {
  const [left, top] = [measured(rows), measured(columns)];
  const [width, height] = [left + columns.length * CELL + 8, top + rows.length * CELL + 8];
  const grid = svgOf("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "grid" });
  const lines = [];
  for (let at = 0; at <= rows.length; at++) lines.push(`M${left},${top + at * CELL}h${columns.length * CELL}`);
  for (let at = 0; at <= columns.length; at++) lines.push(`M${left + at * CELL},${top}v${rows.length * CELL}`);
  grid.append(svgOf("path", { d: lines.join(""), class: "lines" }));
  rows.forEach((word, at) => grid.append(svgOf("text", { x: left - 6, y: top + at * CELL + 13, "text-anchor": "end" }, word)));
  columns.forEach((word, at) => {
    const [x, y] = [left + at * CELL + 13, top - 6];
    grid.append(svgOf("text", { x, y, transform: `rotate(-90 ${x} ${y})` }, word));
  });
  return { grid, centre: (i, j) => [left + j * CELL + CELL / 2, top + i * CELL + CELL / 2] };
}

const scrolled = (grid, name) => element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": name }, grid);

function rowsOf(title, table) {
  return element("details", { class: "rows" }, element("summary", {}, title), tableOf(table));
}

// The contents of a side of a view: links or a text of its state, and gold or the reference.
const hypOf = (detail, side) => detail.hyp[detail.at[side.state][0]];
const otherOf = (detail, side) => detail.other[detail.at[side.state][1]];

// Squares are gold; a dot is a link of the first side, a ring one of the second.
function linkGrid(detail, sides) {
  const gold = otherOf(detail, sides[0]) ?? [[], [], []];
  const given = sides.map((side) => hypOf(detail, side) ?? [[], []]);
  const every = [gold, ...given];
  const src = wordsOf(detail.src, every, 0);
  const tgt = wordsOf(detail.tgt, every, 1);
  const names = sides.map((side) => side.name);
  const label = `Links of ${names.join(" and ")} with gold: ${src.length} source words by ${tgt.length} target words. The table below lists them.`;
  const { grid, centre } = wordGrid(src, tgt, label);
  gold[0].forEach((i, at) => {
    const [x, y] = centre(i, gold[1][at]);
    grid.append(svgOf("rect", { x: x - 8, y: y - 8, width: 16, height: 16, class: gold[2][at] ? "sure" : "possible" }));
  });
  const sets = given.map(pairs);
  sets.forEach((set, which) => {
    for (const link of set) {
      const [x, y] = centre(...link.split("-").map(Number));
      grid.append(which ? svgOf("circle", { cx: x, cy: y, r: 6, class: "second" }) : svgOf("circle", { cx: x, cy: y, r: 3.5, class: "first" }));
    }
  });
  return { grid, rows: linkRows(gold, sets, src, tgt) };
}

function measured(words) {
  const longest = Math.max(1, ...words.map((word) => [...word].length));
  return Math.min(260, 14 + longest * 8);
}

function linkRows(gold, sets, src, tgt) {
  const kinds = new Map(gold[0].map((i, at) => [i + "-" + gold[1][at], gold[2][at] ? "Sure" : "Possible"]));
  const every = [...new Set([...kinds.keys(), ...sets.flatMap((set) => [...set])])].map((link) => link.split("-").map(Number));
  every.sort(([a, b], [c, d]) => a - c || b - d);
  return every.map(([i, j]) => {
    const link = i + "-" + j;
    return [src[i] ?? String(i), tgt[j] ?? String(j), kinds.get(link) || "no", ...sets.map((set) => (set.has(link) ? "yes" : "no"))];
  });
}

function linkView(detail, sides) {
  const names = sides.map((side) => side.name);
  const { grid, rows } = linkGrid(detail, sides);
  const key = element("p", { class: "caption" }, "Rows are source words, columns target words. Squares are gold links, Possible ones dashed. ");
  key.append(`A dot is a link of ${names[0]}`, names[1] ? `, a ring one of ${names[1]}; a dot in a ring is one of both.` : ".");
  const heads = ["Source", "Target", "Gold", ...names];
  return [scrolled(grid, "Grid of links"), key, rowsOf("The links as a table", { heads, rows, texts: heads.length, name: "Links" })];
}

// Words shared by two texts are marked, each as often as it is in both.
function matched(words, others) {
  const left = new Map();
  for (const word of others) left.set(word, (left.get(word) || 0) + 1);
  return words.map((word) => {
    const count = left.get(word) || 0;
    if (count) left.set(word, count - 1);
    return count > 0;
  });
}

function textView(detail, sides) {
  const split = (text) => text.split(/(\s+)/u);
  const given = otherOf(detail, sides[0]) ?? "";
  const ref = split(given);
  const solid = (one) => one.trim() !== "";
  const list = element("dl", { class: "texts" });
  list.append(element("dt", {}, "Reference"), element("dd", { dir: "auto" }, given));
  for (const side of sides) {
    const text = hypOf(detail, side);
    const value = element("dd", { dir: "auto" });
    if (text === null) value.append("no translation");
    else {
      const pieces = split(text);
      const marks = matched(pieces.filter(solid), ref.filter(solid));
      let word = 0;
      for (const piece of pieces) value.append(solid(piece) && marks[word++] ? element("mark", {}, piece) : piece);
    }
    list.append(element("dt", {}, side.name), value);
  }
  const made = sides.flatMap((side) => matchView(detail.match?.[detail.at[side.state].join("-")], side));
  return [list, element("p", { class: "caption" }, "Marked words stand in the reference too, each as often as there."), ...made];
}

// TESLA's matching of words: larger dots are more similar, darker ones have more weight.
function matchView(match, side) {
  if (!match) return [];
  const [hyp, ref, edges] = match;
  const title = `Matching of ${side.name} with the reference`;
  const { grid, centre } = wordGrid(hyp, ref, `${title}: ${edges.length} matches. The table below lists them.`);
  for (const [i, j, similarity, weight] of edges) {
    const [x, y] = centre(i, j);
    grid.append(svgOf("circle", { cx: x, cy: y, r: (2 + 5 * similarity).toFixed(1), opacity: (0.35 + 0.65 * Math.min(1, weight)).toFixed(2), class: "first" }));
  }
  const rows = edges.map(([i, j, similarity, weight]) => [hyp[i], ref[j], similarity.toFixed(2), weight.toFixed(2)]);
  return [
    element("h3", {}, title),
    scrolled(grid, title),
    element("p", { class: "caption" }, "Rows are words of the translation, columns those of the reference. A dot is a match: the larger, the more alike the words; the fainter, the less they weigh."),
    rowsOf("The matches as a table", { heads: ["Translation", "Reference", "Similarity", "Weight"], rows, texts: 2, name: title }),
  ];
}
