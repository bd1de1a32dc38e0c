// A system in a run beside any other: scores by corpus, and wins and losses over sentences.

// What a system is compared with on a corpus: what was chosen, or the baseline of its test.
function baseOf(corpus) {
  if (state.against) return state.against;
  const test = tests.at(state.run, corpus, state.system, state.measure);
  return test && [test.baseline_run, test.baseline_system];
}

// What its sentences are compared with: where all corpora are shown, those of one run.
const baseOfSentences = (corpus) => baseOf(state.corpus) ?? baseOf(corpus);

// The test against it, if there is one.
function testAgainst(corpus) {
  const test = tests.at(state.run, corpus, state.system, state.measure);
  const base = baseOf(corpus);
  return test && base && test.baseline_run === base[0] && test.baseline_system === base[1] ? test : null;
}

const sideName = ([run, system]) => [index.systems[system], dated(run), ...index.labels[run]].join(", ");

function areComparable(corpus, base) {
  const [now, then] = [stateOf(corpus, state.run, state.system), stateOf(corpus, ...base)];
  return now >= 0 && then >= 0 && index.grounds[corpus][now] === index.grounds[corpus][then];
}

function showCompared() {
  const own = [state.run, state.system];
  const base = baseOf(state.corpus);
  const { label, lower } = index.figures[state.measure];
  the("as-tested").hidden = !state.against;
  the("compare-title").textContent = base ? `${sideName(own)}, compared with ${sideName(base)}` : "Compared";
  the("histogram").replaceChildren();
  if (!base) {
    the("compare-said").textContent = `${sideName(own)} has no baseline: choose what to compare it with.`;
    return view("compare").replaceChildren();
  }
  const order = corporaInOrder();
  const at = (corpus, [run, system]) => scores.at(run, corpus, system, state.measure)?.value ?? null;
  const digits = digitsOf(order.flatMap((corpus) => [at(corpus, own), at(corpus, baseOf(corpus) ?? base)]));
  const rowOf = (corpus) => {
    const other = baseOf(corpus) ?? base;
    const [now, then] = [at(corpus, own), at(corpus, other)];
    const test = testAgainst(corpus);
    const both = now !== null && then !== null;
    const comparable = both && areComparable(corpus, other);
    const places = both ? telling(now, then, digits) : digits;
    return [
      { text: corpusName(corpus), dir: "auto", href: addressOf({ corpus, sid: null, in: null }), current: corpus === state.corpus ? "true" : null },
      then === null ? "" : number(then, places),
      now === null ? "" : number(now, places),
      { text: comparable ? markedBy(signed(differenceOf(now, then, places), places), test?.verdict) : "", small: test ? between(test.difference_low, test.difference_high, places) : "", kind: test && MARKS[test.verdict] ? test.verdict : null },
      test ? pOf(test.p_corrected).replace("p = ", "").replace("p ", "") : "",
      test?.verdict ?? (both ? (comparable ? "not tested" : "not comparable") : "missing"),
    ];
  };
  // Of many corpora, those without a difference are only counted.
  const differs = (corpus) => !areComparable(corpus, baseOf(corpus) ?? base) || at(corpus, own) !== at(corpus, baseOf(corpus) ?? base);
  const shown = order.length > 12 ? order.filter((corpus) => corpus === state.corpus || index.corpora[corpus] === null || differs(corpus)) : order;
  const rows = shown.map(rowOf);
  const heads = ["Corpus", index.baseline === "best" && !state.against ? "Best before" : sideName(base), sideName(own), "Difference", "p", "Verdict"];
  view("compare").replaceChildren(tableOf({ heads, rows, name: `${label} compared`, all: () => order.map(rowOf) }));
  stackAll(false, the("compare"));
  const untested = order.some((corpus) => testAgainst(corpus)) ? "" : ` This pair is not tested${state.against ? testedBy(base) : ""}.`;
  the("compare-said").textContent = `${label}, ${lower ? "lower" : "higher"} is better.${untested}${shown.length < order.length ? ` ${order.length - shown.length} corpora have the same ${label}.` : ""}`;
}

