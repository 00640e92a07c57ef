"use strict";
(() => {
  // Pointing at a finding lights up what it names in the drawing.
  for (const item of document.querySelectorAll("[data-lights]")) {
    const parts = item.dataset.lights.split(" ").map(id => document.getElementById(id)).filter(Boolean);
    const light = on => () => parts.forEach(part => part.classList.toggle("lit", on));
    for (const name of ["mouseenter", "focusin"]) item.addEventListener(name, light(true));
    for (const name of ["mouseleave", "focusout"]) item.addEventListener(name, light(false));
  }
})();
