import csv

import pytest
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.browser
BY_RANK = ["ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON"]
SEARCH = "input[aria-label='Filter the rows of: Leaderboard']"


def names(browser):
    return [text for text in browser.texts("#leaderboard tbody th") if text]


def place_of(browser, title):
    heads = browser.run(
        "return [...document.querySelectorAll('#leaderboard thead th')].map(head => head.textContent)"
    )
    return heads.index(title)


def head(browser, title):
    path = f"//table[@id='leaderboard']//th/button[.='{title}']"
    browser.find(path).send_keys(Keys.ENTER)


def test_a_click_on_a_head_sorts_and_a_second_one_turns_the_order(browser, site):
    browser.open(site / "index.html")
    assert names(browser) == BY_RANK
    head(browser, "Model")
    assert names(browser) == sorted(BY_RANK)
    announced = "return [...document.querySelectorAll('[aria-sort]')].map(item => item.textContent + item.ariaSort)"
    assert browser.run(announced) == ["Modelascending"]
    head(browser, "Model")
    assert names(browser) == sorted(BY_RANK, reverse=True)
    assert browser.address() == f"#leaderboard.sort={place_of(browser, 'Model')}d"


def test_a_filter_leaves_the_rows_that_hold_the_text_and_says_so_when_there_is_none(browser, site):
    browser.open(site / "index.html")
    search = browser.find(SEARCH)
    search.send_keys("bet")
    assert names(browser) == ["BETA"]
    assert browser.address() == "#leaderboard.q=bet"
    assert "1 of 5 rows" in browser.texts("main")[0]
    search.send_keys("x")
    assert "No row fits the filter." in browser.texts("main")[0]


def test_a_deep_link_brings_back_order_and_filter(browser, site):
    browser.open(site / "index.html", "#heat.q=b2&leaderboard.q=a&leaderboard.sort=1d")
    assert browser.texts("#heat tbody th") == ["", "b2", ""]
    assert names(browser) == ["GAMMA", "DELTA", "BETA", "ALPHA"]


@pytest.mark.parametrize(
    "fragment",
    ["#leaderboard.sort=99a", "#leaderboard.sort=<img>", "#nothing.q=x", "#%E0%A4%A", "#=&=&"],
)
def test_a_link_with_nonsense_does_no_harm(browser, site, fragment):
    browser.open(site / "index.html", fragment)
    assert names(browser) == BY_RANK
    assert browser.complaints() == []


def downloaded(browser, table):
    tools = f"//div[@class='tools'][following-sibling::div[1]//table[@id='{table}']]"
    button = browser.find(f"{tools}//button[.='Download CSV']")
    button.send_keys(Keys.ENTER)
    return list(csv.reader(browser.downloaded(f"{table}.csv").splitlines()))


def test_a_table_downloads_as_csv_with_exact_numbers_and_no_field_that_is_a_formula(browser, site):
    browser.open(site / "index.html", "#leaderboard.q=a")
    score = place_of(browser, "Form")
    scores = [line[score] for line in downloaded(browser, "leaderboard")]
    assert scores == ["Form", "0.85", "0.7", "0.55", "0.2833333333"]
    browser.open(site / "compare.html")
    browser.run("document.querySelectorAll('details').forEach(item => { item.open = true; })")
    fields = [field for line in downloaded(browser, "models") for field in line]
    assert [field for field in fields if field.startswith("'=HYPERLINK(")]
    assert not [field for field in fields if field[:1] in ("=", "+", "@") or field[:2] == "-2"]
