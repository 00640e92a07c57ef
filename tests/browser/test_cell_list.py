"""The list of all cells in a real browser: filters, search, sort, CSV, and the address that holds its state."""

import csv
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.browser.chromium import Browser
from tests.builders.cases import cases

pytestmark = pytest.mark.browser

PAGE = "cells.html"
CELLS = 15
ROW = ["cell/m/b-1.html", "m", "b", 1, "usable", [], [], 0.5, None, 0.01, 1.0]


def rows(browser: Browser) -> list[list[str]]:
    found: list[list[str]] = browser.run(
        "return [...document.querySelectorAll('#cells-body tr')].map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return found


def models(browser: Browser) -> list[str]:
    return [row[1] for row in rows(browser)]


def said(browser: Browser) -> str:
    return str(browser.run("return document.getElementById('shown').textContent"))


def fragment(browser: Browser) -> str:
    return str(browser.run("return location.hash"))


def choose(browser: Browser, name: str, text: str) -> None:
    select = browser.driver.find_element(By.CSS_SELECTOR, f"#filter [name={name}]")
    Select(select).select_by_visible_text(text)


def test_every_cell_is_in_the_list(browser: Browser, site: Path) -> None:
    browser.open(site / PAGE)
    assert said(browser) == f"{CELLS} cells"
    assert len(rows(browser)) == CELLS
    assert browser.complaints() == []


@cases(
    "name, choice, count, address",
    {
        "model": ("model", "EPSILON (3)", 3, "#model=epsilon"),
        "outcome": ("status", "Truncated (1)", 1, "#status=truncated"),
        "failure": ("code", "Cycle detected (1)", 1, "#code=CYCLE_DETECTED"),
    },
)
def test_a_choice_filters_and_is_in_the_address(
    browser: Browser, site: Path, name: str, choice: str, count: int, address: str
) -> None:
    browser.open(site / PAGE)
    choose(browser, name, choice)
    assert said(browser) == f"{count} of {CELLS} cells"
    assert len(rows(browser)) == count
    assert fragment(browser) == address


def test_a_part_of_a_name_chooses_all_briefs_that_have_it_and_what_fits_nothing_says_so(
    browser: Browser, site: Path
) -> None:
    browser.open(site / PAGE)
    brief = browser.driver.find_element(By.CSS_SELECTOR, "#filter [name=brief]")
    totals = browser.driver.find_element(By.ID, "totals")
    brief.send_keys("b2", Keys.ENTER)
    assert fragment(browser) == "#brief=b2"
    assert totals.text == "4 usable, mean score 0.500, cost $0.0380"
    brief.clear()
    brief.send_keys("b", Keys.ENTER)
    assert fragment(browser) == "#brief=b1,b2,b3"
    brief.clear()
    brief.send_keys("none", Keys.ENTER)
    assert totals.text == "No cell fits the filter."


def test_names_in_the_list_lead_to_the_model_and_the_brief(browser: Browser, site: Path) -> None:
    browser.open(site / PAGE, "#model=beta&brief=b2")
    links = browser.run(
        "return [...document.querySelectorAll('#cells-body a')].map(a => a.pathname.split('/site/')[1])"
    )
    assert links == ["brief/b2.html", "model/beta.html", "cell/beta/b2-1.html"]


def test_an_address_with_several_outcomes_shows_their_cells(browser: Browser, site: Path) -> None:
    browser.open(site / PAGE, "#status=truncated,parse_failed&sort=-brief")
    assert [row[0] for row in rows(browser)] == ["b3", "b2"]
    shown = "return document.querySelector('#filter [name=status]').selectedOptions[0].text"
    assert browser.run(shown) == "Truncated or Parse failed"


def test_a_text_is_searched_in_labels_and_messages_in_any_case(
    browser: Browser, site: Path
) -> None:
    browser.open(site / PAGE)
    search = browser.driver.find_element(By.CSS_SELECTOR, "#filter [name=q]")
    search.send_keys("FORM a cycle")
    assert models(browser) == ["DELTA"]
    assert fragment(browser) == "#q=FORM+a+cycle"
    browser.driver.find_element(By.ID, "clear").click()
    assert said(browser) == f"{CELLS} cells"
    assert fragment(browser) == ""


def test_a_score_sorts_from_low_to_high_first_and_no_answer_comes_last(
    browser: Browser, site: Path
) -> None:
    browser.open(site / PAGE)
    head = browser.driver.find_element(By.CSS_SELECTOR, "th[data-field=score] button")
    head.click()
    scores = [row[2] for row in rows(browser)]
    assert (scores[0], scores[-2], scores[-1]) == ("0.000", "0.900", "—")
    head.click()
    assert rows(browser)[0][2] == "0.900"
    assert fragment(browser) == "#sort=-score"
    assert browser.run("return document.querySelector('th[data-field=score]').ariaSort") == (
        "descending"
    )


def test_a_line_leads_to_its_cell_with_the_list_in_the_address(
    browser: Browser, site: Path
) -> None:
    browser.open(site / PAGE, "#model=epsilon&brief=b2")
    browser.driver.find_element(By.CSS_SELECTOR, "#cells-body .tag").click()
    assert browser.driver.current_url.endswith("cell/epsilon/b2-1.html#model=epsilon&brief=b2")


def test_the_download_has_the_lines_that_are_shown(browser: Browser, site: Path) -> None:
    browser.open(site / PAGE, "#model=delta&sort=brief")
    file = browser.downloads / "cells.csv"
    file.unlink(missing_ok=True)
    browser.driver.find_element(By.ID, "save").click()
    WebDriverWait(browser.driver, 10).until(lambda _: file.is_file())
    lines = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [line["brief"] for line in lines] == ["b1", "b2", "b3"]
    assert lines[2]["code"] == "CYCLE_DETECTED INVALID_EDGE_REF"


@pytest.mark.parametrize("count", ["#charts-title ~ .charts a", ".facts a", "#heat td a"])
def test_a_count_and_a_mark_of_the_overview_lead_to_as_many_cells(
    browser: Browser, site: Path, count: str
) -> None:
    browser.open(site / "index.html")
    links = [
        link
        for link in browser.run(
            "return [...document.querySelectorAll(arguments[0])].map(a => [a.getAttribute('href'), a.textContent])",
            count,
        )
        if link[0].startswith(PAGE)
    ]
    assert links
    for address, text in links[:6]:
        browser.open(site / PAGE, address.removeprefix(PAGE))
        assert rows(browser), (address, text)


def test_without_scripts_the_page_leads_to_the_lists_of_the_models(
    browser: Browser, site: Path
) -> None:
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(site / PAGE)
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    assert "Filters need JavaScript" in browser.driver.find_element(By.TAG_NAME, "main").text
    assert browser.driver.find_elements(By.CSS_SELECTOR, "main a[href='model/alpha.html']")


def test_a_phone_shows_the_score_of_a_cell_beside_its_model(browser: Browser, site: Path) -> None:
    browser.size(390, 740)
    browser.open(site / PAGE)
    score = "document.querySelector('#cells-body td.num')"
    assert browser.run(f"return {score}.textContent") == "0.900"
    assert browser.run(f"return {score}.getBoundingClientRect().right") <= 390


def test_a_printed_list_has_every_cell_and_no_filter(browser: Browser, site: Path) -> None:
    browser.open(site / PAGE)
    browser.run(
        "const [row] = arguments; while (CELLS.length < 500) { CELLS.push(row); CELL_TEXTS.push(''); }"
        "dispatchEvent(new Event('hashchange')); dispatchEvent(new Event('beforeprint'))",
        ROW,
    )
    browser.media("light", "print")
    assert len(rows(browser)) == 500
    seen = browser.run(
        "return ['#filter', '#more'].map(part => document.querySelector(part).getClientRects().length)"
    )
    assert seen == [0, 0]


def test_ten_thousand_cells_are_filtered_within_200_ms(browser: Browser, site: Path) -> None:
    browser.open(site / PAGE)
    browser.run(
        "const [row] = arguments; CELLS.length = 0; CELL_TEXTS.length = 0;"
        "for (let n = 0; n < 10000; n++) {"
        "  CELLS.push(row.with(2, `b${n % 500}`).with(7, n / 10000)); CELL_TEXTS.push(`label ${n} `.repeat(30)); }",
        ROW,
    )
    times = browser.run(
        "return ['#q=label+99', '#sort=-score', '#brief=b7', '#q=nothing', '#'].map(hash => {"
        "  const start = performance.now(); history.replaceState(null, '', hash);"
        "  dispatchEvent(new Event('hashchange')); document.body.offsetHeight; return performance.now() - start; })"
    )
    assert said(browser) == "10,000 cells"
    assert len(rows(browser)) < 1_000
    assert min(times[1:]) < 200
    assert sorted(times)[len(times) // 2] < 200, times
