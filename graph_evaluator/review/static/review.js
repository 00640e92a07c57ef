"use strict";
(() => {
  const at = id => document.getElementById(id);
  const review = document.body.dataset.review;
  const store = `graph-evaluator-review-${review}`;
  const articles = [...document.querySelectorAll("article[data-pair]")];
  const pairs = articles.map(article => article.dataset.pair);
  const buttons = [...document.querySelectorAll(".choice")];
  const keys = { 0: "none", 1: "left", 2: "right" };

  // The whole state: who answers, which pair is shown (their number for the end, -1 for the start), and the answers by pair.
  let state = { name: "", place: -1, answers: {} };
  try {
    const kept = JSON.parse(localStorage.getItem(store) ?? "null");
    if (kept && kept.answers) state = kept;
  } catch {
    at("not-kept").hidden = false;
  }

  function keep() {
    try {
      localStorage.setItem(store, JSON.stringify(state));
    } catch {
      at("not-kept").hidden = false;
    }
  }

  const answer = () => (state.answers[pairs[state.place]] ??= { choice: null, reason: "" });

  function show() {
    const { place } = state;
    const inPairs = place >= 0 && place < pairs.length;
    at("start").hidden = place >= 0;
    at("name").value ||= state.name;
    at("pairs").hidden = !inPairs;
    at("end").hidden = place < pairs.length;
    articles.forEach((article, index) => { article.hidden = index !== place; });
    if (inPairs) {
      const brief = articles[place].querySelector(".brief");
      brief.classList.toggle("fits", brief.offsetHeight < innerHeight - 120);
      buttons.forEach(button => button.setAttribute("aria-pressed", String(button.dataset.choice === answer().choice)));
      at("reason").value = answer().reason;
      at("progress").value = pairs.filter(pair => state.answers[pair]?.choice).length;
    } else if (place >= pairs.length) {
      at("count").textContent = `All ${pairs.length} pairs are answered.`;
    }
    (inPairs ? articles[place].querySelector("h1") : place < 0 ? at("name") : at("download")).focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  function go(place) {
    state.place = Math.max(-1, Math.min(place, pairs.length));
    keep();
    show();
  }

  function choose(choice) {
    answer().choice = choice;
    go(state.place + 1);
  }

  function begin() {
    const name = at("name").value.trim().toLowerCase();
    if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) {
      at("name-problem").textContent = "Please use letters a to z, digits and hyphens, at most 40.";
      at("name").focus();
      return;
    }
    state.name = name;
    go(0);
  }

  function download() {
    const lines = pairs.map(pair => {
      const { choice, reason } = state.answers[pair];
      return `${JSON.stringify({ review, reviewer: state.name, pair, choice, reason: reason.trim() })}\n`;
    });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "application/octet-stream" }));
    link.download = `${review}.${state.name}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  at("begin").addEventListener("click", begin);
  at("back").addEventListener("click", () => go(state.place - 1));
  at("reopen").addEventListener("click", () => go(pairs.length - 1));
  at("download").addEventListener("click", download);
  at("reason").addEventListener("input", () => { answer().reason = at("reason").value; keep(); });
  buttons.forEach(button => button.addEventListener("click", () => choose(button.dataset.choice)));

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (event.target === at("name")) {
      if (event.key === "Enter") begin();
    } else if (event.target === at("reason")) {
      if (event.key === "Escape" || event.key === "Enter") articles[state.place].querySelector("h1").focus();
    } else if (state.place >= 0) {
      const inPairs = state.place < pairs.length;
      if (inPairs && event.key in keys) choose(keys[event.key]);
      else if (event.key === "ArrowLeft" && !event.target.closest?.(".canvas")) go(state.place - 1);
      else if (inPairs && event.key === "ArrowRight" && answer().choice && !event.target.closest?.(".canvas")) go(state.place + 1);
      else if (inPairs && event.key.toLowerCase() === "r") at("reason").focus();
      else return;
      event.preventDefault();
    }
  });
  show();
})();
