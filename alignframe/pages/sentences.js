// A table of sentences, sorted and filtered, each of which opens its evidence.
// `source` says what is shown: names (words of the address, each with the values that it may have, or null for any), columns,
// measures, addresses, and the sides of the evidence. A sentence has size, length, value, before and change where there are
// figures, words (a function that returns its line), and detail, its evidence, or open, a function that returns it. All filters
// are in the address, which controls change and from which the list is made.

const SHOWN = innerWidth < 560 ? 10 : 20; // sentences at first, and with each "Show more"
const FILTERS = ["direction", "least", "most", "words", "held", "order"]; // controls by the name of their value in the address
const the = (id) => document.getElementById(id);
const view = (id) => the(id).querySelector(".view");
let source;
let only = []; // columns with the text that they must have; `is` in the address
let filtered = "#"; // the filters of the list
let every = []; // all sentences
let listed = []; // those that are not filtered out, in order
let limit = SHOWN;
let closed = null; // the address of the sentence just closed, whose link gets the focus back

function options(select, names, chosen) {
  const made = JSON.stringify(names);
  if (select.names !== made) select.replaceChildren(...names.map(([value, name]) => element("option", { value }, name)));
  select.names = made;
  select.value = String(chosen);
}

// The address of some words, with the filters of the list.
function withFilters(words) {
  const made = new URLSearchParams(words);
  for (const name of [...FILTERS, "is"]) made.delete(name);
  for (const name of FILTERS) if (the(name).value) made.set(name, the(name).value);
  for (const one of only) made.append("is", one.join("="));
  return "#" + made;
}

const ofColumn = (one) => source.heads.includes(one.split("=", 1)[0]); // a column of the list

// Words of the address that the page does not know are said, not silently left out.
function showUnknown() {
  const known = (name, value) => (FILTERS.includes(name) ? the(name).value === value : name === "is" ? ofColumn(value) : name in source.names && (!value || (source.names[name]?.includes(value) ?? true)));
  const unknown = [...inAddress()].filter((one) => !known(...one)).map((one) => one.join("="));
  the("unknown").textContent = unknown.length ? `Not understood in the address, and left out: ${unknown.join(", ")}.` : "";
}

function readFilters() {
  const given = inAddress();
  only = given.getAll("is").filter(ofColumn).map((one) => [one.split("=", 1)[0], one.slice(one.indexOf("=") + 1)]);
  showForm(given.get("order") ?? "");
  for (const name of FILTERS) {
    const [control, value] = [the(name), given.get(name) ?? ""];
    const known = !control.options || [...control.options].some((one) => one.value === value);
    if (control.value !== value) control.value = known ? value : "";
  }
  showUnknown();
  const now = withFilters({});
  if (now !== filtered) limit = SHOWN;
  filtered = now;
  for (const link of document.querySelectorAll('main a[href^="#"]')) link.setAttribute("href", withFilters(link.getAttribute("href").slice(1)));
}

// Changes values of the address; null takes one out, and a list has several.
function changed(words) {
  const next = new URLSearchParams(addressOf({}).slice(1));
  for (const [name, value] of Object.entries(words)) {
    next.delete(name);
    for (const one of [value].flat()) if (one !== null) next.append(name, one);
  }
  return "#" + next;
}

// Goes to the sentences that a mark stands for.
function pick(words) {
  location.hash = changed({ sid: null, ...words });
  if (words.sid) return;
  the("sentences").scrollIntoView({ block: "start" });
  the("sentences-title").focus({ preventScroll: true });
}

function showFilters() {
  const length = the("length-label").textContent;
  const said = { direction: () => the("direction").selectedOptions[0].text, least: (one) => `${length} from ${one}`, most: (one) => `${length} to ${one}`, words: (one) => `“${one}”` };
  const names = Object.keys(said).filter((name) => the(name).value && !the(name).parentElement.hidden);
  const chip = (text, words) => element("button", { type: "button", "aria-label": `Remove the filter ${text}`, onclick: () => pick(words) }, `${text} ✕`);
  const made = [
    ...names.map((name) => chip(said[name](the(name).value), { [name]: null })),
    ...only.map((one) => chip(one.join(": "), { is: only.filter((other) => other !== one).map((other) => other.join("=")) })),
  ];
  if (made.length > 1) made.push(element("button", { type: "button", onclick: () => pick(Object.fromEntries([...names, "is"].map((name) => [name, null]))) }, "Clear all"));
  the("filters").replaceChildren(...(made.length ? ["Only: ", ...made] : []));
}

