// The views of a dashboard. Their state is in the page's address: run, measure, corpus, system, sid,
// and what the system is compared with.

const NOTHING = 0xffff; // a figure that is undefined
const ALL = "All";
const MARKS = { better: "▲", worse: "▼" };
const BASE = -2; // the baseline, as the column next to a sentence
let index, scores, tests, state, drawn;

const corpusName = (at) => index.corpora[at] ?? ALL;
// To the minute, or to the second if runs follow closely.
const precision = () => once("precision", () => (new Set(index.started.map((one) => one.slice(0, 16))).size < index.runs.length ? 19 : 16));
const isDates = () => index.step === "date";
const dated = (run) => (isDates() ? index.runs[run] : index.started[run].replace("T", " ").slice(0, precision()));
// Runs on the same day are shown with the time.
const named = (run) => isDates() ? dated(run) : (dated(0).slice(0, 10) === dated(index.runs.length - 1).slice(0, 10) ? dated(run).slice(11) : dated(run).slice(0, 10));

// Addresses

function fromAddress() {
  const given = inAddress();
  const known = (name, values, otherwise) => {
    const at = values.indexOf(given.get(name));
    return at < 0 ? otherwise : at;
  };
  // A run is found by its label as well.
  const runOf = (name, otherwise) => {
    const labelled = index.labels.findLastIndex((labels) => labels.includes(given.get(name)));
    return known(name, index.runs, labelled < 0 ? otherwise : labelled);
  };
  const run = runOf("run", index.runs.length - 1);
  const measure = known("measure", index.figures.map((one) => one.name), index.main);
  const corpora = index.corpora.map((one) => one ?? "");
  const corpus = known("corpus", corpora, index.corpora.length - 1);
  const present = index.systems.map((_, system) => system).filter((system) => index.at[corpus][run][system] >= 0);
  // By default the system that changed most.
  const change = (system) => Math.abs(tests.at(run, corpus, system, measure)?.difference ?? 0);
  const system = known("system", index.systems, present.reduce((most, one) => (change(one) > change(most) ? one : most), present[0] ?? 0));
  const withRun = runOf("with-run", given.has("with") ? run : -1);
  const against = withRun < 0 ? null : [withRun, known("with", index.systems, system)];
  const beside = given.get("beside") ?? (against && !given.has("other") ? "baseline" : "");
  return {
    run, measure, corpus, system, against, sid: given.get("sid"), in: given.get("in"),
    other: beside === "baseline" ? BASE : known("other", index.systems, -1),
    scale: given.get("scale") === "all" ? "all" : "", measures: given.get("measures") === "all" ? "all" : "",
  };
}

function addressOf(changes) {
  const one = { ...state, ...changes };
  const words = {
    run: index.runs[one.run],
    measure: index.figures[one.measure].name,
    corpus: index.corpora[one.corpus] ?? "",
    system: index.systems[one.system],
  };
  if (one.sid !== null) Object.assign(words, { sid: one.sid });
  if (one.sid !== null && one.in !== null) Object.assign(words, { in: one.in });
  if (one.other >= 0) Object.assign(words, { other: index.systems[one.other] });
  if (one.other === BASE) Object.assign(words, { beside: "baseline" });
  if (one.other === -1 && one.against) Object.assign(words, { beside: "gold" });
  if (one.against) Object.assign(words, { "with-run": index.runs[one.against[0]], with: index.systems[one.against[1]] });
  for (const name of ["scale", "measures"]) if (one[name]) Object.assign(words, { [name]: one[name] });
  return withFilters(words);
}

function go(changes) {
  location.hash = addressOf(changes);
}

// The figures of sentences: rows are states, each stored as the difference from the previous one.
function figuresOf(corpus, measure, columns) {
  const name = `v-${corpus}-${measure}`;
  return once(name, async () => {
    const bytes = await bytesOf(name);
    const size = bytes.length / 2;
    const steps = new Uint16Array(size);
    for (let at = 0; at < size; at++) steps[at] = (bytes[at] | (bytes[size + at] << 8)) + (at >= columns ? steps[at - columns] : 0);
    return steps;
  });
}

// Rows of a columnar table, looked up by run, corpus, system and measure.
class Found {
  constructor(columns, index) {
    this.columns = columns;
    this.sizes = [index.corpora.length, index.systems.length, index.figures.length];
    this.rows = new Map();
    for (let at = 0; at < columns.run.length; at++)
      this.rows.set(this.key(columns.run[at], columns.corpus[at], columns.system[at], columns.measure[at]), at);
  }
  key(run, corpus, system, measure) {
    const [corpora, systems, measures] = this.sizes;
    return ((run * corpora + corpus) * systems + system) * measures + measure;
  }
  at(run, corpus, system, measure) {
    const row = this.rows.get(this.key(run, corpus, system, measure));
    if (row === undefined) return null;
    return Object.fromEntries(Object.entries(this.columns).map(([name, column]) => [name, column[row]]));
  }
}

