// The page's data: compressed blocks inside it or next to it, decompressed on first use.

const NOTHING = 0xffff; // a figure that is undefined
const asked = new Map();
const unpacked = new Map();

// Data files next to the page call this with their name and contents.
function block(name, text) {
  asked.get(name)?.(text);
}

// The first view is drawn while the browser still reads the blocks after the script.
const whole = new Promise((done) => (document.readyState === "loading" ? addEventListener("DOMContentLoaded", done) : done()));

async function textOf(name) {
  const id = "block-" + name;
  if (!document.getElementById(id)) await whole;
  const inside = document.getElementById(id);
  if (inside) return inside.textContent;
  return new Promise((done, fail) => {
    asked.set(name, done);
    const script = document.createElement("script");
    script.src = encodeURIComponent(parts) + "/" + name + ".js";
    script.onerror = () => fail(new Error("the part " + script.src + " of this page is missing"));
    document.head.append(script);
  });
}

// Browsers before 2025 have no fast built-in decoder.
const decoded = (text) => Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

async function bytesOf(name) {
  const stream = new Blob([decoded(await textOf(name))]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function once(name, make) {
  if (!unpacked.has(name)) unpacked.set(name, make());
  return unpacked.get(name);
}

const json = (name) => once(name, async () => JSON.parse(new TextDecoder().decode(await bytesOf(name))));

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
