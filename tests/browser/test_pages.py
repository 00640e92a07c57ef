import pytest
from axe_core_python.base import AXE_SCRIPT
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.browser
PAGES = (
    "index.html",
    "cells.html",
    "glossary.html",
    "prompt.html",
    "model/alpha.html",
    "brief/b1.html",
    "cell/alpha/b1-1.html",
    "cell/delta/b3-1.html",
    "compare.html",
)
OF_EACH_PAGE = pytest.mark.parametrize("page", PAGES)
OPEN_ALL = "document.querySelectorAll('details').forEach(item => { item.open = true; })"
ACTIVE_PARTS = (
    "return [...document.querySelectorAll('img, iframe:not(#any-two iframe), object, embed, base, form'),"
    " ...[...document.scripts].filter(s => s.src && !s.src.startsWith('file:')),"
    " ...[...document.links].filter(a => a.protocol !== 'file:'),"
    " ...[...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => /^on|^style$/.test(a.name)))"
    "].map(e => e.outerHTML.slice(0, 200))"
)
"""What a hostile text would have added: active elements, foreign scripts and links, handlers."""


@OF_EACH_PAGE
def test_a_page_opens_from_disk_without_network_and_hostile_texts_do_nothing(browser, site, page):
    browser.open(site / page)
    assert browser.texts("h1")
    assert browser.complaints() == []
    assert browser.asked_for() <= {"file", "about", "data"}
    assert browser.run(ACTIVE_PARTS) == []


def violations(browser):
    """What axe finds on the open page, of any impact: the rule, the element, and what is wrong."""
    browser.run(AXE_SCRIPT)
    result = browser.driver.execute_async_script(
        "axe.run({iframes: false, resultTypes: ['violations']}).then(arguments[0])"
    )
    return [
        (found["id"], found["nodes"][0]["html"][:200], found["nodes"][0]["failureSummary"][:300])
        for found in result["violations"]
    ]


@OF_EACH_PAGE
def test_axe_finds_nothing(browser, site, page):
    browser.open(site / page)
    browser.run(OPEN_ALL)
    for width, scheme in ((1440, "light"), (390, "dark")):
        browser.size(width, 900)
        browser.media(scheme)
        assert violations(browser) == [], (width, scheme)


@OF_EACH_PAGE
def test_a_narrow_window_shows_a_page_without_scrolling_sideways(browser, site, page):
    browser.open(site / page)
    for width in (768, 360):
        browser.size(width, 740)
        assert browser.run("return document.documentElement.scrollWidth") <= width


def test_a_phone_shows_what_a_row_comes_to_beside_its_name(browser, site):
    browser.size(390, 740)
    browser.open(site / "index.html")
    field = browser.find("#leaderboard tbody th + td")
    assert field.text == "0.850"
    assert field.rect["x"] + field.rect["width"] <= 390


@OF_EACH_PAGE
def test_a_page_is_readable_without_scripts(browser, site, page):
    browser.without_scripts(site / page)
    assert browser.run(
        "return [...document.querySelectorAll('section')].every(part => part.offsetHeight > 0)"
    )
    assert browser.run("return document.getElementById('any-two')?.offsetHeight ?? 0") == 0


A4_LANDSCAPE = 1031
"""The width of a sheet without its margins, in CSS pixels."""


@OF_EACH_PAGE
def test_a_printed_page_loses_nothing_at_its_edges_and_has_no_tools(browser, site, page):
    browser.size(A4_LANDSCAPE, 700)
    browser.media("dark", "print")
    browser.open(site / page)
    browser.run(OPEN_ALL)
    beyond = browser.run(
        "return [...document.querySelectorAll('td, th, svg, p, pre')].filter(e => e.getClientRects().length"
        " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 200))"
    )
    assert beyond == []
    assert browser.run("return getComputedStyle(document.body).color") == "rgb(28, 29, 33)"
    assert browser.texts(".tools") == [""] * len(browser.texts(".tools"))


def test_the_page_of_a_comparison_leads_back_to_the_overview(browser, site):
    browser.open(site / "compare.html")
    (address,) = browser.run("return [...document.querySelectorAll('header a')].map(a => a.href)")
    assert address == (site / "index.html").as_uri()


def test_the_first_stop_of_the_keyboard_skips_to_the_content(browser, site):
    browser.open(site / "index.html")
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to the content"


def test_every_part_of_the_overview_is_in_its_menu(browser, site):
    browser.open(site / "index.html")
    assert browser.texts("nav.parts a") == browser.texts("main section > h2")