// Systems and corpora

function cellOf(run, corpus, system, digits) {
  const score = scores.at(run, corpus, system, state.measure);
  if (!score) return { text: "", kind: "none" };
  const test = tests.at(run, corpus, system, state.measure);
  const mark = MARKS[test?.verdict] || "";
  const label = index.figures[state.measure].label;
  const range = between(score.value_low, score.value_high, digits);
  const said = [
    `${index.systems[system]} on ${corpusName(corpus)}: ${label} ${number(score.value, digits)}`,
    range && `interval ${range}`,
    test && `${test.verdict}${test.difference === null ? "" : `, ${signed(differenceOf(test.value, test.baseline_value, digits), digits)}`}`,
    test && pOf(test.p_corrected),
  ];
  return {
    text: `${number(score.value, digits)}${mark && " " + mark}`,
    small: range,
    href: addressOf({ corpus, system, sid: null, in: null, against: null }),
    label: said.filter(Boolean).join("; "),
    kind: test && MARKS[test.verdict] ? test.verdict : null,
    current: corpus === state.corpus && system === state.system ? "true" : null,
  };
}

const corporaInOrder = () => index.corpora.map((_, at) => at).sort((a, b) => (index.corpora[a] === null ? -1 : index.corpora[b] === null ? 1 : a - b));
const baselineName = () => ({ previous: `the ${index.step} before`, best: `the best ${index.step} before` })[index.baseline] ?? `baseline ${index.baseline}`;

function showOverview() {
  const order = corporaInOrder();
  const mine = (found) => found.columns.run.map((run, at) => [run, at]).filter(([run, at]) => run === state.run && found.columns.measure[at] === state.measure);
  const digits = digitsOf(mine(scores).map(([, at]) => scores.columns.value[at]));
  const rows = index.systems.map((name, system) => [{ text: name, dir: "auto" }, ...order.map((corpus) => cellOf(state.run, corpus, system, digits))]);
  const { label, lower } = index.figures[state.measure];
  // A figure chosen by the keyboard keeps the focus in the new table.
  const links = () => [...view("overview").querySelectorAll("a")];
  const focused = links().indexOf(document.activeElement);
  view("overview").replaceChildren(tableOf({ heads: ["System", ...order.map(corpusName)], rows, name: `${label} of systems and corpora` }));
  the("overview").classList.toggle("few", order.length < 4);
  links()[focused]?.focus();
  stackAll(false, the("overview"));
  const verdicts = mine(tests).map(([, at]) => tests.columns.verdict[at]);
  const count = (kind) => verdicts.filter((one) => one === kind).length;
  const apart = verdicts.find((one) => one.startsWith("not comparable"));
  the("overview-said").textContent = `${label}, ${lower ? "lower" : "higher"} is better; ${isDates() ? "" : "run of "}${dated(state.run)}. ` + (
    verdicts.length
      ? `Against ${baselineName()}: ▼ ${count("worse")} worse, ▲ ${count("better")} better, ` + ["not significant", "unchanged", "not tested", "too few resamples"].filter((kind, at) => at < 2 || count(kind)).map((kind) => `${count(kind)} ${kind}`).join(", ") + (apart ? `, ${verdicts.filter((one) => one.startsWith("not comparable")).length} not comparable (${apart.slice(16)})` : "") + "."
      : `There is nothing to compare this ${index.step} with.`
  );
}

// Trend

function trendLine(system) {
  const chosen = system === state.system;
  const points = [];
  for (let run = 0; run < index.runs.length; run++) {
    const score = scores.at(run, state.corpus, system, state.measure);
    if (!score) continue;
    const one = { run, value: score.value, low: score.value_low, high: score.value_high, segment: score.segment };
    // Only the chosen line has marks, and points that say what they are.
    if (chosen) {
      const test = tests.at(run, state.corpus, system, state.measure);
      const digits = digitsOf([score.value]);
      const title = `${index.systems[system]}, ${dated(run)}: ${number(score.value, digits)} [${between(score.value_low, score.value_high, digits)}]${test ? `; ${test.verdict} ${pOf(test.p_corrected)}` : ""}`;
      Object.assign(one, { mark: MARKS[test?.verdict] ? test.verdict : null, title, test });
    }
    points.push(one);
  }
  return { system: index.systems[system], chosen, points };
}

