// The evidence of a sentence: alignments in one grid with gold, or translations with the reference and their matchings.

const SQUARE = 18; // a cell of a grid
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

const svgOf = (name, given = {}, ...inside) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
};

const number = (value, digits = 4) => (value === null ? "undefined" : value.toFixed(digits).replace("-", "−"));
const digitsOf = (values) => (values.some((one) => one !== null && Math.abs(one) > 10) ? 2 : 4);
const between = (low, high, digits) => (low === null ? "" : number(low, digits) + (low < 0 ? " to " : " – ") + number(high, digits));
// A difference beside its figures is that of the figures as shown, so that they add up: core/rounding.py has the rule.
const differenceOf = (value, base, digits) => (value === null || base === null ? null : Number((Number(value.toFixed(digits)) - Number(base.toFixed(digits))).toFixed(digits)));
const signed = (value, digits) => (value === null ? "" : (value > 0 ? "+" : "") + number(value, digits));
const pOf = (p) => (p === null ? "" : p < 0.0005 ? "p < 0.001" : `p = ${p.toFixed(3)}`);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// A table from rows; a cell is a string, or {text, small, href, label, kind, dir}, or also the parts of its text. Copying
// takes `all` rows. Heads sort by the addresses of `sorts`, or the rows that are shown if it is `true`.
function tableOf({ heads, sorts = [], rows, texts = 1, name, all }) {
  const plain = (cell) => (typeof cell === "string" ? cell : cell.small ? `${cell.text} [${cell.small}]` : cell.text);
  const made = (cell, at, row) => {
    const one = typeof cell === "string" ? { text: cell } : cell;
    const words = one.href ? [element("a", { href: one.href, "aria-label": one.label, "aria-current": one.current }, one.text)] : one.parts ?? [one.text];
    const given = { class: [at < texts ? "text" : "", one.kind || "", one.text.length > 40 ? "long" : ""].join(" ").trim() || null, "data-head": heads[at], dir: one.dir };
    const tag = at ? "td" : "th";
    const made = element(tag, at ? given : { ...given, scope: "row" }, ...words);
    if (one.small) made.append(element("small", {}, one.small));
    return made;
  };
  const go = (at) => (sorts === true ? (event) => sort(event.target.parentElement) : sorts[at] && (() => location.replace(sorts[at].to)));
  const named = (text, onclick) => (onclick ? element("button", { type: "button", onclick }, text) : text);
  const head = element("tr", {}, ...heads.map((text, at) => element("th", { scope: "col", class: at < texts ? "text" : null, "aria-sort": sorts[at]?.runs }, named(text, go(at)))));
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(made))));
  const table = element("table", { "aria-label": name, class: heads.length > 9 ? "dense" : null }, element("thead", {}, head), body);
  const get = () => ({ heads, rows: (all ? all() : rows).map((row) => row.map(plain)), texts });
  return element("div", { class: "tabled" }, exportMenu(get, name), table);
}

// The links of a set with their probabilities, if these are known.
const pairs = ([i, j, chances]) => new Map(i.map((one, at) => [one + "-" + j[at], chances?.[at]]));

// The words of a side, and NULL if a link names the place after them; without a text, their numbers up to the last aligned one.
function wordsOf(words, links, side) {
  const last = Math.max(-1, ...links.flatMap((one) => one[side]));
  if (words) return last >= words.length ? [...words, "NULL"] : words;
  return Array.from({ length: last + 1 }, (_, at) => String(at));
}

const isLeftward = (words) => {
  const letters = words.join("").match(/\p{L}/gu) ?? [];
  return letters.filter((one) => /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u.test(one)).length * 2 > letters.length;
};

// Words that stand upright when written from top to bottom.
const UPRIGHT = /^(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+|.)$/u;

