"use strict";
// Pages of cells and briefs: texts to copy, and any two answers beside each other.
(() => {
  const tools = document.getElementById("cell-tools");
  if (tools) {
    const said = tools.querySelector("[role=status]");
    for (const button of tools.querySelectorAll("[data-copy]")) {
      const { copy } = button.dataset;
      const name = button.textContent.replace("Copy ", "");
      button.addEventListener("click", async () => {
        const text = copy === "prompt" ? window.PROMPT : document.getElementById(copy).textContent;
        try {
          await navigator.clipboard.writeText(text);
          said.textContent = `Copied: ${name}`;
        } catch {
          said.textContent = "This browser does not let a page copy: select the text below.";
        }
      });
    }
    tools.hidden = false;
  }

  // A page in a frame shows its drawing only.
  if (location.hash === "#drawing") document.body.classList.add("bare");

  const anyTwo = document.getElementById("any-two");
  const answers = [...document.querySelectorAll("#cells tbody th a")];
  if (anyTwo && answers.length > 1) {
    const sample = link => /-(\d+)\.html$/.exec(link.pathname)[1].replace(/^1$/, "");
    const nameOf = link => (sample(link) ? `${link.textContent}, sample ${sample(link)}` : link.textContent);
    for (const select of anyTwo.querySelectorAll("select")) {
      const frame = document.createElement("iframe");
      select.append(new Option("choose", ""), ...answers.map(link => new Option(nameOf(link), link.href)));
      select.addEventListener("change", () => {
        frame.title = select.selectedOptions[0].textContent;
        frame.src = `${select.value}#drawing`;
        if (select.value) select.closest("div").append(frame);
        else frame.remove();
      });
    }
    anyTwo.hidden = false;
  }
})();
