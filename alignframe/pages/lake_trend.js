// The trend of a measure over runs: one line per system, broken where signature or data changed.

function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * unit).find((one) => one >= rough * 0.99);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high + 1e-9; at++) found.push(at * step);
  return found;
}

// `lines`: [{system, chosen, points: [{run, value, low, high, segment, mark, title, href}]}].
// Runs stand at their `times`, by which they are sorted, or at equal distances if these are alike.
function trendChart(lines, runs, times, { width, label, chosenRun, breaks, pick }) {
  const height = 300;
  const longest = lines.length > 1 && lines.length <= 12 ? Math.max(...lines.map((one) => one.system.length)) : 0;
  const room = { left: 56, right: longest ? Math.min(150, 16 + longest * 7) : 16, top: 26, bottom: 34 };
  const points = lines.flatMap((one) => one.points);
  const ends = points.flatMap((one) => [one.low ?? one.value, one.high ?? one.value]).filter((one) => one !== null);
  let [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (high === low) [low, high] = [low - 0.5, high + 0.5];
  const margin = (high - low) * 0.06;
  [low, high] = [low - margin, high + margin];
  const inner = width - room.left - room.right;
  const [first, last] = [times[0], times.at(-1)];
  const share = (run) => (last > first ? (times[run] - first) / (last - first) : runs.length > 1 ? run / (runs.length - 1) : 0.5);
  const x = (run) => room.left + share(run) * inner;
  const y = (value) => room.top + ((high - value) / (high - low)) * (height - room.top - room.bottom);
  const chart = svgOf("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", tabindex: 0, "aria-label": label, class: "trend" });
  for (const value of ticks(low, high, 5)) {
    chart.append(svgOf("line", { x1: room.left, x2: width - room.right, y1: y(value), y2: y(value), class: "rule" }));
    chart.append(svgOf("text", { x: room.left - 8, y: y(value) + 4, "text-anchor": "end", class: "tick" }, number(value, high - low < 0.1 ? 3 : high > 10 ? 0 : 2)));
  }
  let written = -Infinity;
  runs.forEach((name, run) => {
    if (x(run) < written + 110) return;
    written = x(run);
    chart.append(svgOf("text", { x: x(run), y: height - 12, "text-anchor": run ? (x(run) > width - room.right - 30 ? "end" : "middle") : "start", class: "tick" }, name));
  });
  if (chosenRun !== null) chart.append(svgOf("line", { x1: x(chosenRun), x2: x(chosenRun), y1: room.top, y2: height - room.bottom, class: "chosen-run" }));
  for (const { run, why } of breaks) {
    const at = (x(run - 1) + x(run)) / 2;
    chart.append(svgOf("line", { x1: at, x2: at, y1: room.top - 8, y2: height - room.bottom, class: "break" }));
    chart.append(svgOf("text", { x: at, y: room.top - 12, "text-anchor": at > width / 2 ? "end" : "start", class: "tick break-name" }, why));
  }
  for (const line of [...lines].sort((a, b) => a.chosen - b.chosen)) {
    const group = svgOf("g", { class: line.chosen ? "line chosen" : "line" });
    const segments = grouped(line.points, (one) => one.segment);
    for (const mine of segments.values()) {
      const known = mine.filter((one) => one.value !== null);
      if (line.chosen) {
        const band = known.filter((one) => one.low !== null);
        const edge = [...band.map((one) => [x(one.run), y(one.high)]), ...band.toReversed().map((one) => [x(one.run), y(one.low)])];
        if (band.length > 1) group.append(svgOf("polygon", { points: edge.map((one) => one.map((side) => side.toFixed(1)).join(",")).join(" "), class: "band" }));
        if (band.length === 1) group.append(svgOf("line", { x1: x(band[0].run), x2: x(band[0].run), y1: y(band[0].low), y2: y(band[0].high), class: "whisker" }));
      }
      group.append(svgOf("polyline", { points: known.map((one) => `${x(one.run).toFixed(1)},${y(one.value).toFixed(1)}`).join(" ") }));
      for (const one of known) {
        const large = one.mark || one.run === chosenRun || mine.length === 1 || runs.length <= 40;
        const [left, top] = [x(one.run), y(one.value)];
        const mark = { better: `M${left},${top - 6}l6,10h-12z`, worse: `M${left},${top + 6}l6,-10h-12z` }[one.mark];
        const drawn = mark
          ? svgOf("path", { d: mark, class: one.mark })
          : svgOf("circle", { cx: left, cy: top, r: line.chosen && large ? 3.5 : 1.8, class: "point" });
        drawn.append(svgOf("title", {}, one.title));
        drawn.addEventListener("click", () => pick(one.run, line.system));
        group.append(drawn);
      }
    }
    chart.append(group);
  }
  const named = lines.length > 1 && lines.length <= 12 ? lines : [];
  for (const { line, top } of apart(named, y)) {
    const name = svgOf("text", { x: width - room.right + 8, y: top + 4, class: line.chosen ? "name chosen" : "name" }, fitting(line.system, (room.right - 8) / 7.5));
    name.append(svgOf("title", {}, line.system));
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

// A name of at most this many characters: its middle is left out, as names differ at their ends.
function fitting(name, most) {
  const all = [...name];
  const half = Math.floor((most - 1) / 2);
  return all.length <= most ? name : `${all.slice(0, half).join("")}…${all.slice(-half).join("")}`;
}

// Positions of the names of lines: next to their last points, without overlap.
function apart(lines, y) {
  const found = lines.map((line) => ({ line, last: line.points.findLast((one) => one.value !== null) })).filter((one) => one.last);
  const names = found.map(({ line, last }) => ({ line, top: y(last.value) })).sort((a, b) => a.top - b.top);
  names.forEach((one, at) => at && (one.top = Math.max(one.top, names[at - 1].top + 14)));
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
