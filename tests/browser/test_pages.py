from pathlib import Path
from typing import Any

import pytest
from axe_core_python.base import AXE_SCRIPT
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Browser

pytestmark = pytest.mark.browser
PAGES = (
    "index.html",
    "cells.html",
    "glossary.html",
    "model/alpha.html",
    "brief/b1.html",
    "cell/alpha/b1-1.html",
    "cell/delta/b3-1.html",
    "compare.html",
    "history.html",
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_from_disk_without_network_and_hostile_texts_do_nothing(
    browser: Browser, site: Path, page: str
) -> None:
    browser.open(site / page)
    assert browser.run("return document.querySelector('h1').textContent")
    assert browser.complaints() == []
    assert browser.asked_for() <= {"file", "about", "data"}
    found = browser.run(
        "return {images: document.querySelectorAll('img, iframe, object, embed, base, form').length,"
        " scripts: [...document.scripts].filter(s => s.src && !s.src.startsWith('file:')).length,"
        " links: [...document.links].filter(a => a.protocol !== 'file:').length,"
        " handlers: [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => /^on|^style$/.test(a.name))).length}"
    )
    assert found == {"images": 0, "scripts": 0, "links": 0, "handlers": 0}


def violations(browser: Browser, options: str) -> list[tuple[str, str, str]]:
    """What axe finds on the open page, of any impact: the rule, the element, and what is wrong."""
    browser.run(AXE_SCRIPT)
    options = f"Object.assign({{resultTypes: ['violations']}}, {options})"
    result: dict[str, Any] = browser.driver.execute_async_script(
        f"axe.run({options}).then(arguments[0])"
    )
    return [
        (found["id"], found["nodes"][0]["html"][:200], found["nodes"][0]["failureSummary"][:300])
        for found in result["violations"]
    ]


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(browser: Browser, site: Path, page: str, width: int) -> None:
    browser.size(width, 900)
    browser.open(site / page)
    browser.run("document.querySelectorAll('details').forEach(item => { item.open = true; })")
    assert violations(browser, "{}") == []


@pytest.mark.parametrize("page", PAGES)
def test_colours_have_enough_contrast_in_the_dark(browser: Browser, site: Path, page: str) -> None:
    browser.media("dark")
    browser.open(site / page)
    browser.run("document.querySelectorAll('details').forEach(item => { item.open = true; })")
    assert violations(browser, "{runOnly: ['color-contrast']}") == []


@pytest.mark.parametrize("page", PAGES)
def test_a_narrow_window_shows_a_page_without_scrolling_sideways(
    browser: Browser, site: Path, page: str
) -> None:
    for width in (768, 360):
        browser.size(width, 740)
        browser.open(site / page)
        assert browser.run("return document.documentElement.scrollWidth") <= width


def test_a_phone_shows_the_score_of_a_model_beside_its_name(browser: Browser, site: Path) -> None:
    browser.size(390, 740)
    browser.open(site / "index.html")
    score = "document.querySelector('#leaderboard tbody td')"
    assert browser.run(f"return {score}.textContent") == "0.850"
    assert browser.run(f"return {score}.getBoundingClientRect().right") <= 390


def test_a_phone_shows_the_verdict_of_a_comparison_first_and_that_of_a_model_beside_its_name(
    browser: Browser, site: Path
) -> None:
    browser.size(390, 740)
    browser.open(site / "compare.html")
    assert browser.run("return document.querySelector('h1').textContent") == "Better"
    assert browser.run("return document.querySelector('h1').getBoundingClientRect().bottom") <= 200
    verdict = "document.querySelector('#models tbody td')"
    assert browser.run(f"return {verdict}.textContent") == "better"
    assert browser.run(f"return {verdict}.getBoundingClientRect().right") <= 390


def test_a_laptop_shows_every_column_of_the_leaderboard(browser: Browser, site: Path) -> None:
    browser.size(1440, 900)
    browser.open(site / "index.html")
    shown = "return document.querySelector('#leaderboard').closest('.scroll').{}"
    assert browser.run(shown.format("scrollWidth")) <= browser.run(shown.format("clientWidth"))


def test_the_first_lines_of_the_overview_have_the_width_of_the_page(
    browser: Browser, site: Path
) -> None:
    browser.size(1440, 900)
    browser.open(site / "index.html")
    widths = browser.run(
        "return [...document.querySelectorAll('main > .wide')].map(p => p.offsetWidth)"
    )
    assert len(widths) == 2
    assert min(widths) > 1200


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_readable_without_scripts(browser: Browser, site: Path, page: str) -> None:
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(site / page)
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run(
        "return [...document.querySelectorAll('section')].every(part => part.offsetHeight > 0)"
    )


A4_LANDSCAPE = 1031
"""The width of a sheet without its margins, in CSS pixels."""


def test_printing_leaves_out_what_only_a_screen_can_use(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html")
    browser.media("dark", "print")
    seen = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert browser.run(seen, ".tools") == "none"
    assert browser.run(seen, "#leaderboard") == "table"
    assert browser.run("return getComputedStyle(document.body).color") == "rgb(28, 29, 33)"


@pytest.mark.parametrize("page", PAGES)
def test_a_printed_page_loses_nothing_at_its_edges(browser: Browser, site: Path, page: str) -> None:
    browser.size(A4_LANDSCAPE, 700)
    browser.media("light", "print")
    browser.open(site / page)
    browser.run("document.querySelectorAll('details').forEach(item => { item.open = true; })")
    beyond = browser.run(
        "return [...document.querySelectorAll('td, th, svg, p, pre')].filter(e => e.getClientRects().length"
        " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 200))"
    )
    assert beyond == []


@pytest.mark.parametrize("page", ["model/alpha.html", "cells.html"])
def test_a_printed_table_repeats_its_head_without_the_buttons_of_the_screen(
    browser: Browser, site: Path, page: str
) -> None:
    browser.open(site / page)
    browser.media("light", "print")
    shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert browser.run(shown, "thead button") == "contents"
    assert browser.run(shown, "thead") == "table-header-group"


@pytest.mark.parametrize("page", ["compare.html", "history.html"])
def test_a_page_of_another_command_leads_back_to_the_overview(
    browser: Browser, site: Path, page: str
) -> None:
    browser.open(site / page)
    (address,) = browser.run("return [...document.querySelectorAll('header a')].map(a => a.href)")
    assert address == (site / "index.html").as_uri()


def test_the_first_stop_of_the_keyboard_skips_to_the_content(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html")
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to the content"


def test_pointing_at_a_violation_highlights_what_it_names(browser: Browser, site: Path) -> None:
    browser.open(site / "cell/delta/b3-1.html")
    browser.run("document.querySelector('.findings.bad li').focus()")
    assert browser.run("return document.querySelectorAll('.graph .highlighted').length") == 2


def test_labels_in_the_drawing_are_text_that_can_be_selected(browser: Browser, site: Path) -> None:
    browser.open(site / "cell/alpha/b1-1.html")
    selected = browser.run(
        "const all = document.createRange(); all.selectNodeContents(document.querySelector('svg.graph .option'));"
        "getSelection().addRange(all); return getSelection().toString()"
    )
    assert "O" in selected


@pytest.mark.parametrize("page", ["index.html", "cell/alpha/b1-1.html"])
def test_the_menu_leads_to_the_pages_that_other_commands_wrote(
    browser: Browser, site: Path, page: str
) -> None:
    browser.open(site / page)
    links = "[...document.querySelectorAll('header .pages a[href*=compare]')]"
    ((address, title),) = browser.run(f"return {links}.map(link => [link.href, link.textContent])")
    assert address == (site / "compare.html").as_uri()
    assert title.startswith("Comparison ")
    assert browser.run("return document.querySelector('header').offsetHeight") < 200
