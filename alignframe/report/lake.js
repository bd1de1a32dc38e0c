// The views of a dashboard. Their state is in the page's address: run, measure, corpus, system, sid.

const SHOWN = 20; // sentences at first, and with each "Show more"
const $ = (id) => document.getElementById(id);
const view = (id) => $(id).querySelector(".view");
const ALL = "All";
const MARKS = { better: "▲", worse: "▼" };
const BASE = -2; // the baseline, as the column next to a sentence
let index, scores, tests, state, drawn, listed, worded;
let every = []; // the sentences behind the figures shown
let compared = false; // whether any of them has a baseline
let limit = SHOWN;

const number = (value, digits = 4) => (value === null ? "undefined" : value.toFixed(digits).replace("-", "−"));
const digitsOf = (values) => (values.some((one) => one !== null && Math.abs(one) > 10) ? 2 : 4);
const between = (low, high, digits) => (low === null ? "" : number(low, digits) + (low < 0 ? " to " : " – ") + number(high, digits));
const signed = (value, digits) => (value === null ? "" : (value > 0 ? "+" : "") + number(value, digits));
const pOf = (p) => (p === null ? "" : p < 0.0005 ? "p < 0.001" : `p = ${p.toFixed(3)}`);
const corpusName = (at) => index.corpora[at] ?? ALL;
const dated = (run) => index.started[run].replace("T", " ").slice(0, 16);
// Runs on the same day are shown with the time.
const named = (run) => (dated(0).slice(0, 10) === dated(index.runs.length - 1).slice(0, 10) ? dated(run).slice(11) : dated(run).slice(0, 10));
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// A table from rows; a cell is a string, or {text, small, href, label, kind, dir}. Copying takes `all` rows.
function tableOf({ heads, rows, texts = 1, name, all }) {
  const plain = (cell) => (typeof cell === "string" ? cell : cell.small ? `${cell.text} [${cell.small}]` : cell.text);
  const made = (cell, at, row) => {
    const one = typeof cell === "string" ? { text: cell } : cell;
    const words = one.href ? element("a", { href: one.href, "aria-label": one.label, "aria-current": one.current }, one.text) : one.text;
    const given = { class: [at < texts ? "text" : "", one.kind || ""].join(" ").trim() || null, "data-head": heads[at], dir: one.dir };
    const tag = at ? "td" : "th";
    const made = element(tag, at ? given : { ...given, scope: "row" }, words);
    if (one.small) made.append(element("small", {}, one.small));
    return made;
  };
  const head = element("tr", {}, ...heads.map((text, at) => element("th", { scope: "col", class: at < texts ? "text" : null }, text)));
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(made))));
  const table = element("table", { "aria-label": name, class: heads.length > 9 ? "dense" : null }, element("thead", {}, head), body);
  const get = () => ({ heads, rows: (all ? all() : rows).map((row) => row.map(plain)), texts });
  return element("div", { class: "tabled" }, exportMenu(get, name), table);
}

// Addresses

function fromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const known = (name, values, otherwise) => {
    const at = values.indexOf(given.get(name));
    return at < 0 ? otherwise : at;
  };
  const run = known("run", index.runs, index.runs.length - 1);
  const measure = known("measure", index.figures.map((one) => one.name), index.main);
  const corpora = index.corpora.map((one) => one ?? "");
  const corpus = known("corpus", corpora, index.corpora.length - 1);
  const present = index.systems.map((_, system) => system).filter((system) => index.at[corpus][run][system] >= 0);
  // By default the system that changed most.
  const change = (system) => Math.abs(tests.at(run, corpus, system, measure)?.difference ?? 0);
  const system = known("system", index.systems, present.reduce((most, one) => (change(one) > change(most) ? one : most), present[0] ?? 0));
  return { run, measure, corpus, system, sid: given.get("sid"), in: given.get("in"), other: given.get("beside") === "baseline" ? BASE : known("other", index.systems, -1) };
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
  return "#" + new URLSearchParams(words);
}

