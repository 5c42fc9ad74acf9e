# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the reference pages of the Swift libraries, which scripts draw, from a subfolder of a
# server.

import shutil
import subprocess

import pytest
from pages import serving
from support import ROOT
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.long

PAGES = {
    "library/documentation/retrograde/": "Retrograde",
    "library/documentation/retrograde/audioplayer/": "AudioPlayer",
    "timedsp/documentation/timedsp/": "TimeDSP",
}


@pytest.fixture(scope="module")
def references():
    """Serves the site of `make docs`, and returns its address."""
    if not shutil.which("docc"):
        pytest.skip("There is no docc.")
    made, maker = ROOT / "build/docs/timedsp/index.html", ROOT / "scripts/relocate-docc.py"
    if not made.exists() or made.stat().st_mtime < maker.stat().st_mtime:
        subprocess.run([ROOT / "scripts/make-docs.sh"], check=True)
    with serving(ROOT / "build") as address:
        yield f"{address}/docs"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_a_reference_is_not_blank_below_another_address(page, references, browser):
    browser.get(f"{references}/{page}")
    WebDriverWait(browser, 60).until(lambda _: browser.find_elements("css selector", "h1"))
    assert browser.find_element("css selector", "h1").text == PAGES[page]


def test_a_link_of_a_reference_leads_to_a_page_that_is_not_blank(references, browser):
    browser.get(f"{references}/library/documentation/retrograde/")
    wait = WebDriverWait(browser, 60)
    link = wait.until(lambda _: browser.find_elements("css selector", "main a[href*='documentation/retrograde/']:not([href*='#'])"))[0]
    link.click()
    wait.until(lambda _: browser.current_url.endswith("/filetype") and browser.find_element("css selector", "h1").text)
    assert browser.current_url.startswith(references)
    title = browser.find_element("css selector", "h1").text
    browser.refresh()
    wait.until(lambda _: browser.find_elements("css selector", "h1"))
    assert title == browser.find_element("css selector", "h1").text != "Retrograde"


def test_a_page_of_a_reference_leads_back_to_the_site(references, browser):
    browser.get(f"{references}/library/documentation/retrograde/audioplayer/")
    wait = WebDriverWait(browser, 60)
    link = "return document.querySelector('custom-header')?.shadowRoot.querySelector('a')"
    wait.until(lambda _: browser.execute_script(link)).click()
    wait.until(lambda _: browser.current_url == f"{references}/index.html")
    assert browser.find_elements("css selector", "retrograde-hear")