function showTrend() {
  const lines = index.systems.map((_, system) => trendLine(system)).filter((one) => one.points.length);
  const chosen = lines.find((one) => one.chosen);
  const place = view("trend");
  if (!chosen) return place.replaceChildren(element("p", { class: "said" }, "This system was not scored on this corpus."));
  const breaks = [];
  chosen.points.forEach((one, at) => {
    const before = chosen.points[at - 1];
    if (!before || before.segment === one.segment) return;
    const why = one.test?.verdict.startsWith("not comparable") ? one.test.verdict.slice(16) : index.signature_of[one.run] === index.signature_of[before.run] ? "data changed" : "signature changed";
    breaks.push({ run: one.run, why });
  });
  const { label } = index.figures[state.measure];
  const said = `${label} on ${corpusName(state.corpus)} over ${index.runs.length} ${index.step}s, ${lines.length} ${lines.length === 1 ? "system" : "systems"}, ${chosen.system} in front. Arrow keys choose a ${index.step}.`;
  const focused = place.contains(document.activeElement);
  const chart = trendChart(lines, index.started.map((_, run) => named(run)), index.started.map(Date.parse), {
    width: Math.max(280, place.clientWidth || 900), label: said, chosenRun: state.run, breaks, whole: state.scale === "all",
    pick: (run, system) => go({ run, system: system === null ? state.system : index.systems.indexOf(system), sid: null, in: null }),
  });
  place.replaceChildren(chart);
  if (focused) chart.focus();
  const notes = ["labels", "revisions"].filter((name) => index[name].some((one) => one?.length));
  const heads = [capital(index.step), ...(isDates() ? [] : ["Started"]), label, "Difference", "Verdict", "p (corrected)", ...notes.map((name) => capital(name.slice(0, -1)))];
  const digits = digitsOf(chosen.points.map((one) => one.value));
  const rows = () => chosen.points.toReversed().map((one) => [
    { text: index.runs[one.run], href: addressOf({ run: one.run, sid: null, in: null }) }, ...(isDates() ? [] : [dated(one.run)]),
    { text: number(one.value, digits), small: between(one.low, one.high, digits) },
    one.test && one.test.difference !== null ? signed(differenceOf(one.value, one.test.baseline_value, digits), digits) : "", one.test ? one.test.verdict : "", one.test ? pOf(one.test.p_corrected).replace("p = ", "") : "",
    ...notes.map((name) => ({ text: [index[name][one.run] ?? ""].flat().join(", "), dir: "auto" })),
  ]);
  // Rendered when first shown: hundreds of rows cost more than the rest of the first view.
  const list = the("trend").querySelector(".rows");
  list.ontoggle = () => {
    if (!list.open) return;
    list.querySelector(".table").replaceChildren(tableOf({ heads, rows: rows(), texts: heads.indexOf(label), name: "Trend" }));
    stackAll(false, list);
  };
  list.ontoggle();
}

// Sentences

const corporaShown = () => (index.corpora[state.corpus] === null && index.corpora.length > 1 ? index.corpora.map((_, at) => at).filter((at) => index.corpora[at] !== null) : [state.corpus]);

function stateOf(corpus, run, system) {
  return index.at[corpus][run]?.[system] ?? -1;
}

// The figures of all sentences of a corpus now and in the baseline.
async function sentencesOf(corpus) {
  const { units, size, length } = await json(`u-${corpus}`);
  const shape = index.shapes[corpus][state.measure];
  const steps = await figuresOf(corpus, state.measure, units.length);
  const base = baseOfSentences(corpus);
  const now = stateOf(corpus, state.run, state.system);
  const then = base ? stateOf(corpus, ...base) : -1;
  const comparable = base && areComparable(corpus, base);
  const value = (at, unit) => {
    const step = at < 0 ? NOTHING : steps[at * units.length + unit];
    return step === NOTHING ? null : shape.low + step / 10 ** shape.digits;
  };
  const details = await json(`d-${corpus}`);
  if (now < 0) return [];
  const line = async (at) => (await json(`w-${corpus}`))[at];
  return units.map((unit, at) => {
    const [mine, before] = [value(now, at), comparable ? value(then, at) : null];
    const change = mine === null || before === null ? null : mine - before;
    return { corpus, unit, size: size[at], length: length?.[at] ?? size[at], words: length && (() => line(at)), value: mine, before, change, digits: shape.digits, detail: details[unit], opens: [now, then].some((state) => details[unit]?.at[state]) };
  }).filter((one) => one.value !== null || one.before !== null);
}