// The orders of the list; those of a column have its head, and which way it then runs.
function orders() {
  const ends = (name, head, weight, lower, [first, last]) => {
    const known = (one, sign) => (weight(one) === null ? -Infinity : sign * weight(one));
    const [down, up] = [lower ? "descending" : "ascending", lower ? "ascending" : "descending"];
    return [
      { value: name, text: `${head}, ${first} first`, head, runs: down, weight: (one) => known(one, lower ? 1 : -1) },
      { value: "-" + name, text: `${head}, ${last} first`, head, runs: up, weight: (one) => known(one, lower ? -1 : 1) },
    ];
  };
  const measures = source.measures.flatMap(({ name, head, of, lower }) => ends(name, head, of, lower, ["worst", "best"]));
  const still = source.compared && !every.some((one) => one.change);
  const by = still ? measures[0] : { weight: source.weight ?? measures[0]?.weight ?? (() => 0), head: source.weighed?.head ?? (source.weight || !measures.length ? null : measures[0].head), runs: "descending" };
  return [
    { ...by, value: "", text: source.first },
    ...(source.compared ? [{ value: "change", text: "by change", head: "Change", runs: "descending", weight: (one) => Math.abs(one.change || 0) }] : []),
    ...measures,
    ...(every.some((one) => one.length !== undefined) ? ends("length", the("length-label").textContent, (one) => one.length, true, ["longest", "shortest"]) : []),
    { value: "unit", text: "by number", head: null, weight: null },
  ];
}

const chosenOrder = () => orders().find((one) => one.value === the("order").value);

async function addLines(sentences) {
  await Promise.all(sentences.map(async (one) => (one.line ??= await one.words?.())));
}

// Whether a sentence opens what it is about: a dashboard has that of some sentences and runs.
const opens = (one) => one.opens ?? Boolean(one.detail || one.open);

async function chosenSentences() {
  const asked = the("words").value.trim().toLowerCase();
  if (asked) await addLines(every);
  const worse = source.lower ? 1 : -1;
  const direction = source.compared ? the("direction").value : "all";
  const [least, most] = [Number(the("least").value || 0), Number(the("most").value || Infinity)];
  const held = the("held").value === "" && source.kind && every.some(opens);
  const kept = every.filter((one) => {
    if (held && !opens(one)) return false;
    if (one.length < least || one.length > most) return false;
    if (!only.every(([head, text]) => one.cells?.[source.heads.indexOf(head)] === text)) return false;
    if (asked && ![one.line ?? "", ...(one.cells ?? [])].join("\n").toLowerCase().includes(asked)) return false;
    if (direction === "all") return true;
    const changed = one.change !== null && Math.abs(one.change) > 1e-9;
    return changed && (!direction || (Math.sign(one.change) === worse) === (direction === "worse"));
  });
  const { weight } = chosenOrder();
  if (!weight) return source.byNumber ? kept.sort(source.byNumber) : kept;
  kept.forEach((one, at) => (one.at = at));
  return kept.map((one) => [weight(one), one]).sort(([a, x], [b, y]) => b - a || x.at - y.at).map(([, one]) => one);
}

const cut = (text, most) => ({ text: text.length > most ? text.slice(0, most) + "…" : text, dir: "auto", kind: "words" });

function columnsShown() {
  const label = (one) => `${capital(source.unit)} ${source.nameOf(one)}`;
  const better = (one) => one.change > 0 !== source.lower;
  const own = source.columns.map((one) => (one.text ? { ...one, cell: (row) => (typeof one.cell(row) === "string" ? cut(one.cell(row), 400) : one.cell(row)) } : one));
  const length = the("length-label").textContent;
  return [
    { head: capital(source.unit), text: true, cell: (one) => ({ text: String(one.unit), href: source.address(one), label: label(one) }) },
    ...own.filter((one) => one.text),
    ...(every.some((one) => one.words) ? [{ head: "Words", text: true, cell: (one) => cut(one.line?.split("\t")[0].trim() ?? "", 120) }] : []),
    ...(every.some((one) => one.length !== undefined) && !own.some((one) => one.head === length) ? [{ head: length, cell: (one) => String(one.length) }] : []),
    ...own.filter((one) => !one.text),
    ...(source.compared ? [{ head: "Change", cell: (one) => ({ text: signed(differenceOf(one.value, one.before, one.digits), one.digits), kind: one.change ? (better(one) ? "better" : "worse") : null }) }] : []),
    ...(source.weighed?.cell ? [source.weighed] : []),
  ];
}

// Without a baseline there is no change to select or sort by.
function showForm(order) {
  const worded = every.some((one) => one.words);
  the("sentences-title").textContent = source.title;
  the("direction").parentElement.hidden = !source.compared;
  the("held").parentElement.hidden = !source.kind || every.every(opens) || !every.some(opens);
  the("words").parentElement.hidden = !worded && !every.some((one) => one.cells);
  the("length-label").textContent = source.size ?? "Length";
  const known = orders().map(({ value, text }) => [value, text]);
  options(the("order"), known, known.some(([value]) => value === order) ? order : "");
}

