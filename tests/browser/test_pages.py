from pathlib import Path
from typing import Any

import pytest
from axe_core_python.base import AXE_SCRIPT
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import Browser

pytestmark = pytest.mark.browser
PAGES = ("index.html", "model/alpha.html", "brief/b1.html", "cell/alpha/b1-1.html", "cell/delta/b3-1.html")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_from_disk_without_network_and_without_complaint(browser: Browser, site: Path, page: str) -> None:
    browser.open(site / page)
    assert browser.run("return document.querySelector('h1').textContent")
    assert browser.complaints() == []
    assert browser.asked_for() <= {"file", "about", "data"}


@pytest.mark.parametrize("page", PAGES)
def test_hostile_texts_do_nothing(browser: Browser, site: Path, page: str) -> None:
    browser.open(site / page)
    found = browser.run(
        "return {images: document.querySelectorAll('img, iframe, object, embed, base, form').length,"
        " scripts: document.scripts.length, links: [...document.links].filter(a => a.protocol !== 'file:').length,"
        " handlers: [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => /^on|^style$/.test(a.name))).length}"
    )
    assert found == {"images": 0, "scripts": 1, "links": 0, "handlers": 0}


@pytest.mark.parametrize(
    ("scheme", "rules"), [("light", "null"), ("dark", "['color-contrast']")], ids=["light", "contrast in dark"]
)
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious(browser: Browser, site: Path, page: str, scheme: str, rules: str) -> None:
    browser.media(scheme)
    browser.open(site / page)
    browser.run("document.querySelectorAll('details').forEach(item => { item.open = true; })")
    browser.run(AXE_SCRIPT)
    options = f"Object.assign({{resultTypes: ['violations']}}, {rules} ? {{runOnly: {rules}}} : {{}})"
    result: dict[str, Any] = browser.driver.execute_async_script(f"axe.run({options}).then(arguments[0])")
    serious = [
        (found["id"], found["nodes"][0]["html"][:200], found["nodes"][0]["failureSummary"][:300])
        for found in result["violations"]
        if found["impact"] in ("serious", "critical")
    ]
    assert serious == []


@pytest.mark.parametrize("page", PAGES)
def test_a_phone_shows_a_page_without_scrolling_sideways(browser: Browser, site: Path, page: str) -> None:
    browser.size(360, 740)
    browser.open(site / page)
    assert browser.run("return document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_readable_without_scripts(browser: Browser, site: Path, page: str) -> None:
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(site / page)
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("return [...document.querySelectorAll('section')].every(part => part.offsetHeight > 0)")


def test_printing_leaves_out_what_only_a_screen_can_use(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html")
    browser.media("dark", "print")
    seen = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert browser.run(seen, ".tools") == "none"
    assert browser.run(seen, "#leaderboard") == "table"
    assert browser.run("return getComputedStyle(document.body).color") == "rgb(28, 29, 33)"


def test_the_first_stop_of_the_keyboard_skips_to_the_content(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html")
    browser.driver.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to the content"


def test_pointing_at_a_violation_lights_up_what_it_names(browser: Browser, site: Path) -> None:
    browser.open(site / "cell/delta/b3-1.html")
    browser.run("document.querySelector('.findings.bad li').focus()")
    assert browser.run("return document.querySelectorAll('.graph .lit').length") == 2


def test_labels_in_the_drawing_are_text_that_can_be_selected(browser: Browser, site: Path) -> None:
    browser.open(site / "cell/alpha/b1-1.html")
    selected = browser.run(
        "const all = document.createRange(); all.selectNodeContents(document.querySelector('svg.graph .option'));"
        "getSelection().addRange(all); return getSelection().toString()"
    )
    assert "O" in selected
