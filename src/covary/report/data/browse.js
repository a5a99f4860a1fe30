"use strict";
// The items browser. Data come by two calls, covaryIndex and covaryItems; everything is shown as text.
const PER_PAGE = 5, MOST_FORMS = 12;
const WORDS = { wrong: "wrong", right: "right", partly: "partly right", none: "not judged" };
const OFFERED = { ...WORDS, wrong: "wrong (value 0)", right: "right (value 1)" };
const MARKS = { wrong: "wrong", right: "right", partly: "open", none: "open" };
const FACTORS = ["language", "condition", "model", "scorer"];
const filters = document.getElementById("filters");
const list = document.getElementById("list");
const loaded = new Map(), waiting = new Map();
let index = null, matches = [], page = 0;

window.covaryIndex = (found) => { index = found; offer(); choose(); };
window.covaryItems = (number, sources) => { loaded.set(number, sources); (waiting.get(number) || []).forEach((go) => go(sources)); };

function script(name) {
  return new Promise((resolve, reject) => {
    const made = document.createElement("script");
    made.src = name;
    made.onload = resolve;
    made.onerror = () => reject(new Error(name));
    document.head.append(made);
  });
}

function items(number) {
  if (loaded.has(number)) return Promise.resolve(loaded.get(number));
  return new Promise((resolve, reject) => {
    const known = waiting.get(number);
    waiting.set(number, [...(known || []), resolve]);
    if (!known) script(`items-${String(number).padStart(4, "0")}.js`).catch(reject);
  });
}

