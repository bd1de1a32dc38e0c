// All that changed against the baseline in a run, in one table; what did not is folded away.

const SHORT = () => (page.clientWidth < 560 ? 5 : 10);
let listedMoves;

// The tests of a run, by their rows; of one measure or of all.
const testsOf = (run, measure) => tests.columns.run.flatMap((one, at) => (one === run && (measure === null || tests.columns.measure[at] === measure) ? [at] : []));

// Digits, these or more, with which two figures that differ are told apart: core/rounding.py has the rule.
function telling(value, base, digits) {
  for (let more = digits; more < 12; more++) if (differenceOf(value, base, more)) return more;
  return digits;
}

const markedBy = (text, verdict) => text + (MARKS[verdict] ? ` ${MARKS[verdict]}` : "");

function moves() {
  const { difference, verdict } = tests.columns;
  const clear = (at) => (MARKS[verdict[at]] ? 1 : 0);
  return testsOf(state.run, state.measures ? null : state.measure)
    .filter((at) => difference[at])
    .sort((a, b) => clear(b) - clear(a) || Math.abs(difference[b]) - Math.abs(difference[a]) || a - b);
}

function showMoved() {
  const found = moves();
  const several = index.corpora.length > 1;
  const digits = index.figures.map((_, measure) => digitsOf(testsOf(state.run, measure).map((at) => tests.columns.value[at])));
  const row = (at) => {
    const one = Object.fromEntries(Object.entries(tests.columns).map(([name, column]) => [name, column[at]]));
    const places = telling(one.value, one.baseline_value, digits[one.measure]);
    const corpus = corpusName(one.corpus);
    const { label } = index.figures[one.measure];
    const change = signed(differenceOf(one.value, one.baseline_value, places), places);
    return [
      { text: index.systems[one.system], dir: "auto", href: addressOf({ system: one.system, corpus: one.corpus, measure: one.measure, sid: null, in: null, against: null }), label: `${index.systems[one.system]} on ${corpus}: ${label} ${change}, ${one.verdict}` },
      ...(several ? [{ text: corpus, dir: "auto" }] : []),
      label,
      number(one.baseline_value, places),
      number(one.value, places),
      { text: markedBy(change, one.verdict), small: between(one.difference_low, one.difference_high, places), kind: MARKS[one.verdict] ? one.verdict : null },
      pOf(one.p_corrected).replace("p = ", "").replace("p ", ""),
      one.verdict,
    ];
  };
  const heads = ["System", ...(several ? ["Corpus"] : []), "Measure", "From", "To", "Difference", "p", "Verdict"];
  const table = tableOf({ heads, rows: found.slice(0, listedMoves).map(row), texts: several ? 3 : 2, name: "What changed", all: () => found.map(row) });
  view("moved").replaceChildren(...(found.length ? [table] : []));
  stackAll(false, the("moved"));
  the("more-moved").hidden = found.length <= listedMoves;
  the("moved-said").textContent = movedSaid(found);
  showSame();
}

function movedSaid(found) {
  const of = testsOf(state.run, state.measures ? null : state.measure);
  if (!of.length) return `There is nothing to compare this ${index.step} with.`;
  const verdicts = of.map((at) => tests.columns.verdict[at]);
  const apart = verdicts.filter((one) => one.startsWith("not comparable"));
  const count = (rows, kind) => rows.filter((at) => tests.columns.verdict[at] === kind).length.toLocaleString("en");
  const both = (rows) => `▼ ${count(rows, "worse")} significantly worse, ▲ ${count(rows, "better")} significantly better`;
  const which = state.measures ? "scores" : `scores by ${index.figures[state.measure].label}`;
  const said = `${found.length.toLocaleString("en")} of ${of.length.toLocaleString("en")} ${which} ${isDates() ? "at" : "in the run of"} ${dated(state.run)} differ from ${baselineName()}${found.length ? `: ${both(of)}` : ""}.`;
  const others = testsOf(state.run, null).filter((at) => tests.columns.measure[at] !== state.measure);
  const more = !state.measures && others.some((at) => MARKS[tests.columns.verdict[at]]) ? ` By the other measures: ${both(others)}.` : "";
  return said + more + (apart.length ? ` ${apart.length.toLocaleString("en")} are not comparable (${apart[0].slice(16)}).` : "");
}

// Systems without any change, and those that came or went.
function showSame() {
  const moved = new Map();
  for (const at of testsOf(state.run, null)) moved.set(tests.columns.system[at], moved.get(tests.columns.system[at]) || tests.columns.difference[at] !== 0);
  const has = (run, system) => index.at.some((runs) => runs[run]?.[system] >= 0);
  const every = index.systems.map((_, system) => system);
  const lists = [
    [every.filter((system) => moved.get(system) === false), (names) => `${names} ${index.baseline === "previous" ? "did not change" : "without a difference"}`],
    ...(state.run ? [
      [every.filter((system) => has(state.run, system) && !has(state.run - 1, system)), (names) => `${names} new`],
      [every.filter((system) => !has(state.run, system) && has(state.run - 1, system)), (names) => `${names} no longer there`],
    ] : []),
  ];
  the("same").replaceChildren(...lists.filter(([systems]) => systems.length).map(([systems, say]) => {
    const names = systems.flatMap((system) => [element("a", { href: addressOf({ system, sid: null, in: null, against: null }), dir: "auto" }, index.systems[system]), " "]);
    return element("details", { class: "rows" }, element("summary", {}, say(`${systems.length} ${systems.length === 1 ? "system" : "systems"}`)), element("p", { class: "names" }, ...names));
  }));
}
