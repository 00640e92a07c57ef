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
    const place = shown.indexOf(document.documentElement.dataset.at);
    const link = (text, href) => Object.assign(document.createElement("a"), { textContent: text, href: root + href + hash });
    const previous = place > 0 && link("← Previous", shown[place - 1]);
    const next = place >= 0 && place < shown.length - 1 && link("Next →", shown[place + 1]);
    const list = link(place < 0 ? "List of answers" : `${place + 1} of ${shown.length} in the list`, "cells.html");
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

  // A page in a frame shows its drawing only, with the marks that the address asks for: #drawing=SIDE,PLACE,...
  // It says how high it is: the page around it may not look into a local file.
  function showBare() {
    const [name, marks] = location.hash.split("=");
    if (name !== "#drawing") return;
    document.body.classList.add("bare");
    const tellHeight = () => parent.postMessage(document.body.offsetHeight, "*");
    tellHeight(); // an observer waits until the frame is on the screen
    new ResizeObserver(tellHeight).observe(document.body);
    const [side, ...places] = (marks ?? "").split(",");
    pairs.mark("g", Number(side), places);
  }
  showBare();
  addEventListener("hashchange", showBare);

  // Any two graphs side by side; the URL keeps the choice.
  const anyTwo = document.getElementById("any-two");
  const graphs = anyTwo ? JSON.parse(anyTwo.dataset.graphs) : [];
  if (graphs.length > 1) {
    const selects = [...anyTwo.querySelectorAll("select")];
    const frames = selects.map(select => {
      const frame = site.make("iframe", {});
      select.closest("div").append(frame);
      return frame;
    });
    addEventListener("message", ({ source, data }) => {
      const frame = frames.find(({ contentWindow }) => contentWindow === source);
      if (frame) frame.height = Number(data);
    });
    const show = () => {
      const chosen = selects.map(select => graphs[select.selectedIndex]);
      const only = pairs.differences(chosen.map(([, , , parts]) => parts));
      chosen.forEach(([name, , page], side) => {
        frames[side].title = name;
        frames[side].src = site.addressOf(`../${page}#drawing=${[side, ...only[side].map(([, place]) => place)]}`);
      });
      pairs.list(anyTwo.querySelector(".differences"), chosen.map(([name]) => name), only);
    };
    const other = graphs.findIndex(([, model]) => model !== graphs[0][1]);
    selects.forEach((select, side) => {
      select.append(...graphs.map(([name, , page]) => new Option(name, page)));
      const wanted = graphs.findIndex(([, , page]) => page === site.get(select.name));
      select.selectedIndex = wanted >= 0 ? wanted : [0, Math.max(other, 1)][side];
      select.addEventListener("change", () => {
        site.set(select.name, select.value);
        show();
      });
    });
    show();
    anyTwo.hidden = false;
  }
})();