function go(changes) {
  location.hash = addressOf(changes);
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
    test && `${test.verdict}${test.difference === null ? "" : `, ${signed(test.difference, digits)}`}`,
    test && pOf(test.p_corrected),
  ];
  return {
    text: `${number(score.value, digits)}${mark && " " + mark}`,
    small: range,
    href: addressOf({ corpus, system, sid: null, in: null }),
    label: said.filter(Boolean).join("; "),
    kind: test && MARKS[test.verdict] ? test.verdict : null,
    current: corpus === state.corpus && system === state.system ? "true" : null,
  };
}

function showOverview() {
  const order = index.corpora.map((_, at) => at).sort((a, b) => (index.corpora[a] === null ? -1 : index.corpora[b] === null ? 1 : a - b));
  const mine = (found) => found.columns.run.map((run, at) => [run, at]).filter(([run, at]) => run === state.run && found.columns.measure[at] === state.measure);
  const digits = digitsOf(mine(scores).map(([, at]) => scores.columns.value[at]));
  const rows = index.systems.map((name, system) => [{ text: name, dir: "auto" }, ...order.map((corpus) => cellOf(state.run, corpus, system, digits))]);
  const { label, lower } = index.figures[state.measure];
  view("overview").replaceChildren(tableOf({ heads: ["System", ...order.map(corpusName)], rows, name: `${label} of systems and corpora` }));
  stackAll(false, $("overview"));
  const verdicts = mine(tests).map(([, at]) => tests.columns.verdict[at]);
  const count = (kind) => verdicts.filter((one) => one === kind).length;
  const apart = verdicts.find((one) => one.startsWith("not comparable"));
  $("overview-said").textContent = `${label}, ${lower ? "lower" : "higher"} is better; run of ${dated(state.run)}. ` + (
    verdicts.length
      ? `Against the ${index.baseline === "previous" ? "run before" : "baseline " + index.baseline}: ▼ ${count("worse")} worse, ▲ ${count("better")} better, ` + ["not significant", "unchanged", "not tested", "too few resamples"].filter((kind, at) => at < 2 || count(kind)).map((kind) => `${count(kind)} ${kind}`).join(", ") + (apart ? `, ${verdicts.filter((one) => one.startsWith("not comparable")).length} not comparable (${apart.slice(16)})` : "") + "."
      : "There is nothing to compare this run with."
  );
}

// Trend

