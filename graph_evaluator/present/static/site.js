"use strict";
// What the scripts of the pages share.
const site = (() => {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // A field that a spreadsheet would calculate gets an apostrophe; plain numbers stay numbers.
  function field(value) {
    const text = String(value);
    const safe = /^[\s]*[=+\-@＝＋－＠']/u.test(text) && !number.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  function download(name, text, type) {
    const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    const link = make("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  // Download lines of fields as NAME.csv.
  function save(name, lines) {
    download(`${name}.csv`, lines.map(line => line.map(field).join(",") + "\n").join(""), "text/csv");
  }

  // Where a link leads: elsewhere in a site that is one file.
  const addressOf = window.addressOf ?? (href => href);

  return { make, save, download, addressOf };
})();

(() => {
  // The state of every table is in the address: NAME.sort=COLUMN(a|d), NAME.q=text.
  const state = new URLSearchParams();
  const tables = [];
  const { make, save } = site;
  const valueOf = cell => (cell.dataset.v ?? cell.textContent.trim());

  function enhance(table) {
    const name = table.id;
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const original = [...body.rows];
    const texts = new Map();
    const count = make("span", { role: "status" });
    const search = make("input", { type: "search", placeholder: "Filter rows", ariaLabel: `Filter the rows of: ${table.dataset.title}` });
    const download = make("button", { type: "button", textContent: "Download CSV" });
    const tools = table.closest(".scroll").previousElementSibling;
    tools.append(count);
    if (original.length > 3) tools.append(search);

    heads.forEach((head, index) => {
      const linked = head.querySelector("a");
      const button = make("button", { type: "button" }, ...(linked ? [] : head.childNodes));
      if (linked) button.ariaLabel = `Sort by ${head.textContent.trim()}`;
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const first = "num" in head.dataset ? "d" : "a";
        const next = now === null ? first : now === "ascending" ? "d" : "a";
        set(`${name}.sort`, index + next);
      });
      head.append(button);
    });
    search.addEventListener("input", () => set(`${name}.q`, search.value));
    download.addEventListener("click", () => saveTable(name, heads, body));
    tools.append(download);

    const order = (index, direction) => {
      const numeric = "num" in heads[index].dataset;
      const keyed = original.map((row, place) => {
        const text = valueOf(row.cells[index]);
        const key = numeric ? (Number.isNaN(parseFloat(text)) ? null : parseFloat(text)) : text.toLowerCase();
        return { row, place, key };
      });
      keyed.sort((a, b) => {
        if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.place - b.place;
        const way = a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
        return (direction === "d" ? -way : way) || a.place - b.place;
      });
      return keyed.map(item => item.row);
    };
    let sorted = "";
    const apply = () => {
      const [, column, direction] = /^(\d+)([ad])$/.exec(state.get(`${name}.sort`) ?? "") ?? [];
      const index = column !== undefined && heads[column] ? Number(column) : null;
      const wish = index === null ? "" : index + direction;
      if (wish !== sorted) {
        body.append(...(index === null ? original : order(index, direction)));
        sorted = wish;
      }
      heads.forEach((head, at) => at === index
        ? head.setAttribute("aria-sort", direction === "d" ? "descending" : "ascending")
        : head.removeAttribute("aria-sort"));
      const text = state.get(`${name}.q`) ?? "";
      if (search.value !== text) search.value = text;
      const needle = text.trim().toLowerCase();
      let shown = 0;
      for (const row of original) {
        if (needle && !texts.has(row)) texts.set(row, row.textContent.toLowerCase());
        const fits = !needle || texts.get(row).includes(needle);
        row.hidden = !fits;
        shown += fits;
      }
      const some = shown ? `${shown} of ${original.length} rows` : "No row fits the filter.";
      count.textContent = shown === original.length ? "" : some;
    };
    tables.push({ name, apply, table });
  }

  function saveTable(name, heads, body) {
    const rows = [...body.rows].filter(row => !row.hidden);
    save(name, [heads.map(head => head.textContent.trim()), ...rows.map(row => [...row.cells].map(valueOf))]);
  }

  let written = null;
  // Pages keep their own choices next to those of the tables.
  function set(key, value) {
    if (value) state.set(key, value); else state.delete(key);
    written = `#${state}`;
    history.replaceState(null, "", written === "#" ? "#top" : written);
    tables.find(item => key.startsWith(`${item.name}.`))?.apply();
  }
  function read(scroll) {
    const hash = location.hash;
    if (hash === written) return;
    for (const key of [...state.keys()]) state.delete(key);
    if (hash.includes("=")) for (const [key, value] of new URLSearchParams(hash.slice(1))) state.set(key, value);
    for (const item of tables) item.apply();
    const named = tables.find(item => [...state.keys()].some(key => key.startsWith(`${item.name}.`)));
    if (!named || !scroll) return;
    const closed = named.table.closest("details");
    if (closed) closed.open = true;
    named.table.closest("section, .scroll").scrollIntoView();
  }
  Object.assign(site, { get: key => state.get(key) ?? "", set });
  document.querySelectorAll("table[data-title]").forEach(enhance);
  addEventListener("hashchange", () => read(true));
  read(true);
})();
