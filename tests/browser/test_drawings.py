"""Drawings in a real browser: zoom, pan, tracing, labels within their boxes, print."""

import pytest

pytestmark = pytest.mark.browser
CELL = "cell/alpha/b1-1.html"


def press_button(browser, name):
    browser.click(f".drawing button[title='{name}']")


def size_of_drawing(browser):
    rect = browser.find("svg.graph").rect
    return rect["width"], rect["height"]


def test_a_drawing_fits_its_place(browser, site):
    for width in (1440, 390):
        browser.size(width, 900)
        browser.open(site / CELL)
        canvas = browser.find(".canvas")
        assert canvas.get_property("scrollWidth") <= canvas.get_property("clientWidth")


def test_buttons_and_keys_zoom_a_drawing(browser, site):
    browser.size(820, 900)
    browser.open(site / CELL)
    fitted, _ = size_of_drawing(browser)
    press_button(browser, "Full size")
    full = browser.run("return document.querySelector('svg.graph').viewBox.baseVal.width")
    press_button(browser, "Zoom in")
    assert size_of_drawing(browser)[0] == pytest.approx(full * 1.25, abs=1)
    browser.find(".canvas").send_keys("--")
    assert size_of_drawing(browser)[0] == pytest.approx(full / 1.25, abs=1)
    browser.find(".canvas").send_keys("f")
    width, height = size_of_drawing(browser)
    assert width <= fitted
    assert height <= 0.8 * 900 + 1


NEAR = "return [...document.querySelectorAll('svg.graph .n.near')].map(box => box.querySelector('title').textContent.split('\\n')[1])"


def test_a_focused_node_shows_its_edges_and_dims_the_rest(browser, site):
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


def test_no_label_leaves_its_box(browser, site):
    browser.size(1440, 900)
    browser.open(site / CELL)
    outside = browser.run(
        "return [...document.querySelectorAll('svg.graph .n')].flatMap(box => {"
        " const room = box.querySelector('rect').getBoundingClientRect();"
        " return [...box.querySelectorAll('text')].filter(line => {"
        "  const place = line.getBoundingClientRect();"
        "  return place.left < room.left || place.right > room.right || place.bottom > room.bottom + 1;"
        " }).map(line => line.textContent); })"
    )
    assert outside == []


def test_a_label_that_is_cut_is_text_below_the_drawing(browser, site):
    browser.without_scripts(site / CELL)
    browser.click(".drawing + details summary")
    assert any(len(text) > 1000 for text in browser.texts(".drawing + details li"))


def test_a_printed_drawing_is_on_one_page(browser, site):
    browser.size(1031, 700)
    browser.open(site / CELL)
    press_button(browser, "Full size")
    browser.media("light", "print")
    width, height = size_of_drawing(browser)
    assert width <= 1031
    assert height <= 170 / 25.4 * 96
