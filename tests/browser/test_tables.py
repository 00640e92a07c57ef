from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.browser.chromium import Browser

pytestmark = pytest.mark.browser


def names(browser: Browser, table: str = "leaderboard") -> list[str]:
    found: list[str] = browser.run(
        "return [...document.getElementById(arguments[0]).tBodies[0].rows].filter(row => !row.hidden)"
        ".map(row => row.cells[0].textContent.trim())",
        table,
    )
    return found


def head(browser: Browser, title: str, table: str = "leaderboard") -> None:
    browser.driver.find_element(
        By.XPATH, f"//table[@id='{table}']//th/button[.='{title}']"
    ).send_keys(Keys.ENTER)


def fragment(browser: Browser) -> str:
    return str(browser.run("return location.hash"))


BY_RANK = ["ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON"]


def test_a_click_on_a_head_sorts_and_a_second_one_turns_the_order(
    browser: Browser, site: Path
) -> None:
    browser.open(site / "index.html")
    assert names(browser) == BY_RANK
    head(browser, "Model")
    assert names(browser) == ["ALPHA", "BETA", "DELTA", "EPSILON", "GAMMA"]
    announced = "return [...document.querySelectorAll('[aria-sort]')].map(item => item.textContent + item.ariaSort)"
    assert browser.run(announced) == ["Modelascending"]
    head(browser, "Model")
    assert names(browser) == ["GAMMA", "EPSILON", "DELTA", "BETA", "ALPHA"]
    assert fragment(browser) == "#leaderboard.sort=0d"


def test_numbers_sort_as_numbers_and_what_was_not_measured_comes_last_either_way(
    browser: Browser, site: Path
) -> None:
    browser.open(site / "index.html")
    head(browser, "Per usable graph")
    assert names(browser)[-1] == "EPSILON"
    head(browser, "Per usable graph")
    assert names(browser)[-1] == "EPSILON"
    assert fragment(browser) == "#leaderboard.sort=4a"


def test_a_filter_leaves_the_rows_that_hold_the_text(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html")
    browser.driver.find_element(
        By.CSS_SELECTOR, "input[aria-label='Filter the rows of: Leaderboard']"
    ).send_keys("bet")
    assert names(browser) == ["BETA"]
    assert fragment(browser) == "#leaderboard.q=bet"
    assert "1 of 5 rows" in browser.driver.find_element(By.TAG_NAME, "main").text


def test_a_choice_leaves_the_rows_that_have_it(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html")
    Select(
        browser.driver.find_element(By.CSS_SELECTOR, "select[aria-label='Show only one Mode']")
    ).select_by_value("fast")
    assert names(browser) == ["ALPHA", "BETA"]


def test_a_deep_link_brings_back_order_filter_and_choice(browser: Browser, site: Path) -> None:
    browser.open(site / "index.html", "#leaderboard.sort=0d&leaderboard.q=a&leaderboard.8=normal")
    assert names(browser) == ["GAMMA", "DELTA"]


@pytest.mark.parametrize(
    "fragment",
    ["#leaderboard.sort=99a", "#leaderboard.sort=<img>", "#nothing.q=x", "#%E0%A4%A", "#=&=&"],
)
def test_a_link_with_nonsense_does_no_harm(browser: Browser, site: Path, fragment: str) -> None:
    browser.open(site / "index.html", fragment)
    assert names(browser) == BY_RANK
    assert browser.complaints() == []


def downloaded(browser: Browser, table: str) -> str:
    file = browser.downloads / f"{table}.csv"
    file.unlink(missing_ok=True)
    tools = browser.driver.find_element(
        By.XPATH, f"//div[@class='tools'][following-sibling::div[1]//table[@id='{table}']]"
    )
    tools.find_element(By.XPATH, ".//button[.='Download CSV']").send_keys(Keys.ENTER)
    WebDriverWait(browser.driver, 10).until(lambda _: file.exists() and file.stat().st_size > 0)
    return file.read_text(encoding="utf-8")


def test_a_table_downloads_as_csv_with_exact_numbers_and_empty_fields_for_what_was_not_measured(
    browser: Browser, site: Path
) -> None:
    browser.open(site / "index.html", "#leaderboard.sort=7a")
    lines = downloaded(browser, "leaderboard").splitlines()
    assert lines[0].startswith("Model,Expected score,Interval,Usable,")
    assert lines[1].startswith("ALPHA,0.85,")
    assert lines[5].startswith("EPSILON,0,")
    assert len(lines) == 6


def test_no_field_of_a_downloaded_table_can_be_taken_for_a_formula(
    browser: Browser, site: Path
) -> None:
    browser.open(site / "cell/alpha/b1-1.html")
    text = downloaded(browser, "nodes")
    assert "'=HYPERLINK(" in text
    fields = [field.strip('"') for line in text.splitlines() for field in line.split(",")]
    assert not [field for field in fields if field[:1] in ("=", "+", "@") or field[:2] == "-2"]
