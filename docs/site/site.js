"use strict";
// Search in the sections of all pages; their text is loaded when the search is first used.
const form = document.querySelector("form"), input = form.querySelector("input");
const box = form.querySelector(".found"), list = box.querySelector("ol"), status = box.querySelector("p");
const MOST = 30;
let sections;

function load() {
  if (sections) return;
  sections = [];
  const script = document.createElement("script");
  script.src = "search_index.js";
  script.onload = () => {
    sections = window.SECTIONS.map(([page, anchor, book, title, text]) => ({ page, anchor, book, title, text }));
    show();
  };
  document.head.append(script);
}

const words = () => input.value.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
const starting = (word) => new RegExp(`(?<![\\p{L}\\p{N}_])${word}`, "giu");

// Words in titles weigh more, rare uses in long sections less; all words must occur.
function weight(section, patterns) {
  let sum = 0;
  for (const pattern of patterns) {
    const [book, title, text] = [section.book, section.title, section.text].map((one) => (one.match(pattern) || []).length);
    if (!book && !title && !text) return 0;
    sum += 6 * book + 12 * title + Math.log2(1 + text) + 40 * text / (400 + section.text.length);
  }
  return sum;
}

function marked(text, patterns) {
  const all = new RegExp(patterns.map((one) => one.source).join("|"), "giu"), out = document.createElement("span");
  let from = 0;
  for (const one of text.matchAll(all)) {
    const mark = document.createElement("mark");
    mark.textContent = one[0];
    out.append(text.slice(from, one.index), mark);
    from = one.index + one[0].length;
  }
  out.append(text.slice(from));
  return out;
}

function excerpt(text, patterns) {
  const at = Math.max(0, Math.min(...patterns.map((one) => text.search(one)).filter((place) => place >= 0)) - 60);
  const whole = Number.isFinite(at) && at ? "… " + text.slice(at).replace(/^\S*\s/, "") : text;
  return whole.length > 180 ? whole.slice(0, 180).replace(/\s\S*$/, " …") : whole;
}

function show() {
  const patterns = words().map(starting);
  box.hidden = !patterns.length;
  if (box.hidden) return;
  // Pages come in the order of their list, whose last ones are read least.
  const found = sections.map((section, at) => [weight(section, patterns) * (1 - at / sections.length / 2), section]).filter(([sum]) => sum);
  found.sort(([a], [b]) => b - a);
  status.textContent = found.length > MOST ? `The best ${MOST} of ${found.length} sections` :
    `${found.length || "No"} section${found.length === 1 ? "" : "s"}`;
  list.replaceChildren(...found.slice(0, MOST).map(([, { page, anchor, book, title, text }]) => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    link.href = `${page}#${anchor}`;
    small.append(marked(excerpt(text, patterns), patterns));
    link.append(marked(book === title ? title : `${book} › ${title}`, patterns), small);
    item.append(link);
    return item;
  }));
}

input.addEventListener("focus", load);
input.addEventListener("input", show);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
form.addEventListener("keydown", (event) => {
  const links = [input, ...list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && !box.hidden) {
    event.preventDefault();
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape") box.hidden = true;
});
document.addEventListener("click", (event) => {
  if (!form.contains(event.target) || event.target.closest("li")) box.hidden = true;
});

// Commands are copied without prompts and what they print.
for (const code of document.querySelectorAll("pre > code")) {
  code.parentNode.classList.toggle("help", code.textContent.startsWith("Usage: "));
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.onclick = () => {
    const copy = code.cloneNode(true);
    copy.querySelectorAll(".gp, .go").forEach((one) => one.remove());
    navigator.clipboard.writeText(copy.textContent.trim() + "\n").then(() => { button.textContent = "Copied"; });
  };
  code.parentNode.append(button);
}

// The page shown is in sight in the list of contents.
const contents = document.querySelector("nav"), current = contents.querySelector("[aria-current]");
contents.scrollTop = current.offsetTop - contents.clientHeight / 3;
