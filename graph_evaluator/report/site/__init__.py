"""The site: a page for every model, brief and cell, and an overview; no network, no server."""

from functools import partial

from graph_evaluator.present.page import page

site_page = partial(page, package=__name__)
"""A page by a template of the site."""