// A grid of words by words, with a function that returns the centre of a cell. Columns of a text from right to left run so, too.
function wordGrid(rows, columns, label) {
  const mirrored = isLeftward(columns);
  const [named, top] = [measured(rows), measured(columns)];
  const left = mirrored ? 8 : named;
  const [width, height] = [named + columns.length * SQUARE + 8, top + rows.length * SQUARE + 8];
  const column = (at) => left + (mirrored ? columns.length - 1 - at : at) * SQUARE;
  const grid = svgOf("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: mirrored ? "grid mirrored" : "grid" });
  const lines = [];
  for (let at = 0; at <= rows.length; at++) lines.push(`M${left},${top + at * SQUARE}h${columns.length * SQUARE}`);
  for (let at = 0; at <= columns.length; at++) lines.push(`M${left + at * SQUARE},${top}v${rows.length * SQUARE}`);
  grid.append(svgOf("path", { d: lines.join(""), class: "lines" }));
  const beside = mirrored ? { x: left + columns.length * SQUARE + 6 } : { x: left - 6, "text-anchor": "end" };
  rows.forEach((word, at) => grid.append(svgOf("text", { ...beside, y: top + at * SQUARE + 13 }, word)));
  columns.forEach((word, at) => {
    const [x, y] = [column(at) + 13, top - 6];
    if (UPRIGHT.test(word)) {
      const letters = [...word].reverse().map((letter, up) => svgOf("tspan", { x: x - 4, y: y - 14 * up }, letter));
      return grid.append(svgOf("text", { "text-anchor": "middle" }, ...letters.reverse()));
    }
    grid.append(svgOf("text", { x, y, transform: `rotate(-90 ${x} ${y})` }, word));
  });
  return { grid, centre: (i, j) => [column(j) + SQUARE / 2, top + i * SQUARE + SQUARE / 2] };
}

// A grid that says that it goes on where it does not fit; one from right to left begins at its right end.
function scrolled(grid, name) {
  const leftward = grid.classList.contains("mirrored");
  const box = element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": name, dir: leftward && "rtl" }, grid);
  const hint = element("p", { class: "said", hidden: "" });
  new ResizeObserver(() => {
    const ways = [box.scrollWidth > box.clientWidth && `to the ${leftward ? "left" : "right"}`, box.scrollHeight > box.clientHeight && "below"].filter(Boolean);
    hint.hidden = !ways.length;
    hint.textContent = `The grid goes on ${ways.join(" and ")}: scroll it, or use its arrow keys.`;
  }).observe(box);
  return element("div", {}, hint, box);
}

function rowsOf(title, table) {
  return element("details", { class: "rows" }, element("summary", {}, title), tableOf(table));
}

// The contents of a side of a view: links or a text of its state, and gold or the reference.
const hypOf = (detail, side) => detail.hyp[detail.at[side.state][0]];
const otherOf = (detail, side) => detail.other[detail.at[side.state][1]];

// Squares are gold; a dot is a link of the first side, a ring one of the second. Where probabilities
// are known, there is no gold, and unlikely dots are faint.
function linkGrid(detail, sides) {
  const judged = otherOf(detail, sides[0]);
  const gold = judged ?? [[], [], []];
  const given = sides.map((side) => hypOf(detail, side) ?? [[], []]);
  const every = [gold, ...given];
  const src = wordsOf(detail.src, every, 0);
  const tgt = wordsOf(detail.tgt, every, 1);
  const names = sides.map((side) => side.name);
  const label = `Links of ${names.join(" and ")}${judged ? " with gold" : ""}: ${src.length} source words by ${tgt.length} target words. The table below lists them.`;
  const { grid, centre } = wordGrid(src, tgt, label);
  const [top, below, left, right] = detail.marked ?? [0, 0, 0, 0];
  for (let i = top; i < below; i++)
    for (let j = left; j < right; j++) {
      const [x, y] = centre(i, j);
      grid.append(svgOf("rect", { x: x - SQUARE / 2, y: y - SQUARE / 2, width: SQUARE, height: SQUARE, class: "marked" }));
    }
  gold[0].forEach((i, at) => {
    const [x, y] = centre(i, gold[1][at]);
    grid.append(svgOf("rect", { x: x - 8, y: y - 8, width: 16, height: 16, class: gold[2][at] ? "sure" : "possible" }));
  });
  const known = pairs(gold);
  const sets = given.map(pairs);
  sets.forEach((set, which) => {
    for (const [link, chance = 1] of set) {
      const [x, y] = centre(...link.split("-").map(Number));
      if (which) grid.append(svgOf("circle", { cx: x, cy: y, r: 6, class: "second" }));
      else if (!judged || known.has(link)) grid.append(svgOf("circle", { cx: x, cy: y, r: 3.5, class: "first", opacity: 0.2 + 0.8 * chance }));
      else grid.append(svgOf("path", { d: `M${x - 3.5},${y - 3.5}l7,7m0,-7l-7,7`, class: "first wrong" }));
    }
  });
  if (detail.digest) editCells({ grid, centre, src, tgt, sets, names, detail });
  return { grid, judged, rows: linkRows(judged, sets, src, tgt) };
}

function measured(words) {
  const longest = Math.max(1, ...words.map((word) => [...word].length));
  return Math.min(260, 14 + longest * 8);
}

function linkRows(gold, sets, src, tgt) {
  const kinds = new Map(gold?.[0].map((i, at) => [i + "-" + gold[1][at], gold[2][at] ? "Sure" : "Possible"]));
  const every = [...new Set([...kinds.keys(), ...sets.flatMap((set) => [...set.keys()])])].map((link) => link.split("-").map(Number));
  every.sort(([a, b], [c, d]) => a - c || b - d);
  return every.map(([i, j]) => {
    const link = i + "-" + j;
    const made = sets.map((set) => (set.has(link) ? String(set.get(link) ?? "yes") : "no"));
    return [src[i] ?? String(i), tgt[j] ?? String(j), ...(gold ? [kinds.get(link) || "no"] : []), ...made];
  });
}

function linkView(detail, sides) {
  const names = sides.map((side) => side.name);
  const { grid, judged, rows } = linkGrid(detail, sides);
  const key = element("p", { class: "caption" }, `Rows are source words, columns target words${grid.classList.contains("mirrored") ? ", from right to left" : ""}. `);
  if (judged) key.append(`Squares are gold links, Possible ones dashed${detail.marked ? "; the cells of the entry are yellow" : ""}. `);
  key.append(`A dot is a link of ${names[0]}, ${judged ? "or a cross if it is wrong" : "the fainter, the less probable"}`, names[1] ? `; a ring is one of ${names[1]}.` : ".", judged ? " Empty squares are missed." : "");
  const heads = ["Source", "Target", ...(judged ? ["Gold"] : []), ...names];
  return [scrolled(grid, "Grid of links"), key, rowsOf("The links as a table", { heads, rows, texts: heads.length, name: "Links" })];
}

// A bead: the sentences of both sides, and the gold beads that have some of them.
function beadView(detail) {
  if (detail.span) return [editBeads(source.opened())];
  const side = (name, texts) => [element("dt", {}, name), ...(texts.length ? texts : ["nothing"]).map((text) => element("dd", { dir: "auto" }, text))];
  const list = element("dl", { class: "texts" }, ...side("Source", detail.src), ...side("Target", detail.tgt));
  return [list, ...(detail.gold ? [element("p", { class: "caption" }, `Gold has ${detail.gold.join(", ") || "none of these sentences"}.`)] : [])];
}

// Words, signs, spaces, and single characters where a script has no spaces.
const PIECES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|[\p{L}\p{M}\p{N}]+|\s+|[^]/gu;

// A text in parts; words that others do not have, or not as often, are marked. Case and punctuation count.
function marked(text, others) {
  const left = new Map();
  for (const word of others.join("\n").match(PIECES) ?? []) left.set(word, (left.get(word) || 0) + 1);
  const parts = [];
  let differing = null;
  for (const piece of text.match(PIECES) ?? []) {
    const count = left.get(piece) || 0;
    left.set(piece, count - 1);
    if (!piece.trim() || count > 0) {
      parts.push(piece);
      if (piece.trim()) differing = null;
    } else if (differing && parts.at(-1) === differing) differing.append(piece);
    else parts.push((differing = element("mark", {}, piece)));
  }
  return parts;
}

// The reference, and the translations of two sides, or of `all` systems in a table with their figures.
function textView(detail, sides, all) {
  const given = [otherOf(detail, sides[0]) ?? ""].flat();
  const list = element("dl", { class: "texts" });
  const add = (name, parts) => list.append(element("dt", {}, name), element("dd", { dir: "auto" }, ...parts));
  for (const [at, one] of given.entries()) add(given.length > 1 ? `Reference ${at + 1}` : "Reference", marked(one, [hypOf(detail, sides[0]) ?? ""]));
  const said = (side) => (hypOf(detail, side) === null ? ["no translation"] : marked(hypOf(detail, side), given));
  if (!all) for (const side of sides) add(side.name, said(side));
  const rows = all?.rows.map(({ side, name, figures }) => [name, { text: hypOf(detail, side) ?? "no translation", parts: said(side), dir: "auto", kind: "words" }, ...figures]);
  const table = rows && tableOf({ heads: ["System", "Translation", ...all.heads], sorts: true, rows, texts: 2, name: "Translations of all systems" });
  const made = sides.flatMap((side) => [1, 2, 3].flatMap((n) => matchView(detail.match?.[[...detail.at[side.state], n].join("-")], side, n)));
  const where = given.length > 1 ? "the references" : "the reference";
  return [list, table, element("p", { class: "caption" }, `Marked words are not in ${where}, or not as often; in ${where}, they are not in the translation of ${sides[0].name || "the system"}.`), ...made].filter(Boolean);
}

// TESLA's matching of n-grams: larger dots are more similar, darker ones have more weight.
function matchView(match, side, n) {
  if (!match) return [];
  const [hyp, ref, edges, sums] = match;
  const title = `Matching of ${side.name} with the reference` + (n > 1 ? `, ${n}-grams` : "");
  const { grid, centre } = wordGrid(hyp, ref, `${title}: ${edges.length} matches. The table below lists them.`);
  for (const [i, j, similarity, weight] of edges) {
    const [x, y] = centre(i, j);
    grid.append(svgOf("circle", { cx: x, cy: y, r: (2 + 5 * similarity).toFixed(1), opacity: (0.35 + 0.65 * Math.min(1, weight)).toFixed(2), class: "first" }));
  }
  const rows = edges.map(([i, j, similarity, weight]) => [hyp[i], ref[j], similarity.toFixed(2), weight.toFixed(2)]);
  return [
    element("h3", {}, title),
    scrolled(grid, title),
    element("p", { class: "caption" }, "Rows are words of the translation, columns those of the reference. A dot is a match: the larger, the more alike the words; the fainter, the less they weigh." + (sums ? ` ${sums}.` : "")),
    rowsOf("The matches as a table", { heads: ["Translation", "Reference", "Similarity", "Weight"], rows, texts: 2, name: title }),
  ];
}
