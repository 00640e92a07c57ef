"use strict";
// Drawings of graphs: zoom and pan; a part that is pointed at or focused shows what it is linked to, and what is known of it.
(() => {
  const make = (name, properties) => Object.assign(document.createElement(name), properties);

  function enhance(drawing) {
    const canvas = drawing.querySelector(".canvas");
    const svg = canvas.querySelector("svg");
    if (!svg) return;
    const { width, height } = svg.viewBox.baseVal;
    const nodes = [...svg.querySelectorAll(".n")];
    const edges = [...svg.querySelectorAll(".e")];
    const parts = [...nodes, ...edges];
    const about = make("div", { className: "about", role: "status", hidden: true });

    const scale = () => svg.getBoundingClientRect().width / width;
    function zoom(wanted) {
      const before = scale();
      const after = Math.min(Math.max(wanted, 0.1), 4);
      const x = (canvas.scrollLeft + canvas.clientWidth / 2) * after / before;
      const y = (canvas.scrollTop + canvas.clientHeight / 2) * after / before;
      svg.style.maxWidth = "none";
      svg.style.width = `${width * after}px`;
      canvas.scrollTo(x - canvas.clientWidth / 2, y - canvas.clientHeight / 2);
    }
    const zoomIn = () => zoom(scale() * 1.25);
    const zoomOut = () => zoom(scale() / 1.25);
    const fit = () => zoom(Math.min(canvas.clientWidth / width, innerHeight * 0.8 / height));
    const keys = { "+": zoomIn, "=": zoomIn, "-": zoomOut, f: fit };

    const endsOf = edge => edge.dataset.ends.split(" ").map(place => nodes[place]);
    const edgesAt = part => edges.filter(edge => edge === part || endsOf(edge).includes(part));
    function trace(part) {
      const near = new Set(part ? [part, ...edgesAt(part), ...edgesAt(part).flatMap(endsOf)] : []);
      svg.classList.toggle("traced", near.size > 0);
      for (const other of parts) other.classList.toggle("near", near.has(other));
    }
    // An edge is named by the labels of its ends, which the first line of what is said about a node holds.
    const titleOf = part => part.querySelector("title")?.textContent ?? "";
    const labelOf = node => titleOf(node).split("\n")[0].replace(/^[^:]*: /, "");
    for (const edge of edges) {
      const name = endsOf(edge).map(labelOf).join(edge.classList.contains("both") ? " ↔ " : " → ");
      const title = document.createElementNS(svg.namespaceURI, "title");
      title.textContent = [name, titleOf(edge)].filter(Boolean).join("\n");
      edge.replaceChildren(title);
    }
    function describe(part) {
      const shown = part ? [...new Set([part, ...edgesAt(part)])] : [];
      about.replaceChildren(...shown.map(other => make("p", { textContent: titleOf(other) })));
      about.hidden = !part;
      trace(part);
    }
    const partAt = event => event.target.closest?.(".n, .e");

    svg.setAttribute("role", "group");
    for (const node of nodes) {
      // The lines of a label fit by estimate: those of rare scripts and fonts that do not are narrowed.
      const room = node.querySelector("rect").width.baseVal.value - 16;
      for (const line of node.querySelectorAll("text")) {
        if (line.getComputedTextLength() <= room) continue;
        line.setAttribute("textLength", room);
        line.setAttribute("lengthAdjust", "spacingAndGlyphs");
      }
      node.setAttribute("role", "img");
      node.tabIndex = 0;
    }
    svg.addEventListener("mouseover", event => trace(partAt(event)));
    svg.addEventListener("mouseleave", () => trace(svg.contains(document.activeElement) ? document.activeElement : null));
    svg.addEventListener("click", event => describe(partAt(event)));
    svg.addEventListener("focusin", event => describe(partAt(event)));
    svg.addEventListener("focusout", () => describe(null));
    canvas.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") describe(null);
      else if (event.key in keys) keys[event.key]();
    });
    canvas.addEventListener("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(scale() * Math.exp(-event.deltaY / 300));
    }, { passive: false });
    canvas.addEventListener("pointerdown", event => {
      if (event.pointerType !== "mouse" || event.button || partAt(event)) return;
      canvas.setPointerCapture(event.pointerId);
      const pan = move => canvas.scrollBy(-move.movementX, -move.movementY);
      canvas.addEventListener("pointermove", pan);
      canvas.addEventListener("lostpointercapture", () => canvas.removeEventListener("pointermove", pan), { once: true });
    });

    const button = ([text, name, action]) => {
      const element = make("button", { type: "button", textContent: text, title: name, ariaLabel: `${name}: ${canvas.ariaLabel}` });
      element.addEventListener("click", action);
      return element;
    };
    const tools = make("div", { className: "tools" });
    tools.append(...[
      ["−", "Zoom out", zoomOut], ["+", "Zoom in", zoomIn], ["Fit", "Show the whole drawing", fit], ["100%", "Full size", () => zoom(1)],
    ].map(button));
    drawing.querySelectorAll(".zoom, label").forEach(part => part.remove());
    drawing.prepend(tools);
    canvas.after(about);

    // A link to a part shows it; pointing at what has such links lights up all their parts.
    for (const link of document.querySelectorAll("a[href^='#']")) {
      const part = parts.find(({ id }) => link.hash === `#${id}`);
      if (!part) continue;
      const item = link.closest("li, tr");
      const light = on => () => part.classList.toggle("highlighted", on);
      for (const name of ["mouseenter", "focusin"]) item.addEventListener(name, light(true));
      for (const name of ["mouseleave", "focusout"]) item.addEventListener(name, light(false));
      link.addEventListener("click", event => {
        event.preventDefault();
        describe(part);
        part.scrollIntoView({ block: "nearest", inline: "nearest" });
      });
    }
  }
  document.querySelectorAll(".drawing").forEach(enhance);
})();
