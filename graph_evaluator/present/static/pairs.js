"use strict";
// Two graphs side by side: what only one of them has is marked in its drawing, and listed.
const pairs = (() => {
  const LOOKS = ["removed", "added"];

  // The parts of each of two graphs that the other lacks. A part is [number, place in the drawing, kind, text].
  const differences = graphs => graphs.map((parts, side) => {
    const others = new Set(graphs[1 - side].map(([number]) => number));
    return parts.filter(([number]) => !others.has(number));
  });

  // Mark parts of the drawing of this name: those only in the first (removed) or only in the second (added) graph.
  function mark(name, side, places) {
    for (const look of LOOKS) document.querySelectorAll(`[id^="${name}-"].${look}`).forEach(part => part.classList.remove(look));
    for (const place of places) document.getElementById(`${name}-${place}`)?.classList.add(LOOKS[side]);
  }

  function list(box, names, only) {
    const rows = only.flatMap((parts, side) => parts.map(([, , kind, text]) => [names[side], kind, text]));
    const title = site.make("p", { textContent: rows.length ? `${rows.length} differences` : "No differences." });
    const row = fields => site.make("tr", {}, ...fields.map(text => site.make("td", {}, text)));
    const head = site.make("tr", {}, ...["Only in", "Part", "What"].map(text => site.make("th", { scope: "col" }, text)));
    const table = site.make("table", {}, site.make("thead", {}, head), site.make("tbody", {}, ...rows.map(row)));
    box.replaceChildren(title, ...(rows.length ? [site.make("div", { className: "scroll" }, table)] : []));
  }

  for (const pair of document.querySelectorAll(".pair[data-parts]")) {
    const only = differences(JSON.parse(pair.dataset.parts));
    pair.dataset.names.split(" ").forEach((name, side) => mark(name, side, only[side].map(([, place]) => place)));
    list(pair.querySelector(".differences"), ["Baseline", "Candidate"], only);
  }

  return { differences, mark, list };
})();
