"""Drawings in a real browser: zoom, pan, tracing, labels within their boxes, print."""

from pathlib import Path

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from tests.browser.chromium import Browser

pytestmark = pytest.mark.browser
CELL = "cell/alpha/b1-1.html"
WIDTHS = (
    "const place = document.querySelector('.canvas'); return [place.clientWidth, place.scrollWidth]"
)


def press_button(browser: Browser, name: str) -> None:
    browser.driver.find_element(By.CSS_SELECTOR, f".drawing button[title='{name}']").click()


def drawn_width(browser: Browser) -> float:
    return float(
        browser.run("return document.querySelector('svg.graph').getBoundingClientRect().width")
    )


@pytest.mark.parametrize("page", [CELL, "brief/b1.html"])
def test_a_drawing_fits_the_width_of_its_place(browser: Browser, site: Path, page: str) -> None:
    for width in (1440, 820, 390):
        browser.size(width, 900)
        browser.open(site / page)
        room, drawn = browser.run(WIDTHS)
        assert drawn <= room


def test_buttons_and_keys_zoom_a_drawing(browser: Browser, site: Path) -> None:
    browser.size(820, 900)
    browser.open(site / CELL)
    fitted = drawn_width(browser)
    press_button(browser, "Full size")
    full = browser.run("return document.querySelector('svg.graph').viewBox.baseVal.width")
    assert drawn_width(browser) == pytest.approx(full, abs=1)
    press_button(browser, "Zoom in")
    assert drawn_width(browser) == pytest.approx(full * 1.25, abs=1)
    browser.driver.find_element(By.CSS_SELECTOR, ".canvas").send_keys("--")
    assert drawn_width(browser) == pytest.approx(full / 1.25, abs=1)
    browser.driver.find_element(By.CSS_SELECTOR, ".canvas").send_keys("f")
    assert drawn_width(browser) <= fitted
    height = browser.run(
        "return document.querySelector('svg.graph').getBoundingClientRect().height"
    )
    assert height <= 0.8 * 900 + 1


def test_a_mouse_pans_a_drawing(browser: Browser, site: Path) -> None:
    browser.size(820, 900)
    browser.open(site / CELL)
    press_button(browser, "Full size")
    canvas = browser.driver.find_element(By.CSS_SELECTOR, ".canvas")
    moves = ActionChains(browser.driver).move_to_element_with_offset(canvas, 0, 0)
    browser.run(
        "const part = document.querySelector('.canvas'); part.scrollIntoView(); part.scrollTo(100, 0);"
        "document.querySelector('svg.graph').style.pointerEvents = 'none'"
    )
    moves.click_and_hold().move_by_offset(-40, 0).release().perform()
    assert browser.run("return document.querySelector('.canvas').scrollLeft") == 140


NEAR = "return [...document.querySelectorAll('svg.graph .n.near')].map(box => box.querySelector('title').textContent.split('\\n')[1])"


def test_a_focused_node_shows_its_edges_and_dims_the_rest(browser: Browser, site: Path) -> None:
    browser.open(site / CELL)
    browser.run("document.querySelector('#g-n1').focus()")
    assert browser.run(NEAR) == ["id d", "id o", "id f"]
    dimmed = browser.run(
        "const box = document.querySelector('.traced .n:not(.near)'); return getComputedStyle(box).opacity"
    )
    assert float(dimmed) < 0.3
    texts = browser.run(
        "return [...document.querySelectorAll('.about p')].map(line => line.textContent.split('\\n')[0])"
    )
    assert texts == ["option: O", "D → O", "O → F"]
    browser.run("document.activeElement.blur()")
    assert browser.run("return document.querySelector('.about').hidden")
    assert browser.run(NEAR) == []


@pytest.mark.parametrize("button", ["Fit", "Full size"])
def test_no_label_leaves_its_box(browser: Browser, site: Path, button: str) -> None:
    browser.size(1440, 900)
    browser.open(site / CELL)
    press_button(browser, {"Fit": "Show the whole drawing"}.get(button, button))
    outside: list[str] = browser.run(
        "return [...document.querySelectorAll('svg.graph .n')].flatMap(box => {"
        " const room = box.querySelector('rect').getBoundingClientRect();"
        " return [...box.querySelectorAll('text')].filter(line => {"
        "  const place = line.getBoundingClientRect();"
        "  return place.left < room.left || place.right > room.right || place.bottom > room.bottom + 1;"
        " }).map(line => line.textContent); })"
    )
    assert outside == []


def test_a_label_that_is_cut_is_text_below_the_drawing(browser: Browser, site: Path) -> None:
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(site / CELL)
    browser.command("Emulation.setScriptExecutionDisabled", value=False)
    browser.click(".drawing + details summary")
    assert any(len(text) > 1000 for text in browser.texts(".drawing + details li"))


def test_a_printed_drawing_is_on_one_page(browser: Browser, site: Path) -> None:
    browser.size(1031, 700)
    browser.open(site / CELL)
    press_button(browser, "Full size")
    browser.media("light", "print")
    width, height = browser.run(
        "const place = document.querySelector('svg.graph').getBoundingClientRect(); return [place.width, place.height]"
    )
    assert width <= 1031
    assert height <= 170 / 25.4 * 96
