// Charts take the width of their card.

const LEAST = 0.2; // of a chart's own width: what is still too wide is scaled down as a picture
const STEP = 13; // the minimum height and width of a word in a grid
const CELL = 40; // the minimum width of a cell with a figure
const SLIM = 0.65; // of a chart's own width: where fewer panels stand side by side
const SMALL = 0.8; // of the room: below it, a chart is widened, at most by this factor
const WIDER = 2.2;
const NARROW = 600; // where parts of a chart are stacked
// Two cards stand side by side on paper too, but for the last one without a neighbour.
const HALF = ".pair:not(.single) > section:not(.wide, :nth-child(odd of :not(.wide)):nth-last-child(1 of :not(.wide)))";
const SQUEEZED = 0.58; // of a chart's own width: no chart is made narrower to stand beside another on paper
const views = {};
const shown = {}; // the specifications that views draw
const turns = {}; // the last drawing of each chart
const fitted = {}; // the room that each chart was drawn for

function visit(view, act) {
  act(view);
  for (const key of ["layer", "hconcat", "vconcat", "concat"]) (view[key] || []).forEach((part) => visit(part, act));
  if (view.spec) visit(view.spec, act);
}

// Panels that now begin a row show row names, like the first panel.
function nameRows(panels, columns) {
  const sides = (panel) => {
    const found = [];
    visit(panel, (view) => view.encoding?.y && found.push(view.encoding.y));
    return found;
  };
  const [lead] = sides(panels[0]);
  panels.forEach((panel, at) => {
    if (at % columns) return;
    for (const side of sides(panel)) if ("axis" in side && side.field === lead?.field) Object.assign(side, { axis: lead.axis, title: lead.title });
  });
}

// The chart with its views narrowed to a share of their width; `natural` is its original width.
function narrowed(spec, room, natural, share, upright) {
  const chart = structuredClone(spec);
  visit(chart, (view) => {
    if (view.hconcat && room < NARROW) {
      view.vconcat = view.hconcat;
      delete view.hconcat;
    }
    if (view.facet?.column && !view.facet.row && room < NARROW) {
      view.facet = view.facet.column;
      view.columns = 1;
    }
    if (view.columns && room < SLIM * natural) view.columns = Math.max(1, Math.floor((view.columns * room) / natural));
    if (view.concat) nameRows(view.concat, view.columns);
    if (view.title?.limit) view.title.limit = Math.min(view.title.limit, room - 20);
    if (typeof view.width === "number") view.width = Math.round(view.width * share);
    for (const side of [view.width, view.height]) if (side?.step) side.step = Math.max(side.step > CELL ? CELL : STEP, side.step * Math.min(share, 1));
    for (const channel of Object.values(view.encoding || {})) {
      const { legend, axis } = channel;
      if (legend?.columns) legend.columns = upright ? 1 : Math.max(1, Math.round((legend.columns * room) / natural));
      if (legend?.labelLimit) legend.labelLimit = Math.min(legend.labelLimit, room - 60);
      if (legend?.gradientLength) legend.gradientLength = Math.min(legend.gradientLength, room - 110);
      if (axis?.labelLimit) axis.labelLimit = Math.min(axis.labelLimit, room * 0.45);
    }
  });
  return chart;
}

const EMBEDDED = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false } };

// The width that a chart takes, which is found outside the page: the reader sees only charts that fit.
async function widthOf(spec) {
  const place = document.createElement("div");
  const { view } = await vegaEmbed(place, spec, EMBEDDED);
  view.finalize();
  return Number(place.querySelector("svg").getAttribute("width"));
}

async function drawn(name, spec) {
  const [place, { activeElement }] = [document.getElementById(name), document];
  const focused = place.contains(activeElement) ? activeElement : null;
  const { view } = await vegaEmbed(place, spec, { ...EMBEDDED, downloadFileName: name });
  views[name] = view;
  shown[name] = spec;
  for (const { name: param, bind } of spec.params || []) if (bind && param in STATED) view.addSignalListener(param, (_, value) => value !== stated.get(param) && choose(param, value));
  if (focused?.matches("select, summary")) place.querySelector(focused.localName)?.focus({ preventScroll: true });
  page.dispatchEvent(new CustomEvent("drawn", { detail: { name, focused } }));
  const title = document.querySelector(`section:has(> #${name}) h2`)?.firstChild.textContent.trim() || name;
  place.querySelector("summary")?.setAttribute("aria-label", `Save: ${title}`);
  const menu = place.querySelector("details");
  if (menu) closable(menu);
  // A layer without named marks is hidden from screen readers.
  place.querySelectorAll('g[role="graphics-symbol"]:not([aria-label], :has([aria-label]))').forEach((one) => one.removeAttribute("role"));
}

// What the reader chose is one for all charts and tables, and stands in the address: the measure, and the system, which the list of sentences sets.
const STATED = { measure: "measure", chosen: "system" };
let stated = inAddress();

// The measures among which the reader chooses, in charts and tables.
const measures = () => [...Object.values(specs).flatMap((spec) => spec.params?.find((one) => one.name === "measure")?.bind?.options ?? []), ...[...document.querySelectorAll('select[data-name="measure"] option')].map((one) => one.value)];

const isKnown = ({ name, bind }, value) => value !== null && name in STATED && (!bind || bind.options.includes(value));

