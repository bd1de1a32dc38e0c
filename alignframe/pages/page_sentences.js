// The sentences of a page that is not a dashboard. Its state is in the address: system, other, sid.

let data, state;

// Several sentences may have the same number, as they show different things.
function keyed(rows) {
  const seen = new Map();
  return rows.map((row) => {
    const count = (seen.get(row.unit) ?? 0) + 1;
    seen.set(row.unit, count);
    return { ...row, key: count > 1 ? `${row.unit}.${count}` : String(row.unit) };
  });
}

function addressOf(changes) {
  const one = { ...state, ...changes };
  const words = data.systems[one.system] ? { system: data.systems[one.system] } : {};
  if (one.other >= 0) words.other = data.systems[one.other];
  if (one.sid !== null) words.sid = one.sid;
  if (stated.has("measure")) words.measure = stated.get("measure"); // of charts and tables
  return withFilters(words);
}

function rowsGiven() {
  const detail = async (at) => (await json(`d-${Math.floor(at / data.piece)}`))[at % data.piece];
  return keyed(data.rows).map((row, at) => ({ ...row, words: row.line === undefined ? null : () => row.line, open: () => detail(at), size: 1 }));
}

const NUMBERED = new Intl.Collator(undefined, { numeric: true });
const valueOf = (one, figure, system) => one.values?.[figure][system] ?? null;
const shownAs = (value, { digits }) => (value === null ? "undefined" : number(value, digits));

// What orders the list as it is given: the sum or the standard deviation of the first figure.
function weightOf({ values: [values] }) {
  const known = values.filter((value) => value !== null);
  const sum = known.reduce((all, value) => all + value, 0);
  if (data.weighed[1] === "sum") return sum;
  return known.length > 1 ? Math.sqrt(known.reduce((all, value) => all + (value - sum / known.length) ** 2, 0) / (known.length - 1)) : 0;
}

// All systems side by side, the best by the first figure first.
function allOf(one) {
  const { figures, systems } = data;
  const sign = figures[0].lower ? 1 : -1;
  const value = (system) => valueOf(one, 0, system) ?? sign * Infinity;
  const order = systems.map((_, system) => system).sort((a, b) => sign * (value(a) - value(b)) || a - b);
  const rows = order.map((system) => ({
    side: { name: systems[system], state: system },
    name: { text: systems[system], href: addressOf({ system }), current: system === state.system ? "true" : null, dir: "auto" },
    figures: figures.map((figure, at) => shownAs(valueOf(one, at, system), figure)),
  }));
  return { heads: figures.map((figure) => figure.label), rows };
}

function sentenceSource(before) {
  const { systems, figures, heads, kind } = data;
  const [main] = figures;
  const [own, beside] = [systems[state.system], systems[state.other]];
  const summed = data.weighed && !(beside && main) ? { name: data.weighed[0], head: data.weighed[0], lower: main.lower, of: weightOf, cell: (one) => shownAs(weightOf(one), main) } : null;
  const more = summed && data.ranked ? [summed] : []; // beside the figure by which the list is ranked
  return {
    names: { system: systems, other: systems, sid: null, measure: measures() },
    unit: data.unit, counted: data.counted, kind, heads, lower: main?.lower ?? false, compared: state.other >= 0 && Boolean(main), sid: state.sid,
    title: data.title, first: beside && main ? "by difference" : data.first,
    // Rows without figures are of all systems, whose links are shown one by one.
    said: own && !main ? `${systems.length > 1 ? "all systems" : own}, with the links of ${own}.` : own ? `${own}${beside ? `; change is the difference from ${beside}` : ""}.` : `${data.of}.`,
    columns: [
      ...heads.map((head, at) => ({ head, text: true, cell: (one) => one.cells[at] })),
      ...(beside && main ? [{ head: `${main.label}, ${beside}`, cell: (one) => shownAs(one.before, main) }] : []),
      ...figures.map((figure, at) => ({ head: figure.label, cell: (one) => shownAs(valueOf(one, at, state.system), figure) })),
      ...more,
      ...(data.edit ? [editsColumn] : []),
    ],
    measures: [...figures.map((figure, at) => ({ name: figure.label, head: figure.label, lower: figure.lower, of: (one) => valueOf(one, at, state.system) })), ...more],
    weight: beside && main ? (one) => Math.abs(one.change || 0) : main && data.ranked ? null : () => 0,
    weighed: beside && main ? { head: "Change" } : more.length ? null : summed,
    byNumber: (a, b) => NUMBERED.compare(a.unit, b.unit),
    nameOf: (one) => String(one.unit),
    address: (one) => addressOf({ sid: one.key }),
    go: (one) => (location.hash = addressOf({ sid: one?.key ?? null })),
    opened: () => every.find((one) => one.key === state.sid),
    isNew: !before || before.sid !== state.sid,
    figures: (one) => {
      const of = (system) => figures.map((figure, at) => `${figure.label} ${shownAs(valueOf(one, at, system), figure)}`).join(", ");
      const shown = figures.length ? [state.system, state.other].filter((system) => system >= 0) : [];
      return [...heads.map((head, at) => `${head}: ${one.cells[at]}`), ...shown.map((system) => (systems[system] ? `${systems[system]}: ${of(system)}` : of(system)))].join("; ") + ".";
    },
    all: kind === "texts" && systems.length > 1 ? allOf : null,
    sides: () => [state.system, state.other].filter((system) => system >= 0).map((system) => ({ name: systems[system], state: system })),
    whyGone: () => "has no such sentence.",
  };
}

async function showPage() {
  const before = state;
  const given = inAddress();
  const known = (name, otherwise) => (data.systems.includes(given.get(name)) ? data.systems.indexOf(given.get(name)) : otherwise);
  state = { system: known("system", 0), other: known("other", -1), sid: given.get("sid") };
  if (state.other === state.system) state.other = -1;
  options(the("system"), data.systems.map((name, at) => [at, name]), state.system);
  const none = { links: "gold only", texts: "the reference only" }[data.kind];
  options(the("other"), [[-1, none], ...data.systems.map((name, at) => [at, name]).filter(([at]) => at !== state.system)], state.other);
  for (const name of ["system", "other"]) the(name).parentElement.hidden = data.systems.length < 2;
  const [main] = data.figures;
  if (!every.length) every = rowsGiven();
  for (const one of every) {
    [one.value, one.before, one.digits] = [valueOf(one, 0, state.system), state.other < 0 ? null : valueOf(one, 0, state.other), main?.digits];
    one.change = one.value === null || one.before === null ? null : one.value - one.before;
  }
  await showEvidence(sentenceSource(before));
}

json("sentences")
  .then(async (found) => {
    data = found;
    if (data.edit) await startEditing();
    the("system").addEventListener("change", (event) => (location.hash = addressOf({ system: Number(event.target.value) })));
    the("other").addEventListener("change", (event) => (location.hash = addressOf({ other: Number(event.target.value) })));
    wireSentences();
    linkTables();
    addEventListener("hashchange", () => showPage().catch(failed));
    await showPage();
    wireMarks();
  })
  .catch(failed);
