"""The site: a page for every model, brief and answer, and an overview; no network, no server."""
