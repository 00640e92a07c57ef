"""The list of all cells in a real browser: filters, search, sort, CSV, and the address that holds its state."""

import csv

import pytest
from selenium.webdriver.common.keys import Keys

from tests.builders.cases import cases

pytestmark = pytest.mark.browser

PAGE = "cells.html"
CELLS = 15
ROW = ["cell/m/b-1.html", "m", "b", 1, "usable", [], [], 0.5, None, 0.01, 1.0]


def column(browser, place):
    return browser.run(
        "return [...document.querySelectorAll('#cells-body tr')].map(row => row.cells[arguments[0]].textContent)",
        place,
    )


def said(browser):
    return browser.texts("#shown")[0]


@cases(
    "name, choice, count, address",
    {
        "model": ("model", "EPSILON (3)", 3, "#model=epsilon"),
        "failure": ("code", "Cycle detected (1)", 1, "#code=CYCLE_DETECTED"),
    },
)
def test_a_choice_filters_and_is_in_the_address(browser, site, name, choice, count, address):
    browser.open(site / PAGE)
    assert (said(browser), len(column(browser, 0))) == (f"{CELLS} answers", CELLS)
    browser.choose(f"#filter [name={name}]", choice)
    assert (said(browser), len(column(browser, 0))) == (f"{count} of {CELLS} answers", count)
    assert browser.address() == address


def test_a_part_of_a_name_chooses_all_briefs_that_have_it_and_what_fits_nothing_says_so(
    browser, site
):
    browser.open(site / PAGE)
    brief = browser.find("#filter [name=brief]")
    shown = "11 usable, mean form 0.51, cost $0.110, the cost of 1 is not measured"
    for text, address, totals in (
        ("b", "#brief=b1,b2,b3", shown),
        ("none", "#brief=none", "No answer fits the filter."),
    ):
        brief.clear()
        brief.send_keys(text, Keys.ENTER)
        assert browser.address() == address
        assert browser.texts("#totals") == [totals]


def test_a_score_sorts_from_low_to_high_first_and_no_answer_comes_last(browser, site):
    browser.open(site / PAGE)
    for scores, order in (
        (("0.000", "0.900", "—"), "ascending"),
        (("0.900", "0.000", "—"), "descending"),
    ):
        browser.click("th[data-field=score] button")
        shown = column(browser, 2)
        assert (shown[0], shown[-2], shown[-1]) == scores
        assert browser.find("th[data-field=score]").get_attribute("aria-sort") == order
    assert browser.address() == "#sort=-score"


def test_the_download_has_the_lines_that_are_shown(browser, site):
    browser.open(site / PAGE, "#model=delta&sort=brief")
    browser.click("#save")
    lines = list(csv.DictReader(browser.downloaded("answers.csv").splitlines()))
    assert [line["brief"] for line in lines] == ["b1", "b2", "b3"]
    assert lines[2]["code"] == "CYCLE_DETECTED INVALID_EDGE_REF"


@pytest.mark.parametrize("count", [".facts a", "#heat td a"])
def test_a_count_and_a_mark_of_the_overview_lead_to_as_many_cells(browser, site, count):
    browser.open(site / "index.html")
    hrefs = "return [...document.querySelectorAll(arguments[0])].map(a => a.getAttribute('href'))"
    links = [href for href in browser.run(hrefs, count) if href.startswith(PAGE)]
    assert links
    for address in links[:6]:
        browser.open(site / PAGE, address.removeprefix(PAGE))
        assert column(browser, 0), address


def test_without_scripts_the_page_leads_to_the_lists_of_the_models(browser, site):
    browser.without_scripts(site / PAGE)
    assert "Filters need JavaScript" in browser.texts("main")[0]
    assert browser.texts("main a[href='model/alpha.html']")


def test_a_printed_list_has_every_cell_and_no_filter(browser, site):
    browser.open(site / PAGE)
    browser.run(
        "const [row] = arguments; while (CELLS.length < 500) { CELLS.push(row); }"
        "dispatchEvent(new Event('hashchange')); dispatchEvent(new Event('beforeprint'))",
        ROW,
    )
    browser.media("light", "print")
    assert len(column(browser, 0)) == 500
    assert browser.texts("#filter, #more") == ["", ""]
