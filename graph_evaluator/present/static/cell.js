"use strict";
// Pages of cells and briefs: previous and next, texts to copy, and any two answers side by side.
(() => {
  const tools = document.getElementById("cell-tools");
  if (tools) {
    const said = tools.querySelector("[role=status]");
    for (const button of tools.querySelectorAll("[data-copy]")) {
      const { copy } = button.dataset;
      const name = button.textContent.replace("Copy ", "");
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(document.getElementById(copy).textContent);
          said.textContent = `Copied: ${name}`;
        } catch {
          said.textContent = "This browser does not let a page copy: select the text below.";
        }
      });
    }
    tools.hidden = false;
  }

  // Previous and next are those of the list that the filter in the address shows, or of all cells.
  function step(filter) {
    const root = "../../";
    const hash = cellsFilter.write(filter) && `#${cellsFilter.write(filter)}`;
    const shown = cellsFilter.apply(filter).map(index => CELLS[index][0]);
    const place = shown.findIndex(href => location.pathname.endsWith(`/${href}`));
    const link = (text, href) => Object.assign(document.createElement("a"), { textContent: text, href: root + href + hash });
    const previous = place > 0 && link("← Previous", shown[place - 1]);
    const next = place >= 0 && place < shown.length - 1 && link("Next →", shown[place + 1]);
    const list = link(place < 0 ? "List of cells" : `${place + 1} of ${shown.length} in the list`, "cells.html");
    const keys = { k: previous, j: next };
    if (previous) previous.title = "Key k";
    if (next) next.title = "Key j";
    document.getElementById("steps").append(...[previous, list, next].filter(Boolean).flatMap(part => [part, " "]));
    addEventListener("keydown", event => {
      const elsewhere = event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select");
      if (!elsewhere && keys[event.key]) keys[event.key].click();
    });
  }
  if (tools && window.CELLS) step(cellsFilter.read(location.hash));

  // A page in a frame shows its drawing only.
  if (location.hash === "#drawing") document.body.classList.add("bare");

  // Any two answers side by side; the URL keeps the choice.
  const anyTwo = document.getElementById("any-two");
  const rows = [...document.querySelectorAll("#cells tbody tr")];
  const root = "../";
  const answers = rows.map(row => [row.cells[0].textContent, row.querySelector("a[href*='/cell/']").getAttribute("href")])
    .map(([name, href]) => [name, href.replace(root, "").split("#")[0]]);
  if (anyTwo && answers.length > 1) {
    const sample = page => /-(\d+)\.html$/.exec(page)[1].replace(/^1$/, "");
    const nameOf = (name, page) => (sample(page) ? `${name}, sample ${sample(page)}` : name);
    for (const select of anyTwo.querySelectorAll("select")) {
      const frame = document.createElement("iframe");
      const show = () => {
        frame.title = select.selectedOptions[0].textContent;
        frame.src = `${root}${select.value}#drawing`;
        if (select.value) select.closest("div").append(frame);
        else frame.remove();
      };
      select.append(new Option("choose", ""), ...answers.map(([name, page]) => new Option(nameOf(name, page), page)));
      select.addEventListener("change", () => {
        site.set(select.name, select.value);
        show();
      });
      if (answers.some(([, page]) => page === site.get(select.name))) {
        select.value = site.get(select.name);
        show();
      }
    }
    anyTwo.hidden = false;
  }
})();
