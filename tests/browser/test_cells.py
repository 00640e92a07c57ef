"""The pages of cells and briefs in a real browser: what can be copied, and any two answers beside each other."""

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.browser.chromium import Browser
from tests.browser.test_review import press

pytestmark = pytest.mark.browser
CELL = "cell/alpha/b1-1.html"


def copied(browser: Browser, name: str) -> str:
    permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    browser.command("Browser.grantPermissions", permissions=permissions)
    browser.driver.find_element(By.XPATH, f"//button[.='Copy {name}']").click()
    said = browser.driver.find_element(By.CSS_SELECTOR, "#cell-tools [role=status]")
    WebDriverWait(browser.driver, 10).until(lambda _: said.text)
    assert said.text == f"Copied: {name}"
    return str(
        browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    )


@pytest.mark.parametrize(
    ("name", "beginning"), [("brief", "<script>"), ("answer", "<script>"), ("graph JSON", "{")]
)
def test_a_button_copies_what_the_page_shows(
    browser: Browser, site: Path, name: str, beginning: str
) -> None:
    browser.open(site / CELL)
    assert copied(browser, name).startswith(beginning)


def steps(browser: Browser) -> list[str]:
    """The texts of the links to the previous cell, the list and the next cell."""
    links = browser.driver.find_elements(By.CSS_SELECTOR, "#steps a")
    return [link.text for link in links]


def shown_cell(browser: Browser) -> str:
    return browser.driver.current_url.partition("/cell/")[2]


def test_the_keys_j_and_k_go_through_the_list_that_the_filter_in_the_address_shows(
    browser: Browser, site: Path
) -> None:
    browser.open(site / "cells.html", "#model=alpha&sort=-brief")
    browser.driver.find_element(By.CSS_SELECTOR, "#cells-body .tag").click()
    assert shown_cell(browser) == "alpha/b3-1.html#model=alpha&sort=-brief"
    assert steps(browser) == ["1 of 3 in the list", "Next →"]
    press(browser, "j")
    assert shown_cell(browser) == "alpha/b2-1.html#model=alpha&sort=-brief"
    assert steps(browser) == ["← Previous", "2 of 3 in the list", "Next →"]
    press(browser, "k")
    assert shown_cell(browser).startswith("alpha/b3-1.html")
    browser.driver.find_element(By.LINK_TEXT, "1 of 3 in the list").click()
    assert browser.driver.current_url.endswith("cells.html#model=alpha&sort=-brief")


def test_a_search_for_words_is_gone_through_too(browser: Browser, site: Path) -> None:
    browser.open(site / "cell/delta/b3-1.html", "#q=cycle")
    WebDriverWait(browser.driver, 10).until(lambda _: steps(browser))
    assert steps(browser) == ["1 of 1 in the list"]


@pytest.mark.parametrize(
    ("page", "fragment"), [("model/alpha.html", "#model=alpha"), ("brief/b1.html", "#brief=b1")]
)
def test_previous_and_next_are_those_of_the_table_that_one_came_from(
    browser: Browser, site: Path, page: str, fragment: str
) -> None:
    browser.open(site / page)
    browser.driver.find_element(By.CSS_SELECTOR, "#cells tbody a[href*='/cell/']").click()
    assert shown_cell(browser) == f"alpha/b1-1.html{fragment}"
    assert steps(browser)[-1] == "Next →"


def test_the_brief_is_beside_the_graph(browser: Browser, site: Path) -> None:
    browser.size(1440, 900)
    browser.open(site / CELL)
    places = "return ['.canvas', '#brief-text'].map(name => document.querySelector(name).getBoundingClientRect())"
    graph, brief = browser.run(places)
    assert graph["right"] <= brief["left"]
    assert abs(graph["top"] - brief["top"]) < 80


def test_a_link_to_a_finding_marks_it(browser: Browser, site: Path) -> None:
    browser.open(site / "cell/delta/b3-1.html")
    browser.run("document.querySelectorAll('.findings.bad .permalink')[1].click()")
    assert browser.driver.current_url.endswith("#violation-2")
    assert browser.run("return document.querySelector(':target .number').textContent") == "2"


def test_any_two_answers_are_beside_each_other(browser: Browser, site: Path) -> None:
    browser.size(1440, 900)
    browser.open(site / "brief/b1.html")
    place = "return document.getElementById('{}').getBoundingClientRect().top"
    assert browser.run(place.format("any-two")) < browser.run(place.format("pairs-title"))
    first, second = browser.driver.find_elements(By.CSS_SELECTOR, "#any-two select")
    Select(first).select_by_visible_text("ALPHA")
    Select(second).select_by_visible_text("DELTA")
    browser.run("document.getElementById('any-two').scrollIntoView()")
    assert browser.driver.current_url.endswith(
        "#first=cell/alpha/b1-1.html&second=cell/delta/b1-1.html".replace("/", "%2F")
    )
    browser.open(site / "brief/b1.html", browser.run("return location.hash"))
    names = []
    for frame in browser.driver.find_elements(By.CSS_SELECTOR, "#any-two iframe"):
        browser.driver.switch_to.frame(frame)
        WebDriverWait(browser.driver, 10).until(
            lambda driver: driver.find_elements(By.CSS_SELECTOR, ".bare .drawing button")
        )
        names.append(browser.run("return document.querySelector('.canvas').ariaLabel"))
        shown = "return [...document.querySelectorAll('h1, h2, table')].filter(part => part.offsetParent).length"
        assert browser.run(shown) == 0
        browser.driver.switch_to.default_content()
    assert names == ["Graph drafted by ALPHA on b1", "Graph drafted by DELTA on b1"]
    first = browser.driver.find_element(By.CSS_SELECTOR, "#any-two select")
    Select(first).select_by_visible_text("choose")
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "#any-two iframe")) == 1
    assert browser.complaints() == []
    assert browser.asked_for() <= {"file", "about", "data"}


def test_without_scripts_nothing_is_offered_that_needs_them(browser: Browser, site: Path) -> None:
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(site / "brief/b1.html")
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("return document.getElementById('any-two').offsetHeight") == 0
