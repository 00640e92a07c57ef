"""Blind pairs in a real browser: forty of them with the keyboard alone."""

import contextlib
import json

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

from graph_evaluator.records.review import Review
from tests.browser.test_pages import ACTIVE_PARTS, violations
from tests.review.written_review import key_in, write_review, write_run

pytestmark = pytest.mark.browser
CHOICES = {"1": "left", "2": "right", "0": "none"}


def written(folder, *options):
    """The page of a review."""
    write_run(folder)
    with contextlib.chdir(folder):
        write_review(*options)
    (file,) = (folder / "reviews").glob("*.html")
    return file


@pytest.fixture(name="page", scope="session")
def _page(tmp_path_factory):
    """A review of forty pairs."""
    return written(tmp_path_factory.mktemp("forty"))


@pytest.fixture(name="short_page", scope="session")
def _short_page(tmp_path_factory):
    """A review of four pairs."""
    return written(tmp_path_factory.mktemp("four"), "--pairs", "4")


@pytest.fixture(autouse=True)
def _forget(browser):
    browser.forget()


def press(browser, *keys):
    ActionChains(browser.driver).send_keys(*keys).perform()


def heading(browser):
    return str(
        browser.run(
            "return [...document.querySelectorAll('h1')].find(item => item.offsetParent).textContent"
        )
    )


def begin(browser, page, name="Ann"):
    browser.open(page)
    press(browser, name, Keys.ENTER)


def test_every_pair_is_answered_with_the_keyboard_alone_and_the_answers_are_downloaded(
    browser, page
):
    begin(browser, page)
    for number in range(40):
        assert heading(browser) == f"Pair {number + 1} of 40"
        if number == 3:
            press(browser, "r", '12 r 0: "clear"\u00e9', Keys.ENTER)
        press(browser, "120"[number % 3])
    assert heading(browser) == "Thank you"
    press(browser, Keys.ENTER)
    key = key_in(page.parents[1])
    lines = browser.downloaded(f"{key.review}.ann.jsonl").splitlines()
    answers = [Review.model_validate(json.loads(line)) for line in lines]
    assert [answer.pair for answer in answers] == [pair.pair for pair in key.pairs]
    assert [answer.choice for answer in answers] == [
        CHOICES["120"[number % 3]] for number in range(40)
    ]
    assert [answer.reason for answer in answers if answer.reason] == ['12 r 0: "clear"\u00e9']
    assert browser.run(ACTIVE_PARTS) == []
    assert browser.complaints() == []
    assert browser.asked_for() <= {"file", "about", "data", "blob"}


def test_an_answer_can_be_changed_on_the_way_back_and_nothing_is_lost_on_reload(browser, page):
    begin(browser, page)
    press(browser, "1", "1", Keys.ARROW_LEFT, Keys.ARROW_LEFT, "2", *[Keys.ARROW_RIGHT] * 2)
    press(browser, "r", "half a reason")
    browser.driver.refresh()
    assert heading(browser) == "Pair 3 of 40"
    assert browser.run("return document.getElementById('reason').value") == "half a reason"
    kept = "return Object.values(JSON.parse(localStorage.getItem(localStorage.key(0))).answers)"
    assert [answer["choice"] for answer in browser.run(kept)] == ["right", "left", None]


@pytest.mark.parametrize("name", ["", "a b", "Zoë", "../x", "-x"])
def test_a_name_that_cannot_be_part_of_a_file_name_is_refused(browser, page, name):
    begin(browser, page, name)
    assert heading(browser) == "Which graph would you rather work with?"
    assert browser.run("return document.getElementById('name-problem').textContent").startswith(
        "Please use letters"
    )


@pytest.mark.parametrize(("scheme", "answers"), [("light", 0), ("dark", 0), ("dark", 4)])
def test_axe_finds_nothing_on_a_phone(browser, short_page, scheme, answers):
    browser.size(390, 740)
    browser.media(scheme)
    browser.open(short_page)
    assert violations(browser) == []
    press(browser, "ann", Keys.ENTER, "1" * answers)
    assert violations(browser) == []
    assert browser.run("return document.documentElement.scrollWidth") <= 390
