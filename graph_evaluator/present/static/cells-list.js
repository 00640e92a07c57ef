"use strict";
// cells.html: the cells that the filter in the address shows, drawn as far as a reader scrolls.
(() => {
  const { FIELDS, FACETS, read, write, apply } = cellsFilter;
  const PART = 100;
  const SHARES = ["score", "content"];
  const USABLE = ["usable", "unchecked"];
  const page = id => document.getElementById(id);
  const [body, status, totals, more] = ["cells-body", "shown", "totals", "more"].map(page);
  const [BRIEF, STATUS, SCORE, COST] = ["brief", "status", "score", "cost"].map(key => FIELDS.indexOf(key));
  const unanswered = page("explorer").dataset.unanswered.split(",");
  const form = Object.fromEntries(FACETS.map(key => [key, document.querySelector(`#filter [name=${key}]`)]));
  const heads = [...document.querySelectorAll("#cells th[data-field]")];
  const nameOf = { model: id => CELL_NAMES.models[id] ?? id, code: id => CELL_NAMES.codes[id] ?? id };
  nameOf.status = nameOf.warning = nameOf.code;
  let filter = {};
  let shown = [];
  let drawn = 0;

  function label(key, value) {
    return CELL_NAMES.groups[value] ?? value.split(",").map(part => nameOf[key]?.(part) ?? part).join(" or ");
  }

  // The values of a field with the number of cells that have each.
  function fill(key) {
    const place = FIELDS.indexOf(key);
    const counts = new Map();
    for (const row of CELLS) for (const value of [row[place]].flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
    const values = [...counts.keys()].sort();
    const options = form[key].list ?? form[key];
    options.append(...values.map(value => new Option(`${label(key, value)} (${counts.get(value)})`, value)));
    form[key].closest("label").hidden = values.length === 0;
  }

  // A value that the list does not offer, such as two statuses, is an option as long as it is chosen.
  function choose(select, key) {
    const value = filter[key] ?? "";
    if (select.list) {
      if (select.value !== value) select.value = value;
      return;
    }
    select.querySelector("[data-own]")?.remove();
    if (![...select.options].some(option => option.value === value)) {
      const own = new Option(label(key, value), value);
      own.dataset.own = "";
      select.append(own);
    }
    select.value = value;
  }

  const amount = {
    score: value => value.toFixed(3),
    content: value => value.toFixed(3),
    cost: value => `$${value >= 1 || value === 0 ? value.toFixed(2) : value.toFixed(Math.min(2 - Math.floor(Math.log10(value)), 8))}`,
    latency: value => `${value.toFixed(1)} s`,
    sample: value => `${value}`,
  };

  function drawField(row, head) {
    const key = head.dataset.field;
    const value = row[FIELDS.indexOf(key)];
    if (amount[key]) return site.make("td", { className: "num" }, value === null ? "—" : amount[key](value));
    if (key === "status") {
      const failed = unanswered.includes(value) ? "warn" : "bad";
      const tag = site.make("span", { className: `tag ${USABLE.includes(value) ? "good" : failed}` }, label(key, value));
      const mark = answerNotes.markOf(row[0]);
      const note = mark ? [" ", site.make("span", { className: "note", title: "Your note" }, `noted ${mark}`)] : [];
      return site.make("td", {}, site.make("a", { href: row[0] + location.hash, title: "The graph and what was found in it" }, tag), ...note);
    }
    if (key === "model") return site.make("td", {}, site.make("a", { href: `model/${value}.html` }, label(key, value)));
    const names = value.map(code => site.make("span", { title: `${code}: ${CELL_NAMES.meanings[code]}` }, label(key, code)));
    return site.make("td", { className: "codes" }, ...names.flatMap((name, place) => place ? [", ", name] : [name]));
  }

  function drawRow(index) {
    const row = CELLS[index];
    const link = site.make("a", { href: row[0] + location.hash, title: "The graph and what was found in it" }, row[BRIEF]);
    const first = site.make("th", { scope: "row" }, link);
    return site.make("tr", {}, first, ...heads.slice(1).map(head => drawField(row, head)));
  }

  function drawMore() {
    body.append(...shown.slice(drawn, drawn + PART).map(drawRow));
    drawn = Math.min(drawn + PART, shown.length);
    more.hidden = drawn === shown.length;
  }

  function describeShown() {
    const rows = shown.map(index => CELLS[index]);
    const [scores, costs] = [SCORE, COST].map(place => rows.map(row => row[place]).filter(value => value !== null));
    const sum = values => values.reduce((total, value) => total + value, 0);
    const parts = [`${rows.filter(row => USABLE.includes(row[STATUS])).length} usable`];
    if (scores.length) parts.push(`mean form ${(sum(scores) / scores.length).toFixed(2)}`);
    if (costs.length) parts.push(`cost ${amount.cost(sum(costs))}`);
    if (costs.length < rows.length) parts.push(`the cost of ${rows.length - costs.length} is not measured`);
    return rows.length ? parts.join(", ") : "No answer fits the filter.";
  }

  function draw() {
    filter = read(location.hash);
    shown = apply(filter);
    for (const key of FACETS) choose(form[key], key);
    for (const head of heads) {
      const wish = filter.sort?.replace("-", "") === head.dataset.field;
      if (wish) head.ariaSort = filter.sort.startsWith("-") ? "descending" : "ascending";
      else head.removeAttribute("aria-sort");
    }
    const all = CELLS.length.toLocaleString("en");
    status.textContent = shown.length === CELLS.length ? `${all} answers` : `${shown.length.toLocaleString("en")} of ${all} answers`;
    totals.textContent = describeShown();
    body.replaceChildren();
    drawn = 0;
    drawMore();
  }

  function set(change) {
    const hash = write({ ...filter, ...change });
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
    draw();
  }

  function saveShown() {
    const lines = shown.map(index => CELLS[index].slice(1).map(value => Array.isArray(value) ? value.join(" ") : value ?? ""));
    site.save("answers", [FIELDS.slice(1), ...lines]);
  }

  function sortBy(field) {
    const first = amount[field] && !SHARES.includes(field) ? `-${field}` : field;
    const second = first === field ? `-${field}` : field;
    set({ sort: filter.sort === first ? second : first });
  }

  // A part of the name of a brief stands for all briefs that have it.
  function choiceOf(field) {
    if (!field.list) return field.value;
    const values = [...field.list.options].map(option => option.value);
    const named = values.filter(value => value.includes(field.value));
    return values.includes(field.value) || !field.value || !named.length ? field.value : named.join(",");
  }

  for (const key of FACETS) {
    fill(key);
    form[key].addEventListener("change", () => set({ [key]: choiceOf(form[key]) }));
  }
  for (const head of heads) {
    const button = site.make("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => sortBy(head.dataset.field));
    head.append(button);
  }
  page("clear").addEventListener("click", () => set(Object.fromEntries(FACETS.map(key => [key, ""]))));
  page("save").addEventListener("click", saveShown);
  more.addEventListener("click", drawMore);
  new IntersectionObserver(entries => { if (entries[0].isIntersecting) drawMore(); }, { rootMargin: "600px" }).observe(more);
  addEventListener("hashchange", draw);
  addEventListener("beforeprint", () => { while (drawn < shown.length) drawMore(); });
  page("explorer").hidden = false;
  draw();
})();