async function showSentences() {
  const asked = location.hash;
  const found = await chosenSentences();
  const shown = found.slice(0, limit);
  await addLines(shown);
  if (asked !== location.hash) return;
  listed = found;
  const columns = columnsShown();
  const row = (one) => columns.map(({ cell }) => cell(one));
  const texts = columns.filter(({ text }) => text).length;
  const [now, ways] = [chosenOrder(), orders()];
  // A head sorts by its column, and then the other way round.
  const sorts = columns.map(({ head }) => {
    const [first, second] = ways.filter((one) => one.head === head && (one.value || head === source.weighed?.head));
    const next = first && second && now.head === head && now.runs === first.runs ? second : first;
    return next && { to: changed({ order: next.value || null }), runs: now.head === head ? now.runs : null };
  });
  const focused = view("sentences").contains(document.activeElement) && document.activeElement.closest("thead") ? document.activeElement.textContent : null;
  const table = tableOf({ heads: columns.map(({ head }) => head), sorts, rows: shown.map(row), texts, name: capital(source.counted), all: () => listed.map(row) });
  view("sentences").replaceChildren(...(shown.length ? [table] : []));
  if (focused) [...table.querySelectorAll("thead button")].find((one) => one.textContent === focused)?.focus();
  stackAll(false, the("sentences"));
  const unchanged = source.compared && !every.some((one) => one.change) ? `No ${source.unit} changed. ` : "";
  the("sentences-said").textContent = `${unchanged}${listed.length.toLocaleString("en")} of ${every.length.toLocaleString("en")} ${source.counted} of ${source.said}`;
  showFilters();
  the("more").hidden = shown.length === listed.length;
  the("unprinted").textContent = shown.length < listed.length ? `Printed are ${shown.length} of them; the page has all.` : "";
}

const VIEWS = { links: linkView, texts: textView, beads: beadView };

async function showDetail() {
  const [asked, shown] = [location.hash, the("detail")];
  shown.hidden = source.sid === null;
  if (shown.hidden) return;
  const one = source.opened();
  the("detail-title").textContent = `${capital(source.unit)} ${one ? source.nameOf(one) : source.sid}`;
  if (!one) return view("detail").replaceChildren(element("p", { class: "said" }, `There is no such ${source.unit} in this list.`));
  const place = listed.indexOf(one);
  the("before").disabled = place < 1;
  the("after").disabled = place < 0 || place + 1 >= listed.length;
  try {
    one.detail ??= await one.open?.();
  } catch (error) {
    return view("detail").replaceChildren(element("p", { class: "said", role: "alert" }, `The evidence cannot be shown: ${error.message}`));
  }
  if (asked !== location.hash) return;
  const parts = [element("p", { class: "said" }, source.figures(one))];
  if (one.detail) {
    const sides = source.sides(one);
    const kept = sides.filter((side) => one.detail.at[side.state]);
    if (kept.length) parts.push(...(source.view ?? VIEWS[source.kind])(one.detail, kept, source.all?.(one)));
    for (const side of sides) if (!kept.includes(side)) parts.push(element("p", { class: "caption" }, `${side.name}: ${source.whyGone(side)}`));
  } else if (source.kind) {
    parts.push(element("p", { class: "said" }, source.whyNone));
  }
  view("detail").replaceChildren(...parts);
  stackAll(false, shown);
}

async function showEvidence(given) {
  const asked = location.hash;
  source = given;
  readFilters();
  await showSentences();
  if (asked !== location.hash) return;
  await showDetail();
  if (asked !== location.hash) return;
  if (source.isNew && source.sid !== null) {
    the("detail-title").focus({ preventScroll: true });
    the("detail").scrollIntoView({ block: "start" });
  }
  if (closed !== null && source.sid === null) {
    const links = [...view("sentences").querySelectorAll("a")];
    (links.find((link) => link.getAttribute("href") === closed) ?? the("order")).focus();
    closed = null;
  }
  document.body.dataset.shown = location.hash || "#"; // tests wait for it
}

function wireSentences() {
  for (const name of FILTERS) the(name).addEventListener("input", () => location.replace(addressOf({})));
  the("more").addEventListener("click", () => ((limit += SHOWN), showSentences().catch(failed)));
  const beside = (step) => () => {
    const next = listed[listed.indexOf(source.opened()) + step];
    if (next) source.go(next);
  };
  const close = () => {
    const one = source.opened();
    closed = one ? source.address(one) : "";
    source.go(null);
  };
  the("close").addEventListener("click", close);
  // Escape in an open menu closes the menu only.
  the("detail").addEventListener("keydown", (event) => event.key === "Escape" && !event.target.closest("details[open], select") && close());
  the("before").addEventListener("click", beside(-1));
  the("after").addEventListener("click", beside(1));
  document.querySelectorAll("form.bar").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
}

// What has been drawn stays: if data files are missing, the first view is still complete.
function failed(error) {
  const place = document.querySelector("#overview .view:empty") ?? view("sentences");
  const what = place.closest("#overview") ? "This page" : "The rest of this page";
  place.replaceChildren(element("p", { class: "said", role: "alert" }, `${what} cannot be shown: ${error.message}`));
  document.body.dataset.shown = "failed";
}
