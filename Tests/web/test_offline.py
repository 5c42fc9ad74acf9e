# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Visits the pages, stops the server, and tests that the pages still work.

import subprocess

import pytest
from pages import chromium, serving
from support import ROOT
from selenium.webdriver.support.ui import WebDriverWait
from visitor import Page

pytestmark = pytest.mark.long

KEPT = """const done = arguments[0];
navigator.serviceWorker.ready.then(() => {
  if (navigator.serviceWorker.controller) done();
  else navigator.serviceWorker.addEventListener("controllerchange", () => done());
});"""


@pytest.mark.parametrize("name", ["web", "site"])
def test_the_player_plays_after_the_server_has_gone(name, request):
    with chromium() as driver:
        with serving(request.getfixturevalue(name)) as address:
            driver.get(f"{address}/")
            driver.execute_async_script(KEPT)
        page = Page(driver, f"{address}/")
        page.find(".play").click()
        page.until(lambda: (page.player("position") or 0) > 0.2)
        assert page.player("duration") == pytest.approx(5, abs=0.2)


def test_a_page_that_was_not_visited_is_there_and_can_be_searched(site):
    with chromium() as driver:
        with serving(site) as address:
            driver.get(f"{address}/")
            driver.execute_async_script(KEPT)
        page = Page(driver, f"{address}/timescale.html")
        driver.find_element("id", "search").send_keys("low-latency")
        page.until(lambda: driver.find_elements("css selector", "#found a"))
        driver.find_element("id", "search").send_keys(" xyzzy")
        page.until(lambda: driver.find_element("id", "found").text == "Nothing found. Try fewer or other words.")


def test_pictures_are_there_and_a_page_that_is_not_kept_says_so(site):
    with chromium() as driver:
        with serving(site) as address:
            driver.get(f"{address}/")
            driver.execute_async_script(KEPT)
        driver.get(f"{address}/sound.html")
        images = "return [...document.images].filter((image) => !(image.complete && image.naturalWidth > 0)).length"
        WebDriverWait(driver, 60).until(lambda _: driver.execute_script(images) == 0)
        driver.get(f"{address}/library/documentation/retrograde/index.html")
        assert driver.find_element("tag name", "h1").text == "No network"
        driver.find_element("link text", "To the first page, which is kept").click()
        WebDriverWait(driver, 60).until(lambda _: driver.find_element("tag name", "h1").text == "Retrograde")


def test_all_sounds_of_a_visit_to_the_comparison_are_there(site):
    """All sounds and pictures must be in the cache, even if they were never played or visible."""
    wanted = len([*(site / "sounds").glob("*.opus"), *(site / "sounds").glob("*.webp")])
    kept = """const done = arguments[0];
      (async () => {
        const all = (await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))).flat();
        return all.filter(({ url }) => url.includes("/sounds/")).length;
      })().then(done)"""
    with chromium() as driver:
        with serving(site) as address:
            driver.get(f"{address}/compare.html")
            WebDriverWait(driver, 60).until(lambda _: driver.execute_async_script(kept) == wanted)
        driver.get(f"{address}/compare.html")
        driver.find_element("css selector", "#pair-mp3 figure:last-child label").click()
        playing = "return document.querySelector('#pair-mp3').player.isPlaying"
        WebDriverWait(driver, 60).until(lambda _: driver.execute_script(playing))
        images = "return [...document.querySelectorAll('#pair-mp3 img')].every((image) => image.naturalWidth > 0)"
        WebDriverWait(driver, 60).until(lambda _: driver.execute_script(images))


def test_what_changes_gets_a_cache_of_its_own(tmp_path):
    def cache(content):
        (tmp_path / "index.html").write_text(content)
        subprocess.run([ROOT / "scripts/make-offline.py", tmp_path, "*"], check=True)
        text = (tmp_path / "sw.js").read_text()
        assert '["./", "index.html"]' in text
        return text.partition("const CACHE = ")[2].partition(";")[0]

    assert cache("one") == cache("one") != cache("two")
