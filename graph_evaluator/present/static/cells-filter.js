"use strict";
/* The cells of the run and the filter in an address, for the list of all cells and for the way from cell to cell.

   cells.js sets CELLS, an array of rows: [href from the site's root, model, brief, sample, status, codes, warnings,
   score, content, cost in US dollars, latency in seconds]; null is "not measured", codes and warnings are arrays.

   The filter: model=..&brief=..&status=..&code=..&warning=.. (each one value, or several with commas between them),
   sort=FIELD or sort=-FIELD. */
window.cellsFilter = (() => {
  const FIELDS = ["href", "model", "brief", "sample", "status", "code", "warning", "score", "content", "cost", "latency"];
  const FACETS = ["model", "brief", "status", "code", "warning"];
  const KEYS = [...FACETS, "sort"];

  // The filter in a fragment such as "#model=a&sort=cost".
  function read(hash) {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    return Object.fromEntries(KEYS.map(key => [key, given.get(key) ?? ""]).filter(([, value]) => value));
  }

  function write(filter) {
    const entries = KEYS.filter(key => filter[key]).map(key => [key, filter[key]]);
    return new URLSearchParams(entries).toString().replaceAll("%2C", ",");
  }

  function compare(place, descending) {
    return (a, b) => {
      const [left, right] = [CELLS[a][place], CELLS[b][place]];
      if (left === right) return a - b;
      if (left === null || right === null) return left === null ? 1 : -1;
      return (left < right) === descending ? 1 : -1;
    };
  }

  // The places in CELLS of the rows that a filter shows, in its order.
  function apply(filter) {
    const chosen = FACETS.filter(key => filter[key]).map(key => [FIELDS.indexOf(key), filter[key].split(",")]);
    const fits = row => chosen.every(([place, values]) => [row[place]].flat().some(value => values.includes(value)));
    const shown = [...CELLS.keys()].filter(index => fits(CELLS[index]));
    const field = (filter.sort ?? "").replace("-", "");
    if (FIELDS.includes(field)) shown.sort(compare(FIELDS.indexOf(field), filter.sort.startsWith("-")));
    return shown;
  }

  return { FIELDS, FACETS, read, write, apply };
})();
