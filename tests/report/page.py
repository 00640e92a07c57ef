"""A page of the site, read back for the tests."""

import re
from html import unescape
from html.parser import HTMLParser


class Read(HTMLParser):
    """The elements of a page with their attributes, its texts, and the contents of its script and style; `lines` is the
    text in its lines, with the addresses of links and the classes of marks.
    """

    def __init__(self, html):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.lines = ""
        self.inline: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(html)
        self.close()
        self.lines = re.sub(" *\n[ \n]*", "\n", re.sub("[ \t]+", " ", self.lines))
        self.text = re.sub("[ \n]+", " ", self.text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._inside = tag if tag in self.inline else ""
        marks = [value or "" for name, value in attrs if name in ("href", "class")]
        self.lines += "".join(f"[{mark}] " for mark in marks if tag in ("a", "span", "b", "i"))

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside:
            self.inline[self._inside].append(data)
        else:
            self.text += data
            self.lines += data

    def all(self, tag):
        """The attributes of every element of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]


def rows_of_table(content, name):
    """The texts of the rows of a page's table, without its header; none where there is no such table."""
    found = re.search(rf'<table id="{name}".*?<tbody>(.*?)</tbody>', content.decode(), re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", found[1], re.DOTALL) if found else []
    return [
        [unescape(re.sub(r"<[^>]*>", "", field)) for field in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in rows
    ]
