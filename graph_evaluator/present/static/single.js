"use strict";
// A site in one file: the address after "?" names the page, which is written instead of this one.
const files = JSON.parse(document.getElementById("files").textContent);
const at = decodeURIComponent(location.search.slice(1)) || "index.html";

// The address, in this file, of a link from the page.
window.addressOf = href => {
  if (/^[?#]/.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///${at}`);
  return `?${pathname.slice(1)}${hash}`;
};

addEventListener("load", () => {
  const named = path => path.replace(/^.*\//, "");
  const page = (files[at] ?? files["index.html"])
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
    .replace(/<link rel="stylesheet" href="([^"]*)">/, (_, path) => `<style>${files[named(path)]}<\/style>`)
    .replace(/<script src="([^"]*)"><\/script>/g, (_, path) => `<script>${files[named(path)]}<\/script>`);
  document.open();
  document.write(page);
  document.close();
  for (const name of ["click", "auxclick"]) {
    document.addEventListener(name, event => {
      const link = event.target.closest?.("a[href]");
      if (link) link.setAttribute("href", addressOf(link.getAttribute("href")));
    }, true);
  }
});
