// The page's data: compressed blocks inside it or next to it, decompressed on first use.

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
