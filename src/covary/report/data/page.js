"use strict";
// Figures that answer: the mark under the pointer tells its figures, arrow keys go from mark to mark, series can be hidden.
// All that is told is a title that stands in the figure already; it is shown as text.
const REACH = 18;  // pixels from a mark's middle at which it still answers

for (const figure of document.querySelectorAll("figure.drawn")) enliven(figure);

function enliven(figure) {
  const told = figure.querySelector(".tip"), place = figure.querySelector(".scroll"), series = figure.querySelector(".series");
  const marks = [...figure.querySelectorAll(".told")].map((mark) => {
    const title = mark.querySelector("title");
    title.remove();
    return { mark, text: title.textContent };
  });
  if (!marks.length) return;
  const steps = marks.filter(({ text }, i) => marks.findLastIndex((other) => other.text === text) === i);
  let lit = null;

  const middle = (mark) => { const box = mark.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
  const shown = ({ mark }) => mark.getAttribute("display") !== "none";

  function tell(found) {
    if (lit) lit.mark.classList.remove("lit");
    lit = found || null;
    told.hidden = !lit;
    if (!lit) return;
    lit.mark.classList.add("lit");
    told.textContent = lit.text;
    const box = figure.getBoundingClientRect(), [x, y] = middle(lit.mark);
    told.style.left = `${Math.max(0, Math.min(x - box.left + 12, box.width - told.offsetWidth))}px`;
    told.style.top = `${y - box.top + 14}px`;
  }

  function near(event) {
    const here = marks.find(({ mark }) => mark === event.target);
    if (here) return here;
    let best = null, least = REACH;
    for (const one of steps.filter(shown)) {
      const [x, y] = middle(one.mark), far = Math.hypot(x - event.clientX, y - event.clientY);
      if (far < least) [best, least] = [one, far];
    }
    return best;
  }

  function step(event) {
    const open = steps.filter(shown), at = open.findIndex(({ text }) => lit && text === lit.text);
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: open.length - 1 }[event.key];
    if (event.key === "Escape") tell(null);
    if (next === undefined || !open.length) return;
    event.preventDefault();
    const found = open[Math.max(0, Math.min(next, open.length - 1))];
    found.mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    tell(found);
  }

  place.addEventListener("pointermove", (event) => tell(near(event)));
  place.addEventListener("pointerdown", (event) => tell(near(event)));
  place.addEventListener("pointerleave", () => tell(null));
  place.addEventListener("keydown", step);
  place.addEventListener("blur", () => tell(null));
  figure.querySelector(".keys").hidden = false;
  if (!series) return;
  series.hidden = false;
  series.addEventListener("change", (event) => {
    tell(null);
    for (const mark of figure.querySelectorAll("[data-series]")) {
      if (mark.dataset.series !== event.target.value) continue;
      if (event.target.checked) mark.removeAttribute("display");
      else mark.setAttribute("display", "none");
    }
  });
}
