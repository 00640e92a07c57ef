"""The site: a page for every model, brief and cell, and an overview; no network, no server."""
