"""The pages of cells and briefs in a real browser: what can be copied, and any two answers beside each other."""

import pytest
from selenium.webdriver.common.keys import Keys

from graph_evaluator.report.reviews import read_notes
from tests.browser.test_review import press

pytestmark = pytest.mark.browser
CELL = "cell/alpha/b1-1.html"


def test_a_button_copies_what_the_page_shows(browser, site):
    browser.open(site / CELL)
    permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    browser.command("Browser.grantPermissions", permissions=permissions)
    browser.click("//button[.='Copy answer']")
    said = browser.find("#cell-tools [role=status]")
    browser.wait(lambda: said.text)
    assert said.text == "Copied: answer"
    read = "navigator.clipboard.readText().then(arguments[0])"
    assert browser.driver.execute_async_script(read).startswith("<script>")


def test_the_keys_j_and_k_go_through_the_list_that_the_filter_in_the_address_shows(browser, site):
    browser.open(site / "cells.html", "#model=alpha&sort=-brief")
    browser.click("#cells-body .tag")
    for key, cell, place in (("", "b3-1", 1), ("j", "b2-1", 2), ("k", "b3-1", 1)):
        press(browser, key)
        assert browser.driver.current_url.endswith(f"/alpha/{cell}.html#model=alpha&sort=-brief")
        assert f"{place} of 3 in the list" in browser.texts("#steps a")
    browser.click("//a[.='1 of 3 in the list']")
    assert browser.driver.current_url.endswith("cells.html#model=alpha&sort=-brief")


def test_pointing_at_what_is_wrong_lights_up_its_parts_and_a_click_says_what_is_known_of_them(
    browser, site
):
    browser.open(site / "cell/delta/b3-1.html")
    lit = "return [...document.querySelectorAll('.graph .highlighted')].map(part => part.id)"
    browser.run("document.querySelector('.findings a').focus()")
    assert browser.run(lit) == ["g-n0", "g-n4"]
    browser.click(".findings a")
    assert "strength" in browser.texts(".about")[0]
    overlap = browser.run(
        "const [canvas, about] = ['.canvas', '.about'].map(name => document.querySelector(name).getBoundingClientRect());"
        "return about.top < canvas.bottom",
    )
    assert not overlap


def test_what_only_one_of_two_chosen_graphs_has_is_marked_and_listed(browser, site):
    browser.size(1440, 900)
    browser.open(site / "brief/b1.html")
    browser.choose("#any-two div select", "BETA")
    browser.choose("#any-two div + div select", "DELTA")
    browser.open(site / "brief/b1.html", browser.address())
    assert "Only in Part What\nBETA effect F -> R" in browser.texts(".differences")[0]
    frames = browser.all("#any-two iframe")
    highest = browser.run("return 0.85 * innerHeight")
    is_whole = f"return Math.abs(Math.min(document.body.offsetHeight, {highest}) - innerHeight) < 2"
    marked = []
    for frame, name in zip(frames, ("BETA", "DELTA"), strict=True):
        browser.driver.switch_to.frame(frame)
        browser.wait(lambda: browser.texts(".bare .drawing button"))
        assert browser.find(".canvas").accessible_name == f"Graph drafted by {name} on b1"
        browser.wait(lambda: browser.run(is_whole))
        assert not any(browser.texts("h1, h2, table"))
        marked.append(
            browser.run(
                "return [...document.querySelectorAll('.removed, .added')].map(part => part.id)"
            )
        )
        browser.driver.switch_to.default_content()
    assert marked == [["g-e2"], []]
    assert browser.complaints() == []
    assert browser.asked_for() <= {"file", "about", "data"}


def test_a_note_is_kept_by_the_browser_and_saved_as_a_file_that_the_report_reads(
    browser, site, tmp_path
):
    browser.open(site / CELL)
    browser.choose("#note [name=mark]", "bad")
    browser.find("#note [name=kind]").send_keys("sign")
    browser.find("#note [name=text]").send_keys("Turned.", Keys.TAB)
    assert browser.texts("#note [role=status]") == ["Kept in this browser."]
    browser.open(site / CELL)
    assert browser.run("return document.querySelector('#note [name=kind]').value") == "sign"
    browser.open(site / "cells.html", "#model=alpha&brief=b1")
    assert browser.texts("#cells-body .note") == ["noted bad"]
    browser.find("#save-notes input").send_keys("ann")
    browser.click("#save-notes button")
    (tmp_path / "notes-ann.jsonl").write_text(browser.downloaded("notes-ann.jsonl"))
    browser.run("localStorage.clear()")
    notes = read_notes(tmp_path)["ann"]
    fields = [(note.model_id, note.brief_id, note.mark, note.kind) for note in notes]
    assert fields == [("alpha", "b1", "bad", "sign")]
