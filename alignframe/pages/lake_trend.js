// The trend of a measure over runs: one line per system, broken where signature or data changed.

function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * unit).find((one) => one >= rough * 0.99);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high + 1e-9; at++) found.push(at * step);
  return found;
}

// `lines`: [{system, chosen, points: [{run, value, low, high, segment, mark, title}]}].
// Runs stand at their `times`, by which they are sorted, or at equal distances if these are alike.
// The scale is that of the chosen system's change, unless the `whole` of all lines is asked for.
function trendChart(lines, runs, times, { width, label, chosenRun, breaks, whole, pick }) {
  const height = 300;
  const longest = lines.length > 1 ? Math.max(...lines.map((one) => one.system.length)) : 0;
  const room = { left: 56, right: longest ? Math.min(150, width / 4, 16 + longest * 7) : 16, top: 26, bottom: 34 };
  const own = lines.filter((one) => whole || one.chosen).flatMap((one) => one.points).filter((one) => one.value !== null);
  const range = (ends) => [Math.min(...ends), Math.max(...ends)];
  let [low, high] = range(own.map((one) => one.value));
  // Where nothing changed, intervals give the scale.
  if (whole || high === low) [low, high] = range(own.flatMap((one) => [one.low ?? one.value, one.high ?? one.value]));
  if (!own.length || high === low) [low, high] = own.length ? [low - 0.5, high + 0.5] : [0, 1];
  const margin = (high - low) * (whole ? 0.06 : 0.2);
  [low, high] = [low - margin, high + margin];
  const inner = width - room.left - room.right;
  const [first, last] = [times[0], times.at(-1)];
  const share = (run) => (last > first ? (times[run] - first) / (last - first) : runs.length > 1 ? run / (runs.length - 1) : 0.5);
  const x = (run) => room.left + share(run) * inner;
  const y = (value) => room.top + ((high - value) / (high - low)) * (height - room.top - room.bottom);
  const chart = svgOf("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", tabindex: 0, "aria-label": label, class: "trend" });
  const marks = ticks(low, high, 5);
  const digits = marks.length > 1 ? Math.max(0, Math.ceil(-Math.log10(marks[1] - marks[0]) - 1e-9)) : 2;
  for (const value of marks) {
    chart.append(svgOf("line", { x1: room.left, x2: width - room.right, y1: y(value), y2: y(value), class: "rule" }));
    chart.append(svgOf("text", { x: room.left - 8, y: y(value) + 4, "text-anchor": "end", class: "tick" }, number(value, digits)));
  }
  let written = -Infinity;
  runs.forEach((name, run) => {
    if (x(run) < written + 110) return;
    written = x(run);
    chart.append(svgOf("text", { x: x(run), y: height - 12, "text-anchor": run ? (x(run) > width - room.right - 30 ? "end" : "middle") : "start", class: "tick" }, name));
  });
  const clip = svgOf("clipPath", { id: "plot" }, svgOf("rect", { x: room.left - 8, y: room.top - 8, width: inner + 16, height: height - room.top - room.bottom + 16 }));
  const plot = svgOf("g", { "clip-path": "url(#plot)" });
  chart.append(clip, plot);
  if (chosenRun !== null) plot.append(svgOf("line", { x1: x(chosenRun), x2: x(chosenRun), y1: room.top, y2: height - room.bottom, class: "chosen-run" }));
  for (const { run, why } of breaks) {
    const at = (x(run - 1) + x(run)) / 2;
    chart.append(svgOf("line", { x1: at, x2: at, y1: room.top - 8, y2: height - room.bottom, class: "break" }));
    chart.append(svgOf("text", { x: at, y: room.top - 12, "text-anchor": at > width / 2 ? "end" : "start", class: "tick break-name" }, why));
  }
  for (const line of [...lines].sort((a, b) => a.chosen - b.chosen)) plot.append(lineOf(line, { x, y, chosenRun, few: runs.length <= 40, pick }));
  const seen = ({ points }) => {
    const last = points.findLast((one) => one.value !== null);
    return last && last.value >= low && last.value <= high;
  };
  const named = lines.length > 1 ? lines.filter((one) => one.chosen || (lines.length <= 12 && seen(one))) : [];
  for (const { line, top } of apart(named, y, room.top, height - room.bottom)) {
    const name = svgOf("text", { x: width - room.right + 8, y: top + 4, class: line.chosen ? "name chosen" : "name" }, fitting(line.system, (room.right - 8) / 7.5));
    name.append(svgOf("title", {}, line.system));
    name.addEventListener("click", () => pick(chosenRun, line.system));
    chart.append(name);
  }
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!step) return;
    event.preventDefault();
    pick(Math.min(runs.length - 1, Math.max(0, (chosenRun ?? 0) + step)), null);
  });
  return chart;
}

