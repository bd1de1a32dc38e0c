// A table of sentences, sorted and filtered, each of which opens its evidence.
// `source` says what is shown: names, columns, addresses, and the sides of the evidence. A sentence has size, length,
// value, before and change where there are figures, words (a function that returns its line), and detail, its evidence.

const SHOWN = 20; // sentences at first, and with each "Show more"
const the = (id) => document.getElementById(id);
const view = (id) => the(id).querySelector(".view");
let source;
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

async function addLines(sentences) {
  await Promise.all(sentences.map(async (one) => (one.line ??= await one.words?.())));
}

async function chosenSentences() {
  const asked = the("words").value.trim().toLowerCase();
  if (asked) await addLines(every);
  const worse = source.lower ? 1 : -1;
  const direction = source.compared ? the("direction").value : "all";
  const [least, most] = [Number(the("least").value || 0), Number(the("most").value || Infinity)];
  const held = the("held").value === "";
  const kept = every.filter((one) => {
    if (held && source.kind && !one.detail) return false;
    if (one.length < least || one.length > most) return false;
    if (asked && ![one.line ?? "", ...(one.cells ?? [])].join("\n").toLowerCase().includes(asked)) return false;
    if (direction === "all") return true;
    const changed = one.change !== null && Math.abs(one.change) > 1e-9;
    return changed && (!direction || (Math.sign(one.change) === worse) === (direction === "worse"));
  });
  const value = (one) => (one.value === null ? -Infinity : worse * one.value);
  const changes = kept.some((one) => one.change);
  const weight = {
    "": !source.compared || changes ? source.weight ?? value : value,
    change: (one) => Math.abs(one.change || 0),
    value,
    unit: () => 0,
  }[the("order").value];
  kept.forEach((one, at) => (one.at = at));
  return kept.map((one) => [weight(one), one]).sort(([a, x], [b, y]) => b - a || x.at - y.at).map(([, one]) => one);
}

const cut = (text, most) => ({ text: text.length > most ? text.slice(0, most) + "…" : text, dir: "auto", kind: "words" });

function columnsShown() {
  const label = (one) => `${capital(source.unit)} ${source.nameOf(one)}`;
  const better = (one) => one.change > 0 !== source.lower;
  const own = source.columns.map((one) => (one.text ? { ...one, cell: (row) => (typeof one.cell(row) === "string" ? cut(one.cell(row), 400) : one.cell(row)) } : one));
  const all = [
    { head: capital(source.unit), text: true, cell: (one) => ({ text: String(one.unit), href: source.address(one), label: label(one) }) },
    ...own.filter((one) => one.text),
    ...(every.some((one) => one.words)
      ? [{ head: "Words", text: true, cell: (one) => cut(one.line?.split("\t")[0].trim() ?? "", 120) }, { head: "Length", cell: (one) => String(one.length) }]
      : []),
    ...own.filter((one) => !one.text),
  ];
  if (!source.compared) return all;
  return [...all, { head: "Change", cell: (one) => ({ text: signed(differenceOf(one.value, one.before, one.digits), one.digits), kind: one.change ? (better(one) ? "better" : "worse") : null }) }];
}

// Without a baseline there is no change to select or sort by.
function showForm() {
  const worded = every.some((one) => one.words);
  the("sentences-title").textContent = source.title;
  the("direction").parentElement.hidden = !source.compared;
  the("held").parentElement.hidden = !source.kind || every.every((one) => one.detail);
  the("words").parentElement.hidden = !worded && !every.some((one) => one.cells);
  the("length-label").textContent = worded || every.some((one) => one.cells) ? "Words" : "Size";
  const [first, ...others] = the("order").options;
  first.textContent = source.first;
  for (const one of others) one.hidden = !source.compared && one.value !== "unit" && !(one.value === "value" && source.hasWorst);
  if (the("order").selectedOptions[0].hidden) the("order").value = "";
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
  const table = tableOf({ heads: columns.map(({ head }) => head), rows: shown.map(row), texts, name: capital(source.counted), all: () => listed.map(row) });
  view("sentences").replaceChildren(...(shown.length ? [table] : []));
  stackAll(false, the("sentences"));
  const unchanged = source.compared && !every.some((one) => one.change) ? `No ${source.unit} changed. ` : "";
  the("sentences-said").textContent = `${unchanged}${listed.length.toLocaleString("en")} of ${every.length.toLocaleString("en")} ${source.counted} of ${source.said}`;
  the("more").hidden = shown.length === listed.length;
}

const VIEWS = { links: linkView, texts: textView, beads: beadView };

function showDetail() {
  const shown = the("detail");
  shown.hidden = source.sid === null;
  if (shown.hidden) return;
  const one = source.opened();
  the("detail-title").textContent = `${capital(source.unit)} ${one ? source.nameOf(one) : source.sid}`;
  if (!one) return view("detail").replaceChildren(element("p", { class: "said" }, `There is no such ${source.unit} in this list.`));
  const place = listed.indexOf(one);
  the("before").disabled = place < 1;
  the("after").disabled = place < 0 || place + 1 >= listed.length;
  const parts = [element("p", { class: "said" }, source.figures(one))];
  if (one.detail) {
    const sides = source.sides(one);
    const kept = sides.filter((side) => one.detail.at[side.state]);
    if (kept.length) parts.push(...(source.view ?? VIEWS[source.kind])(one.detail, kept));
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
  showForm();
  await showSentences();
  if (asked !== location.hash) return;
  showDetail();
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
  const again = () => showSentences().then(showDetail).catch(failed);
  for (const name of ["direction", "least", "most", "words", "order", "held"]) the(name).addEventListener("input", () => ((limit = SHOWN), again()));
  the("more").addEventListener("click", () => ((limit += SHOWN), again()));
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