function made(name, text, attributes = {}) {
  const element = document.createElement(name);
  if (text !== undefined && text !== null) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function offer() {
  for (const name of FACTORS) {
    const select = filters.elements[name];
    select.append(made("option", "all", { value: "" }), ...index.levels[name].map((level, i) => made("option", level, { value: i })));
    if (index.levels[name].length === 1) select.value = "0";
  }
  filters.elements.verdict.append(
    made("option", "all", { value: "" }), ...index.verdicts.map((verdict, i) => made("option", OFFERED[verdict], { value: i })));
}

function wanted() {
  const values = Object.fromEntries([...FACTORS, "verdict"].map((name) => [name, filters.elements[name].value]));
  return { values, source: filters.elements.source.value.trim().toLowerCase(), flip: filters.elements.flip.checked };
}

function choose() {
  const { values, source, flip } = wanted();
  const tests = Object.entries(values).filter(([, value]) => value !== "").map(([name, value]) => [index.columns[name], Number(value)]);
  const named = source ? index.sources.map((id) => id.toLowerCase().includes(source)) : null;
  const column = index.columns;
  let scores = 0;
  matches = [];
  for (let row = 0; row < column.source.length; row++) {
    if (flip && !column.flip[row]) continue;
    if (named && !named[column.source[row]]) continue;
    if (!tests.every(([values, value]) => values[row] === value)) continue;
    scores++;
    if (matches.at(-1) !== column.source[row]) matches.push(column.source[row]);
  }
  document.getElementById("count").textContent =
    `${scores.toLocaleString("en")} scores of ${matches.length.toLocaleString("en")} source items.`;
  page = 0;
  show();
}

async function show() {
  const pages = Math.max(1, Math.ceil(matches.length / PER_PAGE));
  const asked = page;
  document.getElementById("place").textContent = `Page ${page + 1} of ${pages.toLocaleString("en")}`;
  document.getElementById("back").disabled = page === 0;
  document.getElementById("on").disabled = page + 1 >= pages;
  const here = matches.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  try {
    const parts = await Promise.all(here.map((source) => items(Math.floor(source / index.per_file))));
    if (asked !== page) return;
    list.replaceChildren(...here.map((source, i) => item(parts[i][source % index.per_file])));
  } catch (error) {
    list.replaceChildren(made("p", `A file of the browser can't be read: ${error.message}. Keep the folder browse/ together.`, { role: "alert" }));
  }
}

function fits(cell, form, score) {
  const { values, flip } = wanted();
  const has = { language: form.language, condition: cell.condition, model: cell.model, scorer: score.scorer };
  const level = (name) => index.levels[name][Number(values[name])];
  if (FACTORS.some((name) => values[name] !== "" && level(name) !== has[name])) return false;
  if (values.verdict !== "" && index.verdicts[Number(values.verdict)] !== verdict(score.value)) return false;
  return !flip || score.flip;
}

function verdict(value) {
  return value === null ? "none" : value === 1 ? "right" : value === 0 ? "wrong" : "partly";
}

function item(source) {
  const section = made("section", null, { class: "item" });
  const forms = new Map(source.forms.map((form) => [form.item_id, form]));
  const matching = source.cells.filter((cell) => cell.scores.some((score) => fits(cell, forms.get(cell.item_id), score)));
  const keys = new Set(matching.map((cell) => `${cell.condition}\n${cell.model}\n${cell.replicate}`));
  const beside = filters.elements.beside.checked;
  const cells = beside ? source.cells.filter((cell) => keys.has(`${cell.condition}\n${cell.model}\n${cell.replicate}`)) : matching;
  section.append(made("h2", `Source item ${source.id}`));
  const grid = made("div", null, { class: "forms" });
  section.append(grid);
  let shown = 0;
  const more = made("button", null, { type: "button" });
  const add = () => {
    grid.append(...cells.slice(shown, shown + MOST_FORMS).map((cell) => card(cell, forms.get(cell.item_id))));
    shown = Math.min(cells.length, shown + MOST_FORMS);
    more.textContent = `${cells.length - shown} more of this item`;
    more.hidden = shown === cells.length;
  };
  more.addEventListener("click", add);
  section.append(more);
  add();
  return section;
}

function card(cell, form) {
  const article = made("article", null, { class: "form" });
  const variant = Object.entries(JSON.parse(form.variant)).map(([key, value]) => `${key} ${value}`).join(", ");
  const repeat = cell.replicate ? `, replicate ${cell.replicate}` : "";
  article.append(made("h3", `${variant || form.language}; ${cell.condition}; ${cell.model}${repeat}`));
  const facts = made("dl");
  const add = (term, text, attributes = {}) => { if (text) facts.append(made("dt", term), made("dd", text, { dir: "auto", ...attributes })); };
  const options = (form.options || []).map((option, i) => `\n${"ABCDEFGHIJ"[i]}. ${option}`).join("");
  add("Conversation", (form.conversation || []).map((turn) => `${turn.role}: ${turn.text}`).join("\n"), { lang: form.language });
  add("Question", form.question + options, { lang: form.language });
  add("Target", form.target);
  const trace = (term, text) => {
    if (!Array.isArray(text)) return add(term, text);
    const told = made("dd", null, { dir: "auto" });
    for (const [words, kind] of text) told.append(kind === "cut" ? made("i", `\n${words}\n`) : kind ? marked(words, kind) : words);
    facts.append(made("dt", term), told);
  };
  trace("Reasoning", cell.reasoning);
  trace(`Response (${cell.status || "none"})`, cell.text || cell.error || "(no text)");
  for (const score of cell.scores) {
    const line = made("dd");
    const judged = verdict(score.value), plain = score.value !== null && index.no_rates.includes(score.scorer);
    const words = plain ? `value ${score.value}` : judged === "partly" ? score.value.toFixed(2) : WORDS[judged];
    line.append(made("span", words, { class: `mark ${plain ? "open" : MARKS[judged]}` }));
    line.append(score.answer ? ", read " : "", made("bdi", score.answer || ""), `: ${score.reason}`);
    facts.append(made("dt", `Score (${score.scorer})${score.flip ? ", variants disagree" : ""}`), line);
  }
  article.append(facts);
  return article;
}

function marked(words, kind) {
  const mark = made("mark", words);
  mark.prepend(made("b", `${kind}: `));
  return mark;
}

function turn(step) {
  page += step;
  show();
  list.focus({ preventScroll: true });
  document.getElementById("count").scrollIntoView();
}

filters.addEventListener("input", () => { if (index) choose(); });
filters.addEventListener("submit", (event) => event.preventDefault());
document.getElementById("back").addEventListener("click", () => turn(-1));
document.getElementById("on").addEventListener("click", () => turn(1));
script("index.js").catch(() => { document.getElementById("count").textContent = "index.js can't be read. Keep the folder browse/ together."; });
