"use strict";
// Notes on answers: the browser keeps them until they are saved as a file for reviews/.
const answerNotes = (() => {
  const KEY = "graph-evaluator-notes";
  const { at } = document.documentElement.dataset;

  // By the page of the answer.
  function read() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  }
  function write(notes) {
    try {
      localStorage.setItem(KEY, JSON.stringify(notes));
      return "Kept in this browser.";
    } catch {
      return "This browser keeps nothing for pages from disk.";
    }
  }

  const form = document.getElementById("note");
  if (form) {
    const answer = JSON.parse(form.dataset.answer);
    const fields = [...form.querySelectorAll("[name]")];
    const saved = read()[at];
    if (saved?.fingerprint === answer.fingerprint) for (const field of fields) field.value = saved[field.name] ?? "";
    const kinds = new Set(Object.values(read()).map(note => note.kind).filter(Boolean));
    form.querySelector("datalist").append(...[...kinds].sort().map(kind => new Option(kind, kind)));
    form.addEventListener("change", () => {
      const notes = read();
      const values = Object.fromEntries(fields.map(field => [field.name, field.value.trim()]));
      if (values.mark) notes[at] = { ...answer, ...values };
      else delete notes[at];
      form.querySelector("[role=status]").textContent = write(notes);
    });
    form.hidden = false;
  }

  // The list of all answers saves those that it lists.
  const saver = document.getElementById("save-notes");
  if (saver) {
    const listed = new Set(CELLS.map(([page]) => page));
    const notes = Object.entries(read()).filter(([page]) => listed.has(page)).map(([, note]) => note);
    const name = saver.querySelector("input");
    const button = saver.querySelector("button");
    button.textContent = `Save ${notes.length} notes`;
    button.addEventListener("click", () => {
      if (!name.reportValidity()) return;
      site.download(`notes-${name.value}.jsonl`, notes.map(note => JSON.stringify(note) + "\n").join(""), "application/jsonl");
    });
    saver.hidden = notes.length === 0;
  }

  return { markOf: page => read()[page]?.mark ?? "" };
})();