// The links or translations shown: those of the system in this run, and those beside it.
function sidesOf(corpus) {
  const base = state.other === BASE ? baseOfSentences(corpus) : state.other < 0 ? null : [state.run, state.other];
  const sides = [[state.run, state.system], ...(base ? [base] : [])];
  // Of two runs, both sides have the date.
  const date = (run) => (base && base[0] !== state.run ? `, ${dated(run)}` : "");
  return sides.map(([run, system]) => ({ name: index.systems[system] + date(run), run, state: stateOf(corpus, run, system) }));
}

function whyGone(side) {
  const what = index.kind === "links" ? "links" : "translations";
  if (side.state < 0) return `not scored ${isDates() ? "at" : "in"} this ${index.step}.`;
  if (side.run < index.recent) return `the page holds the ${what} of the last ${index.runs.length - index.recent} ${index.step}s and of their baselines.`;
  return `the ${what} of this ${index.step} are gone: their files were overwritten, and no copy was kept, as for large files. A folder for each run, or a Delta or Iceberg table, keeps them.`;
}

// Controls

function showControls() {
  const numbered = (names) => names.map((name, at) => [at, name]);
  options(the("run"), index.runs.map((_, run) => [run, [dated(run) + (run === index.runs.length - 1 ? (index.idle ? " (last change)" : " (last)") : ""), ...index.labels[run]].join(", ")]).toReversed(), state.run);
  options(the("measure"), numbered(index.figures.map((one) => one.label)), state.measure);
  options(the("corpus"), numbered(index.corpora.map((_, at) => corpusName(at))), state.corpus);
  options(the("system"), numbered(index.systems), state.system);
  const base = baseOf(state.corpus);
  options(the("measures"), [["", index.figures[state.measure].label], ["all", "all"]], state.measures);
  the("scale").value = state.scale;
  options(the("with-run"), [...(base ? [] : [["", "–"]]), ...index.runs.map((_, run) => [run, [dated(run), ...index.labels[run]].join(", ")]).toReversed()], base ? base[0] : "");
  options(the("with-system"), numbered(index.systems), base ? base[1] : state.system);
}

// What can be beside an opened sentence, marked if the page does not have it.
function showBeside(one) {
  const base = baseOf(state.corpus);
  const what = index.kind === "texts" ? "translation" : "links";
  const choice = (at, name, side) => [at, one?.detail && !one.detail.at[stateOf(one.corpus, ...side)] ? `${name} (no ${what} here)` : name];
  const based = base ? [choice(BASE, state.against ? sideName(base) : index.baseline === "previous" ? `the ${index.step} before` : "the baseline", (one && baseOfSentences(one.corpus)) || base)] : [];
  const systems = index.systems.map((name, at) => choice(at, name, [state.run, at])).filter(([at]) => at !== state.system);
  options(the("other"), [[-1, index.kind === "texts" ? "the reference only" : "gold only"], ...based, ...systems], state.other);
  the("other").parentElement.hidden = !index.kind;
}