// The line of a system; the chosen one has points, marks and the band of its intervals.
function lineOf(line, { x, y, chosenRun, few, pick }) {
  const group = svgOf("g", { class: line.chosen ? "line chosen" : "line" });
  const place = (run, value) => `${x(run).toFixed(1)},${y(value).toFixed(1)}`;
  for (const mine of grouped(line.points, (one) => one.segment).values()) {
    const known = mine.filter((one) => one.value !== null);
    if (line.chosen) {
      const band = known.filter((one) => one.low !== null);
      const edge = [...band.map((one) => place(one.run, one.high)), ...band.toReversed().map((one) => place(one.run, one.low))];
      if (band.length > 1) group.append(svgOf("polygon", { points: edge.join(" "), class: "band" }));
      if (band.length === 1) group.append(svgOf("line", { x1: x(band[0].run), x2: x(band[0].run), y1: y(band[0].low), y2: y(band[0].high), class: "whisker" }));
    }
    group.append(svgOf("polyline", { points: known.map((one) => place(one.run, one.value)).join(" ") }));
    for (const one of line.chosen || known.length === 1 ? known : []) {
      const large = one.mark || one.run === chosenRun || mine.length === 1 || few;
      const [left, top] = [x(one.run), y(one.value)];
      const mark = line.chosen && { better: `M${left},${top - 6}l6,10h-12z`, worse: `M${left},${top + 6}l6,-10h-12z` }[one.mark];
      const drawn = mark
        ? svgOf("path", { d: mark, class: one.mark })
        : svgOf("circle", { cx: left, cy: top, r: line.chosen && large ? 3.5 : 1.8, class: "point" });
      if (line.chosen) drawn.append(svgOf("title", {}, one.title));
      drawn.addEventListener("click", () => pick(one.run, line.system));
      group.append(drawn);
    }
  }
  if (!line.chosen) {
    group.append(svgOf("title", {}, line.system));
    group.addEventListener("click", () => pick(chosenRun, line.system));
  }
  return group;
}

// Downloads a chart as a file of its own, with the colours that are seen.
function saveSvg(chart, name) {
  const style = getComputedStyle(page);
  const colour = (text) => text.replace(/var\((--[\w-]+)\)/g, (_, which) => style.getPropertyValue(which).trim());
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.selectorText?.startsWith(".trend")).map((rule) => colour(rule.cssText));
  const copy = chart.cloneNode(true);
  copy.prepend(svgOf("style", {}, [`text { font-family: Helvetica, Arial, sans-serif; }`, ...rules].join("\n")), svgOf("rect", { width: "100%", height: "100%", fill: style.getPropertyValue("--paper").trim() }));
  const text = new XMLSerializer().serializeToString(copy);
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), download: `${[name, index.figures[state.measure].name, index.systems[state.system], corpusName(state.corpus)].join("-").replace(/[^\p{L}\p{N}.-]+/gu, "_")}.svg` });
  chart.dataset.saved = text; // lets tests read it
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A name of at most this many characters: its middle is left out, as names differ at their ends.
function fitting(name, most) {
  const all = [...name];
  const half = Math.floor((most - 1) / 2);
  return all.length <= most ? name : `${all.slice(0, half).join("")}…${all.slice(-half).join("")}`;
}

// Positions of the names of lines: next to their last points, without overlap, between two ends.
function apart(lines, y, top, bottom) {
  const found = lines.map((line) => ({ line, last: line.points.findLast((one) => one.value !== null) })).filter((one) => one.last);
  const names = found.map(({ line, last }) => ({ line, top: Math.min(bottom, Math.max(top, y(last.value))) })).sort((a, b) => a.top - b.top);
  names.forEach((one, at) => at && (one.top = Math.max(one.top, names[at - 1].top + 14)));
  names.toReversed().forEach((one, at, all) => (one.top = Math.min(one.top, at ? all[at - 1].top - 14 : bottom)));
  return names;
}

function grouped(values, key) {
  const found = new Map();
  for (const one of values) {
    if (!found.has(key(one))) found.set(key(one), []);
    found.get(key(one)).push(one);
  }
  return found;
}