function trendLine(system) {
  const points = [];
  index.runs.forEach((name, run) => {
    const score = scores.at(run, state.corpus, system, state.measure);
    if (!score) return;
    const test = tests.at(run, state.corpus, system, state.measure);
    const mark = MARKS[test?.verdict] ? test.verdict : null;
    const digits = digitsOf([score.value]);
    const title = `${index.systems[system]}, ${dated(run)}: ${number(score.value, digits)} [${between(score.value_low, score.value_high, digits)}]${test ? `; ${test.verdict} ${pOf(test.p_corrected)}` : ""}`;
    points.push({ run, value: score.value, low: score.value_low, high: score.value_high, segment: score.segment, mark, title, test });
  });
  return { system: index.systems[system], chosen: system === state.system, points };
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
  const said = `${label} on ${corpusName(state.corpus)} over ${index.runs.length} runs, ${lines.length} ${lines.length === 1 ? "system" : "systems"}, ${chosen.system} in front. Arrow keys choose a run.`;
  const focused = place.contains(document.activeElement);
  const chart = trendChart(lines, index.started.map((_, run) => named(run)), index.started.map(Date.parse), {
    width: Math.max(280, place.clientWidth || 900), label: said, chosenRun: state.run, breaks,
    pick: (run, system) => go({ run, system: system === null ? state.system : index.systems.indexOf(system), sid: null, in: null }),
  });
  place.replaceChildren(chart);
  if (focused) chart.focus();
  const heads = ["Run", "Started", label, "Difference", "Verdict", "p (corrected)"];
  const digits = digitsOf(chosen.points.map((one) => one.value));
  const rows = () => chosen.points.toReversed().map((one) => [
    { text: index.runs[one.run], href: addressOf({ run: one.run, sid: null, in: null }) }, dated(one.run),
    { text: number(one.value, digits), small: between(one.low, one.high, digits) },
    one.test ? signed(one.test.difference, digits) : "", one.test ? one.test.verdict : "", one.test ? pOf(one.test.p_corrected).replace("p = ", "") : "",
  ]);
  // Rendered when first shown: hundreds of rows cost more than the rest of the first view.
  const list = $("trend").querySelector(".rows");
  list.ontoggle = () => {
    if (!list.open) return;
    list.querySelector(".table").replaceChildren(tableOf({ heads, rows: rows(), texts: 2, name: "Trend" }));
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
  const base = index.base[state.run][state.system];
  const now = stateOf(corpus, state.run, state.system);
  const then = base ? stateOf(corpus, ...base) : -1;
  const test = tests.at(state.run, corpus, state.system, state.measure);
  const comparable = then >= 0 && !test?.verdict.startsWith("not comparable");
  const value = (at, unit) => {
    const step = at < 0 ? NOTHING : steps[at * units.length + unit];
    return step === NOTHING ? null : shape.low + step / 10 ** shape.digits;
  };
  const details = await json(`d-${corpus}`);
  if (now < 0) return [];
  return units.map((unit, at) => {
    const [mine, before] = [value(now, at), comparable ? value(then, at) : null];
    const change = mine === null || before === null ? null : mine - before;
    return { corpus, unit, place: at, size: size[at], length: length?.[at] ?? size[at], value: mine, before, change, digits: shape.digits, detail: details[unit] };
  }).filter((one) => one.value !== null || one.before !== null);
}

// The words of sentences in a corpus as lines, if the page has them.
const linesOf = async (corpus) => ((await json(`u-${corpus}`)).length ? json(`w-${corpus}`) : []);

async function chosenSentences() {
  const asked = $("words").value.trim().toLowerCase();
  if (asked) await addLines(every);
  const worse = index.figures[state.measure].lower ? 1 : -1;
  const [direction, least, most] = [compared ? $("direction").value : "all", Number($("least").value || 0), Number($("most").value || Infinity)];
  const kept = every.filter((one) => {
    if (one.length < least || one.length > most) return false;
    if (asked && !one.line?.toLowerCase().includes(asked)) return false;
    if (direction === "all") return true;
    const changed = one.change !== null && Math.abs(one.change) > 1e-9;
    return changed && (!direction || (Math.sign(one.change) === worse) === (direction === "worse"));
  });
  const hasChanges = kept.some((one) => one.change);
  const wanted = compared || $("order").value === "unit" ? $("order").value : "";
  const order = wanted || (hasChanges ? "" : "value");
  const weight = {
    "": (one) => Math.abs(one.change || 0) * one.size,
    change: (one) => Math.abs(one.change || 0),
    value: (one) => (one.value === null ? -Infinity : worse * one.value),
    unit: () => 0,
  }[order];
  kept.forEach((one, at) => (one.at = at));
  return kept.map((one) => [weight(one), one]).sort(([a, x], [b, y]) => b - a || x.at - y.at).map(([, one]) => one);
}

const beforeName = () => (index.baseline === "previous" ? "Before" : "Baseline");
async function addLines(sentences) {
  const corpora = [...new Set(sentences.map((one) => one.corpus))];
  const lines = new Map(await Promise.all(corpora.map(async (corpus) => [corpus, await linesOf(corpus)])));
  for (const one of sentences) one.line = lines.get(one.corpus)[one.place];
}

function sentenceRow(one) {
  const several = corporaShown().length > 1;
  const text = one.line?.split("\t")[0].trim() ?? "";
  const name = { text: String(one.unit), href: addressOf({ sid: String(one.unit), in: several ? index.corpora[one.corpus] : null }), label: `${capital(index.unit)} ${one.unit}${several ? " of " + corpusName(one.corpus) : ""}` };
  const better = one.change && one.change > 0 !== index.figures[state.measure].lower;
  return [
    name,
    ...(several ? [{ text: corpusName(one.corpus), dir: "auto" }] : []),
    ...(worded ? [{ text: text.length > 120 ? text.slice(0, 120) + "…" : text, dir: "auto", kind: "words" }] : []),
    ...(worded ? [String(one.length)] : []), String(one.size), ...(compared ? [one.before === null ? "" : number(one.before, one.digits)] : []), one.value === null ? "" : number(one.value, one.digits),
    ...(compared ? [{ text: one.change === null ? "" : signed(one.change, one.digits), kind: one.change ? (better ? "better" : "worse") : null }] : []),
  ];
}

// Without a baseline there is no change to select or sort by: the worst come first.
function showOrders() {
  $("sentences-title").textContent = `${capital(index.unit)}s${compared ? " that changed" : ""}`;
  $("direction").parentElement.hidden = !compared;
  const [weighed, ...others] = $("order").options;
  weighed.textContent = compared ? "by change × size" : "worst first";
  for (const one of others) one.hidden = !compared && one.value !== "unit";
}

async function showSentences() {
  const asked = location.hash;
  const found = await chosenSentences();
  const shown = found.slice(0, limit);
  if (worded) await addLines(shown);
  if (asked !== location.hash) return;
  listed = found;
  const several = corporaShown().length > 1;
  const heads = [capital(index.unit), ...(several ? ["Corpus"] : []), ...(worded ? ["Words"] : []), ...(worded ? ["Length"] : []), "Size", ...(compared ? [beforeName(), "Now", "Change"] : [index.figures[state.measure].label])];
  const texts = 1 + Number(several) + Number(worded);
  const table = tableOf({ heads, rows: shown.map(sentenceRow), texts, name: capital(index.unit) + "s", all: () => listed.map(sentenceRow) });
  view("sentences").replaceChildren(...(shown.length ? [table] : []));
  stackAll(false, $("sentences"));
  const unchanged = compared && !every.some((one) => one.change) ? `No ${index.unit} changed. ` : "";
  $("sentences-said").textContent = `${unchanged}${listed.length.toLocaleString("en")} of ${every.length.toLocaleString("en")} ${index.unit}s of ${index.systems[state.system]} on ${corpusName(state.corpus)}, run of ${dated(state.run)}. Size is the largest of a ${index.unit}'s counts.`;
  $("more").hidden = shown.length === listed.length;
}

// One sentence

function showDetail() {
  const shown = $("detail");
  shown.hidden = state.sid === null;
  if (shown.hidden) return;
  const corpora = corporaShown();
  const corpus = corpora.length > 1 ? index.corpora.indexOf(state.in) : corpora[0];
  const one = every.find((other) => String(other.unit) === state.sid && other.corpus === corpus);
  const title = $("detail-title");
  title.textContent = `${capital(index.unit)} ${state.sid}` + (index.corpora[corpus] ? ` of ${index.corpora[corpus]}` : "");
  if (!one) return view("detail").replaceChildren(element("p", { class: "said" }, `There is no such ${index.unit} in this run.`));
  const place = listed.indexOf(one);
  $("before").disabled = place < 1;
  $("after").disabled = place < 0 || place + 1 >= listed.length;
  const label = index.figures[state.measure].label;
  const figures = index.systems[state.system] + `: ${label} ${one.value === null ? "undefined" : number(one.value, one.digits)}` + (one.before === null ? "" : `, ${beforeName().toLowerCase()} ${number(one.before, one.digits)}`) + ".";
  const parts = [element("p", { class: "said" }, figures)];
  if (one.detail) {
    const sides = sidesOf(corpus);
    const kept = sides.filter((side) => one.detail.at[side.state]);
    if (kept.length) parts.push(...(index.kind === "links" ? linkView : textView)(one.detail, kept));
    for (const side of sides) if (!kept.includes(side)) parts.push(element("p", { class: "caption" }, `${side.name}: ${whyGone(side)}`));
  } else if (index.kind) {
    parts.push(element("p", { class: "said" }, `The page holds the words and links of ${index.top} ${index.unit}s of each corpus; this is none of them.`));
  }
  view("detail").replaceChildren(...parts);
  stackAll(false, shown);
}

// The links or translations shown: those of the system in this run, and those beside it.
function sidesOf(corpus) {
  const own = { name: index.systems[state.system], run: state.run, state: stateOf(corpus, state.run, state.system) };
  const base = state.other === BASE ? index.base[state.run][state.system] : state.other < 0 ? null : [state.run, state.other];
  if (!base) return [own];
  const name = index.systems[base[1]] + (base[0] === state.run ? "" : `, ${dated(base[0])}`);
  return [own, { name, run: base[0], state: stateOf(corpus, ...base) }];
}

function whyGone(side) {
  const what = index.kind === "links" ? "links" : "translations";
  if (side.state < 0) return "not scored in this run.";
  if (side.run < index.recent) return `the page holds the ${what} of the last ${index.runs.length - index.recent} runs and of their baselines.`;
  return `the ${what} of this run are not kept: they have been overwritten, and their store has no earlier versions.`;
}

// Controls

function options(select, names, chosen) {
  const made = JSON.stringify(names);
  if (select.names !== made) select.replaceChildren(...names.map(([value, name]) => element("option", { value }, name)));
  select.names = made;
  select.value = String(chosen);
}

function showControls() {
  const numbered = (names) => names.map((name, at) => [at, name]);
  options($("run"), index.runs.map((_, run) => [run, `${dated(run)}${run === index.runs.length - 1 ? " (last)" : ""}`]).toReversed(), state.run);
  options($("measure"), numbered(index.figures.map((one) => one.label)), state.measure);
  options($("corpus"), numbered(index.corpora.map((_, at) => corpusName(at))), state.corpus);
  options($("system"), numbered(index.systems), state.system);
  const based = index.base[state.run][state.system] ? [[BASE, index.baseline === "previous" ? "the run before" : "the baseline"]] : [];
  options($("other"), [[-1, index.kind === "texts" ? "the reference only" : "gold only"], ...based, ...numbered(index.systems).filter(([at]) => at !== state.system)], state.other);
  $("other").parentElement.hidden = !index.kind;
}

async function show() {
  const before = state;
  state = fromAddress();
  const asked = location.hash;
  const figures = [state.run, state.measure, state.corpus, state.system].join();
  if (figures !== drawn) limit = SHOWN;
  showControls();
  if (figures !== drawn || before.other !== state.other) showOverview();
  if (figures !== drawn) showTrend();
  drawn = figures;
  performance.mark("first");
  if (figures !== every.figures) {
    const found = (await Promise.all(corporaShown().map(sentencesOf))).flat();
    const units = await Promise.all(corporaShown().map((corpus) => json(`u-${corpus}`)));
    if (asked !== location.hash) return;
    every = Object.assign(found, { figures });
    compared = every.some((one) => one.before !== null);
    showOrders();
    worded = units.some((one) => one.length);
    $("length-label").textContent = worded ? "Words" : "Size";
    $("words-label").hidden = !worded;
  }
  await showSentences();
  if (asked !== location.hash) return;
  showDetail();
  performance.mark("settled");
  if (state.sid !== null && !$("detail").hidden && (!before || before.sid !== state.sid || before.in !== state.in)) {
    $("detail-title").focus({ preventScroll: true });
    $("detail").scrollIntoView({ block: "start" });
  }
  document.body.dataset.shown = location.hash || "#"; // tests wait for it
}

function wire() {
  for (const name of ["run", "measure", "corpus", "system"]) $(name).addEventListener("change", (event) => go({ [name]: Number(event.target.value), sid: null, in: null }));
  $("other").addEventListener("change", (event) => go({ other: Number(event.target.value) }));
  for (const name of ["direction", "least", "most", "words", "order"]) $(name).addEventListener("input", () => ((limit = SHOWN), showSentences().then(showDetail).catch(failed)));
  $("more").addEventListener("click", () => ((limit += SHOWN), showSentences().then(showDetail).catch(failed)));
  const beside = (step) => () => {
    const at = listed.findIndex((one) => String(one.unit) === state.sid && (state.in === null || index.corpora[one.corpus] === state.in)) + step;
    if (listed[at]) go({ sid: String(listed[at].unit), in: state.in === null ? null : index.corpora[listed[at].corpus] });
  };
  $("before").addEventListener("click", beside(-1));
  $("after").addEventListener("click", beside(1));
  document.querySelectorAll("form.bar").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
  addEventListener("hashchange", () => show().catch(failed));
  let width = page.clientWidth;
  new ResizeObserver(() => {
    if (page.clientWidth === width) return;
    width = page.clientWidth;
    showTrend();
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

// What has been drawn stays: if data files are missing, the first view is still complete.
function failed(error) {
  const what = state ? "The rest of this page" : "This page";
  view(state ? "sentences" : "overview").replaceChildren(element("p", { class: "said", role: "alert" }, `${what} cannot be shown: ${error.message}`));
  document.body.dataset.shown = "failed";
}

start().catch(failed);