function choose(name, value) {
  stated.set(name, value);
  history.replaceState(null, "", "#" + stated);
  showChosen();
}

function showChosen() {
  for (const [name, spec] of Object.entries(specs))
    for (const param of spec.params || []) {
      const value = stated.get(STATED[param.name]) ?? param.first ?? param.value;
      if (!views[name] || !isKnown(param, value)) continue;
      if (param.bind) redraw(name, param.name, value);
      else if (views[name].signal(param.name) !== value) views[name].signal(param.name, value).runAsync();
    }
  document.querySelectorAll("select[data-name]").forEach((select) => {
    const names = [...select.options].map((option) => option.value);
    const value = stated.get(select.dataset.name);
    select.value = names.includes(value) ? value : names[0];
    const card = select.closest("section");
    card.querySelectorAll("[data-measure]").forEach((one) => (one.hidden = one.dataset.measure !== select.value));
    stackAll(false, card);
  });
}

// Rows are sorted when a chart is drawn, so that another measure draws it again.
function redraw(name, param, value) {
  const own = shown[name].params.find((one) => one.name === param);
  if (own.value === value) return;
  own.value = value;
  turns[name] = turns[name].then(() => drawn(name, shown[name]));
}

document.querySelectorAll("select[data-name]").forEach((select) => select.addEventListener("change", () => choose(select.dataset.name, select.value)));
addEventListener("hashchange", () => {
  // Other links of the page do not name the measure.
  const measure = inAddress().get("measure") ?? stated.get("measure");
  stated = inAddress();
  if (measure !== null && !stated.has("measure")) {
    stated.set("measure", measure);
    history.replaceState(null, "", "#" + stated);
  }
  showChosen();
});

async function draw(name, spec, room) {
  for (const param of spec.params || []) {
    param.first ??= param.value;
    const value = stated.get(STATED[param.name]);
    if (isKnown(param, value)) param.value = value;
    // A choice from a menu is kept; that of a field has no such value, and an empty one would fade every line.
    else if (param.bind && !param.select && views[name]) param.value = views[name].signal(param.name);
  }
  const natural = await widthOf(spec);
  // Alone in a row, a chart is widened.
  const most = natural < SMALL * room ? WIDER : 1;
  const [chart, share] = natural <= room && most === 1 ? [spec, 1] : await fit(spec, room, natural, most);
  await drawn(name, chart);
  return share;
}

// The chart as wide as its room, and the share of its own width that its views then have.
async function fit(spec, room, natural, most) {
  // The width of a chart is linear in the width of its views, so two points determine it.
  // If half the width is still too wide, a legend may be the cause: put its entries in one column.
  for (const upright of [false, true]) {
    const chart = narrowed(spec, room, natural, 1, upright);
    const whole = await widthOf(chart);
    if (whole <= room && most === 1) return [chart, 1];
    const half = await widthOf(narrowed(spec, room, natural, 0.5, upright));
    if (half > room && !upright) continue;
    const share = Math.max(LEAST, Math.min(whole > half ? 0.5 + (0.5 * (room - half)) / (whole - half) : 1, most));
    return [narrowed(spec, room, natural, share, upright), share];
  }
}

const roomFor = (place, paper) => (!paper ? place.clientWidth : place.closest(HALF) ? PAPER_HALF : PAPER);

// Draws the charts that were drawn for another room than they have; those without a width are drawn when they get one.
function drawAll(paper) {
  for (const [name, spec] of Object.entries(specs)) {
    const place = document.getElementById(name);
    place.setAttribute("role", "group"); // screen readers identify a chart by its heading
    place.setAttribute("aria-label", place.closest("section").querySelector("h2")?.textContent.trim() || name);
    const turn = async () => {
      const room = roomFor(place, paper);
      if (!room || room === fitted[name]) return;
      fitted[name] = room;
      const share = await draw(name, spec, room);
      if (!paper || share >= SQUEEZED || !place.closest(HALF)) return;
      // Charts that two columns would squeeze are printed one below another.
      place.closest(".pair").classList.add("single");
      drawAll(paper);
    };
    // One drawing of a chart at a time.
    turns[name] = (turns[name] ?? Promise.resolve()).then(turn).catch((error) => (place.textContent = "This chart cannot be drawn: " + error));
  }
}

function layOut(paper) {
  stackAll(paper);
  drawAll(paper);
  // A width may be passing, and gone before it is observed, as while a window opens.
  if (!paper) requestAnimationFrame(() => printing || drawAll());
}

// Widths may change without a window event, for example by a scroll bar, and while a chart is being drawn.
let width = page.clientWidth;
let waiting = 0;
let printing = false;
const resized = new ResizeObserver(() => {
  if (printing) return;
  if (page.clientWidth !== width) stackAll();
  width = page.clientWidth;
  // At once, and again when a changing width has settled.
  if (!waiting) drawAll();
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    waiting = 0;
    drawAll();
  }, 200);
});
for (const one of [page, ...Object.keys(specs).map((name) => document.getElementById(name))]) resized.observe(one);

// A printed page does not depend on the window. Charts are drawn before it is laid out:
// drawing waits only for promises that are already resolved.
addEventListener("beforeprint", () => {
  printing = true;
  clearTimeout(waiting);
  waiting = 0;
  layOut(true);
});
addEventListener("afterprint", () => {
  printing = false;
  width = page.clientWidth;
  layOut();
});
layOut();
showChosen();
