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
  const words = { system: data.systems[one.system] };
  if (one.other >= 0) words.other = data.systems[one.other];
  if (one.sid !== null) words.sid = one.sid;
  return "#" + new URLSearchParams(words);
}

const valueOf = (one, figure, system) => one.values?.[figure][system] ?? null;
const shownAs = (value, { digits }) => (value === null ? "undefined" : number(value, digits));

function sentenceSource(before) {
  const { systems, figures, heads, kind } = data;
  const [main] = figures;
  const [own, beside] = [systems[state.system], systems[state.other]];
  return {
    unit: data.unit, counted: data.counted, kind, hasWorst: Boolean(main) && !data.ranked, lower: main?.lower ?? false, compared: state.other >= 0 && Boolean(main), sid: state.sid,
    title: data.title, first: beside && main ? "by difference" : data.first,
    // Rows without figures are of all systems, whose links are shown one by one.
    said: own && !main ? `${systems.length > 1 ? "all systems" : own}, with the links of ${own}.` : own ? `${own}${beside ? `; change is the difference from ${beside}` : ""}.` : "the alignment.",
    columns: [
      ...heads.map((head, at) => ({ head, text: true, cell: (one) => one.cells[at] })),
      ...(beside && main ? [{ head: `${main.label}, ${beside}`, cell: (one) => shownAs(one.before, main) }] : []),
      ...figures.map((figure, at) => ({ head: figure.label, cell: (one) => shownAs(valueOf(one, at, state.system), figure) })),
      ...(data.edit ? [editsColumn] : []),
    ],
    weight: beside && main ? (one) => Math.abs(one.change || 0) : main && data.ranked ? null : () => 0,
    nameOf: (one) => String(one.unit),
    address: (one) => addressOf({ sid: one.key }),
    go: (one) => (location.hash = addressOf({ sid: one?.key ?? null })),
    opened: () => every.find((one) => one.key === state.sid),
    isNew: !before || before.sid !== state.sid,
    figures: (one) => [...heads.map((head, at) => `${head}: ${one.cells[at]}`), ...figures.map((figure, at) => `${figure.label}: ${[state.system, state.other].filter((system) => system >= 0).map((system) => `${shownAs(valueOf(one, at, system), figure)}${systems[system] && ` (${systems[system]})`}`).join(", ")}`)].join("; ") + ".",
    sides: () => [state.system, state.other].filter((system) => system >= 0).map((system) => ({ name: systems[system], state: system })),
    whyGone: () => "has no such sentence.",
  };
}

async function showPage() {
  const before = state;
  const given = new URLSearchParams(location.hash.slice(1));
  const known = (name, otherwise) => (data.systems.includes(given.get(name)) ? data.systems.indexOf(given.get(name)) : otherwise);
  state = { system: known("system", 0), other: known("other", -1), sid: given.get("sid") };
  if (state.other === state.system) state.other = -1;
  options(the("system"), data.systems.map((name, at) => [at, name]), state.system);
  const none = { links: "gold only", texts: "the reference only" }[data.kind];
  options(the("other"), [[-1, none], ...data.systems.map((name, at) => [at, name]).filter(([at]) => at !== state.system)], state.other);
  for (const name of ["system", "other"]) the(name).parentElement.hidden = data.systems.length < 2;
  const [main] = data.figures;
  every = every.length ? every : keyed(data.rows).map((row) => ({ ...row, words: row.line === undefined ? null : () => row.line, size: 1 }));
  for (const one of every) {
    [one.value, one.before, one.digits] = [valueOf(one, 0, state.system), state.other < 0 ? null : valueOf(one, 0, state.other), main?.digits];
    one.change = one.value === null || one.before === null ? null : one.value - one.before;
  }
  await showEvidence(sentenceSource(before));
}

json("sentences")
  .then((found) => {
    data = found;
    if (data.edit) startEditing();
    the("system").addEventListener("change", (event) => (location.hash = addressOf({ system: Number(event.target.value) })));
    the("other").addEventListener("change", (event) => (location.hash = addressOf({ other: Number(event.target.value) })));
    wireSentences();
    addEventListener("hashchange", () => showPage().catch(failed));
    return showPage();
  })
  .catch(failed);
