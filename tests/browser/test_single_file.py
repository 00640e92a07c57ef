"""A site in one file in a real browser."""

import pytest

from graph_evaluator.present.page import single_file

pytestmark = pytest.mark.browser


def test_a_site_in_one_file_has_every_page_of_the_site_and_nothing_hostile_runs(
    browser, site, tmp_path
):
    files = {file.relative_to(site).as_posix(): file.read_bytes() for file in site.rglob("*.*")}
    (tmp_path / "site.html").write_bytes(single_file(files))
    browser.size(1440, 900)
    browser.open(tmp_path / "site.html")

    def follow(link, page, title):
        browser.wait(lambda: browser.texts(link))
        browser.click(link)
        browser.wait(lambda: title in browser.texts("h1"))
        assert browser.driver.current_url.endswith(f"/site.html?{page}")

    follow("#leaderboard th a", "model/alpha.html", "ALPHA")
    follow("#cells .tag", "cell/alpha/b3-1.html#model=alpha", "ALPHA on b3")
    assert "3 of 3 in the list" in browser.texts("#steps a")
    follow("header .menu a", "cells.html", "All answers")
    follow("#cells-body th a", "cell/alpha/b1-1.html", "ALPHA on b1")
    follow("header nav a[href*='brief/b1']", "brief/b1.html", "b1")
    browser.driver.switch_to.frame(browser.all("iframe")[1])
    browser.wait(lambda: browser.texts(".bare .drawing button"))
    browser.driver.switch_to.default_content()
    assert browser.complaints() == []