// With which baseline a page tests a pair, if there is one.
function testedBy([run, system]) {
  if (run === state.run && system === state.system) return "";
  const name = run === state.run ? index.systems[system] : system === state.system ? index.runs[run] : null;
  return name === null ? "" : `; a page with --baseline ${name} tests it`;
}

// Wins and losses over sentences: how many changed by how much.
function showHistogram() {
  const place = the("histogram");
  const compared = every.filter((one) => one.change !== null);
  the("save-histogram").hidden = !compared.length;
  if (!compared.length) return place.replaceChildren();
  const { label, lower } = index.figures[state.measure];
  const changed = compared.filter((one) => Math.abs(one.change) > 1e-9);
  const worse = changed.filter((one) => one.change > 0 === lower).length;
  const said = `${label} on ${corpusName(state.corpus)}: ${[worse, changed.length - worse, compared.length - changed.length].map((n) => n.toLocaleString("en")).join(" · ").replace(/(.*) · (.*) · (.*)/, `$1 ${index.unit}s worse, $2 better, $3 the same`)}.`;
  const chart = changed.length ? histogram(changed.map((one) => one.change), lower, { width: Math.max(280, Math.min(place.clientWidth || 700, 700)), label: said }) : null;
  place.replaceChildren(element("p", { class: "said" }, said), ...(chart ? [chart] : []));
}

function histogram(values, lower, { width, label }) {
  const height = 190;
  const room = { left: 44, right: 12, top: 10, bottom: 38 };
  const largest = values.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  const marks = ticks(-largest, largest, 8);
  const step = marks.length > 1 ? marks[1] - marks[0] : largest;
  const size = step / 4; // no bin has both signs
  const sides = Math.ceil(largest / size - 1e-9);
  const counts = new Array(2 * sides).fill(0);
  for (const one of values) counts[sides + (one > 0 ? Math.ceil(one / size - 1e-9) - 1 : Math.floor(one / size + 1e-9))] += 1;
  const most = Math.max(...counts);
  const x = (value) => room.left + ((value / size + sides) / (2 * sides)) * (width - room.left - room.right);
  const y = (count) => height - room.bottom - (count / most) * (height - room.top - room.bottom);
  const chart = svgOf("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, class: "trend" });
  for (const count of ticks(0, most, 4).filter(Number.isInteger)) {
    chart.append(svgOf("line", { x1: room.left, x2: width - room.right, y1: y(count), y2: y(count), class: "rule" }));
    chart.append(svgOf("text", { x: room.left - 8, y: y(count) + 4, "text-anchor": "end", class: "tick" }, count.toLocaleString("en")));
  }
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  counts.forEach((count, bin) => {
    if (!count) return;
    const [from, to] = [(bin - sides) * size, (bin + 1 - sides) * size];
    const bar = svgOf("rect", { x: x(from) + 0.5, width: Math.max(1, x(to) - x(from) - 1), y: y(count), height: height - room.bottom - y(count), class: from >= 0 === lower ? "worse" : "better" });
    bar.append(svgOf("title", {}, `${signed(from, digits + 2)} to ${signed(to, digits + 2)}: ${count.toLocaleString("en")}`));
    chart.append(bar);
  });
  for (const mark of marks) chart.append(svgOf("text", { x: x(mark), y: height - room.bottom + 16, "text-anchor": "middle", class: "tick" }, mark ? signed(mark, digits) : "0"));
  const [left, right] = lower ? ["better", "worse"] : ["worse", "better"];
  chart.append(svgOf("text", { x: room.left, y: height - 4, class: `tick ${left}` }, `◀ ${left}`));
  chart.append(svgOf("text", { x: width - room.right, y: height - 4, "text-anchor": "end", class: `tick ${right}` }, `${right} ▶`));
  return chart;
}

// Grids of two alignments side by side, each with gold.
function gridsBeside(detail, sides) {
  return [element("div", { class: "beside" }, ...sides.map((side) => element("div", {}, element("h3", {}, side.name), ...linkView(detail, [side]))))];
}