// What the list of sentences shows; see sentences.js.
function sourceOf(before) {
  const { label, lower } = index.figures[state.measure];
  const several = corporaShown().length > 1;
  const corpus = several ? index.corpora.indexOf(state.in) : corporaShown()[0];
  const keys = (one) => ({ sid: String(one.unit), in: several ? index.corpora[one.corpus] : null });
  const compared = every.some((one) => one.before !== null);
  const beforeName = state.against ? "Other" : index.baseline === "previous" ? "Before" : "Baseline";
  const figure = (value, one) => (value === null ? "" : number(value, one.digits));
  const what = index.kind === "links" ? "words and links" : "translations";
  const weight = (one) => Math.abs(one.change || 0) * one.size;
  const runs = [...index.runs, ...index.labels.flat()];
  const corpora = index.corpora.map((one) => one ?? "");
  return {
    names: {
      run: runs, measure: index.figures.map((one) => one.name), corpus: corpora, system: index.systems, other: index.systems, "with-run": runs, with: index.systems,
      beside: ["baseline", "gold"], scale: ["all"], measures: ["all"], sid: null, in: corpora,
    },
    unit: index.unit, counted: `${index.unit}s`, kind: index.kind, heads: [], lower, compared, sid: state.sid,
    title: `${capital(index.unit)}s${compared ? (state.against ? " that differ" : " that changed") : ""}`,
    view: state.other === BASE && index.kind === "links" ? (detail, sides) => (sides.length > 1 ? gridsBeside : linkView)(detail, sides) : undefined,
    first: compared ? "by change × size" : "worst first",
    said: `${index.systems[state.system]} on ${corpusName(state.corpus)}, ${isDates() ? "" : "run of "}${dated(state.run)}. Size is the largest of a ${index.unit}'s counts.`,
    columns: [
      ...(several ? [{ head: "Corpus", text: true, cell: (one) => ({ text: corpusName(one.corpus), dir: "auto" }) }] : []),
      { head: "Size", cell: (one) => String(one.size) },
      ...(compared ? [{ head: beforeName, cell: (one) => figure(one.before, one) }] : []),
      { head: compared ? "Now" : label, cell: (one) => figure(one.value, one) },
    ],
    size: every.some((one) => one.words) ? "Length" : "Size",
    measures: [{ name: "value", head: compared ? "Now" : label, lower, of: (one) => one.value }],
    weight: compared ? weight : null,
    weighed: compared ? { head: "Change × size", cell: (one) => number(weight(one), one.digits) } : null,
    nameOf: (one) => String(one.unit) + (index.corpora[corpus] === null || !several ? "" : ` of ${corpusName(one.corpus)}`),
    address: (one) => addressOf(keys(one)),
    go: (one) => go(one ? keys(one) : { sid: null, in: null }),
    opened: () => every.find((one) => String(one.unit) === state.sid && one.corpus === corpus),
    isNew: !before || before.sid !== state.sid || before.in !== state.in,
    figures: (one) => `${index.systems[state.system]}: ${label} ${one.value === null ? "undefined" : number(one.value, one.digits)}` + (one.before === null ? "" : `, ${beforeName.toLowerCase()} ${number(one.before, one.digits)}`) + ".",
    sides: () => sidesOf(corpus),
    whyGone,
    whyNone: `The page holds the ${what} of ${index.top} ${index.unit}s of each corpus; this is none of them.`,
  };
}

async function show() {
  const before = state;
  state = fromAddress();
  const asked = location.hash;
  const figures = [state.run, state.measure, state.corpus, state.system, state.against].join();
  showControls();
  if (figures !== drawn || before.measures !== state.measures) {
    if (before?.run !== state.run || before.measures !== state.measures) listedMoves = SHORT();
    showMoved();
  }
  if (figures !== drawn || before.other !== state.other) showOverview();
  if (figures !== drawn || before.scale !== state.scale) showTrend();
  if (figures !== drawn) showCompared();
  drawn = figures;
  performance.mark("first");
  if (figures !== every.figures) {
    const found = (await Promise.all(corporaShown().map(sentencesOf))).flat();
    if (asked !== location.hash) return;
    every = Object.assign(found, { figures });
    limit = SHOWN;
    showHistogram();
  }
  const found = sourceOf(before);
  showBeside(found.opened());
  await showEvidence(found);
  performance.mark("settled");
}

function wire() {
  view("moved").addEventListener("click", (event) => event.target.closest("a") && the("trend").scrollIntoView({ block: "start" }));
  for (const name of ["run", "measure", "corpus", "system"]) the(name).addEventListener("change", (event) => go({ [name]: Number(event.target.value), sid: null, in: null }));
  for (const name of ["scale", "measures"]) the(name).addEventListener("change", (event) => go({ [name]: event.target.value }));
  const pair = () => [the("with-run").value === "" ? state.run : Number(the("with-run").value), Number(the("with-system").value)];
  for (const name of ["with-run", "with-system"]) the(name).addEventListener("change", () => go({ against: pair(), other: BASE, sid: null, in: null }));
  the("as-tested").addEventListener("click", () => go({ against: null, other: -1, sid: null, in: null }));
  the("more-moved").addEventListener("click", () => ((listedMoves += 50), showMoved()));
  the("save-trend").addEventListener("click", () => saveSvg(view("trend").querySelector("svg"), "trend"));
  the("save-histogram").addEventListener("click", () => saveSvg(the("histogram").querySelector("svg"), "wins-and-losses"));
  the("other").addEventListener("change", (event) => go({ other: Number(event.target.value) }));
  wireSentences();
  addEventListener("hashchange", () => show().catch(failed));
  let width = page.clientWidth;
  new ResizeObserver(() => {
    if (page.clientWidth === width) return;
    width = page.clientWidth;
    showTrend();
    showHistogram();
    stackAll();
  }).observe(page);
  addEventListener("beforeprint", () => stackAll(true));
  addEventListener("afterprint", () => stackAll());
}

async function start() {
  index = await json("index");
  scores = new Found(index.scores, index);
  tests = new Found(index.tests, index);
  wire();
  await show();
}

start().catch(failed);
