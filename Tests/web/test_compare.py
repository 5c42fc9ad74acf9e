# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the page "Before and after" in headless Chromium.

import json
import subprocess
from math import comb

import numpy as np
import pytest
from loudness import RATE, loudness
from support import ROOT
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from visitor import LOUDEST, METER, small, touched

pytestmark = pytest.mark.long

PAIRS = json.loads((ROOT / "web/sounds/sounds.json").read_text())["pairs"]
COMPARED = {"Retrograde", "Rubber Band R3", "Signalsmith Stretch", "Bungee", "pitch (SoundTouch)", "scaletempo"}


class Comparison:
    def __init__(self, driver, name):
        self.driver, self.name = driver, f"#pair-{name}"

    def find(self, name):
        return self.driver.find_element(By.CSS_SELECTOR, f"{self.name} {name}")

    def player(self, expression):
        return self.driver.execute_script(f"return document.querySelector('{self.name}').player.{expression}")

    def until(self, condition):
        return WebDriverWait(self.driver, 60, 0.02).until(lambda _: condition())


@pytest.fixture
def chord(browser, site_server):
    browser.get(f"{site_server}/compare.html")
    return Comparison(browser, "chord-15")


def test_all_that_are_compared_have_a_sound_and_a_picture_of_each_pair():
    folder = ROOT / "web/sounds"
    for pair in PAIRS:
        names = {version["name"] for version in pair["versions"]}
        assert names >= (COMPARED if pair["factor"] > 0 else {"Retrograde", "Stock GStreamer"})
        assert all((folder / version[kind]).stat().st_size > 0 for version in pair["versions"] for kind in ("sound", "picture"))


def test_all_sounds_and_pictures_are_smaller_than_3_mb():
    assert sum(path.stat().st_size for path in (ROOT / "web/sounds").iterdir()) < 3e6


def test_the_page_says_where_ours_is_not_the_best():
    for pair in PAIRS:
        figures = {version["name"]: version["figure"] for version in pair["versions"] if version["name"] in COMPARED}
        if pair["factor"] < 0:
            continue
        best = (max if "higher is better" in pair["measure"] else min)(figures.values())
        assert ("not the best" in pair["verdict"]) == (figures["Retrograde"] != best)


def test_the_nearest_to_the_ideal_is_named_only_where_the_ideal_is_there(site):
    for pair in PAIRS:
        has_ideal = any(version["id"] == "ideal" for version in pair["versions"])
        assert has_ideal or "ideal," not in pair["verdict"] and "no ideal of this one is known" in pair["verdict"]
    near = sum("nearest to the ideal," in pair["verdict"] for pair in PAIRS)
    text = (site / "compare.html").read_text()
    assert f"For 5 of the 7 stretched sounds, the ideal result is known. Retrograde is nearest to it in {near} of them." in text
    assert "Another program is nearer in: <a href=" in text


def test_every_version_can_be_heard_without_a_script(site):
    text = (site / "compare.html").read_text()
    assert text.count("<audio controls") == sum(len(pair["versions"]) for pair in PAIRS)


def test_from_a_disk_the_page_shows_a_player_for_each_version(browser, site):
    browser.get((site / "compare.html").as_uri())
    players = browser.find_elements(By.CSS_SELECTOR, "retrograde-compare audio")
    assert len(players) == sum(len(pair["versions"]) for pair in PAIRS) and players[0].is_displayed()
    browser.get((site / "index.html").as_uri())
    assert "needs JavaScript, and a page from a web server" in browser.find_element(By.CSS_SELECTOR, "retrograde-hear").text


def test_what_is_chosen_reaches_the_output(chord):
    chord.driver.execute_script(METER)
    chord.find(".play").click()
    chord.until(lambda: chord.driver.execute_script(LOUDEST) > 0.2)
    chord.find(".play").click()
    chord.until(lambda: chord.driver.execute_script(LOUDEST) == 0)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["id"])
def test_all_versions_are_equally_loud_with_their_gain(pair):
    def loud(version):
        words = ["ffmpeg", "-v", "error", "-i", ROOT / "web/sounds" / version["sound"], "-ac", "2", "-ar", str(RATE), "-f", "f32le", "-"]
        return loudness(np.frombuffer(subprocess.run(words, check=True, capture_output=True).stdout, np.float32).reshape(-1, 2))

    found = [loud(version) + version["gain"] for version in pair["versions"]]
    assert max(found) - min(found) < 0.1
    assert max(version["gain"] for version in pair["versions"]) == 0


def test_a_version_is_played_with_its_gain(chord):
    chord.driver.execute_script(
        "window.gains = []; const Real = GainNode; window.GainNode = class extends Real { constructor(...all) { super(...all); window.gains.push(this) } }"
    )
    for index, version in enumerate(PAIRS[0]["versions"]):
        chord.find(f"figure:nth-child({index + 1}) label").click()
        chord.until(lambda: chord.driver.execute_script("return window.gains.length") > index)
        played = 10 ** (version["gain"] / 20)
        chord.until(lambda: abs(chord.driver.execute_script("return window.gains.at(-1).gain.value") - played) < 1e-6)
        if version["gain"] <= -0.05:
            assert f"turned down by {-version['gain']:.1f} dB" in chord.find(f"figure:nth-child({index + 1}) small").text


def test_a_switch_goes_on_at_the_same_place(chord):
    chord.find(".play").click()
    chord.until(lambda: chord.player("share") > 0.1)
    assert chord.find(".now").text == "Retrograde"
    before, after = chord.driver.execute_script(
        """const { player } = document.querySelector("#pair-chord-15"), before = player.share;
        player.play(document.querySelector("#pair-chord-15").versions[0].address, 1);
        return [before, player.share]"""
    )
    assert after == pytest.approx(before, abs=1e-9)


def test_a_picture_that_is_clicked_is_heard_and_marked(chord):
    chord.find("figure:nth-child(5) label").click()
    chord.until(lambda: chord.player("isPlaying"))
    chosen = chord.find("figure:has(input:checked)")
    assert chosen.get_attribute("data-name") == chord.find(".now").text == PAIRS[0]["versions"][4]["name"]


def test_the_keyboard_chooses_and_pauses(chord):
    chord.find(".share").send_keys("2")
    chord.until(lambda: chord.player("isPlaying"))
    assert chord.find(".now").text == "Ideal"
    chord.find(".share").send_keys(" ")
    chord.until(lambda: not chord.player("isPlaying"))


def test_arrows_choose_after_a_click_on_play(chord):
    chord.find(".play").click()
    chord.until(lambda: chord.player("isPlaying"))
    names = [version["name"] for version in PAIRS[0]["versions"]]
    here = names.index(chord.find(".now").text)
    webdriver.ActionChains(chord.driver).send_keys(Keys.ARROW_RIGHT).perform()
    chord.until(lambda: chord.find(".now").text == names[here + 1])
    webdriver.ActionChains(chord.driver).send_keys(Keys.ARROW_LEFT).perform()
    chord.until(lambda: chord.find(".now").text == names[here])


def test_a_page_that_is_left_is_silent_when_it_comes_back(chord):
    chord.find(".play").click()
    chord.until(lambda: chord.player("isPlaying"))
    chord.driver.execute_script("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert not chord.player("isPlaying")


def test_a_file_that_is_dropped_does_not_replace_the_page(chord):
    taken = """const transfer = new DataTransfer();
      transfer.items.add(new File(["sound"], "sound.wav"));
      return ["dragover", "drop"].map((kind) => !document.body.dispatchEvent(
        new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true })))"""
    assert chord.driver.execute_script(taken) == [True, True]


def test_only_one_pair_sounds_at_a_time(chord):
    castanets = Comparison(chord.driver, "castanets-15")
    chord.find(".play").click()
    chord.until(lambda: chord.player("isPlaying"))
    castanets.find(".play").click()
    castanets.until(lambda: castanets.player("isPlaying"))
    assert not chord.player("isPlaying")


def answer(chord, chosen, said):
    """Plays X, and answers that X is `said`. X is A if the random number `chosen` is less than 0.5,
    otherwise B."""
    chord.driver.execute_script("const [chosen] = arguments; Math.random = () => chosen", chosen)
    chord.find('[data-play="x"]').click()
    chord.until(lambda: chord.find(".now").text == "X")
    assert chord.driver.find_elements(By.CSS_SELECTOR, "#pair-chord-15 input:checked") == []
    chord.find(f'[data-answer="{said}"]').click()
    chord.driver.execute_script("document.querySelector('#pair-chord-15 .now').textContent = ''")


@pytest.mark.parametrize("answers, told", [("aaa", "Right. 2 of 3 right."), ("aab", "No, X was A. 1 of 3 right."), ("aba", "Right. 3 of 3 right.")])
def test_a_blind_test_counts_what_is_right_and_hides_what_x_is(chord, answers, told):
    chord.find("summary").click()
    for chosen, said in zip((0.1, 0.9, 0.1), answers):  # X is A, B, A
        answer(chord, chosen, said)
    assert chord.find(".score").text == f"{told} After five answers, this line shows how likely the same score is by guessing."


@pytest.mark.parametrize("right", [3, 5])
def test_a_blind_test_tells_the_chance_of_guessing_as_well(chord, right):
    chord.find("summary").click()
    for index in range(5):
        answer(chord, 0.1, "a" if index < right else "b")
    chance = 100 * sum(comb(5, hits) for hits in range(right, 6)) / 32
    assert chord.find(".score").text.endswith(f"Guessing would score as well in {chance:.0f} of 100 tests.")


def test_a_blind_test_keeps_the_score_of_each_two_versions(chord):
    chord.find("summary").click()
    answer(chord, 0.1, "a")
    first = chord.find(".b").get_attribute("value")
    Select(chord.find(".b")).select_by_index(0)
    assert chord.find(".score").text == "" and not chord.find(".again").is_displayed()
    Select(chord.find(".b")).select_by_value(first)
    assert chord.find(".score").text.startswith("1 of 1 right.")
    chord.find(".again").click()
    assert chord.find(".score").text == ""


def test_a_blind_test_marks_what_plays(chord):
    def marked():
        found = chord.driver.find_elements(By.CSS_SELECTOR, "#pair-chord-15 [data-play][aria-pressed=true]")
        return [button.text for button in found]

    chord.find("summary").click()
    chord.find('[data-play="x"]').click()
    chord.until(lambda: marked() == ["Hear X"])
    chord.find('[data-play="b"]').click()
    chord.until(lambda: marked() == ["Hear B"])
    chord.find(".play").click()
    chord.until(lambda: marked() == [])


def test_an_answer_counts_once_x_was_heard_and_two_versions_are_chosen(chord):
    chord.find("summary").click()
    chord.find('[data-play="a"]').click()
    chord.until(lambda: chord.find(".now").text == "A")
    chord.find('[data-answer="a"]').click()
    assert chord.find(".score").text == "Hear X first."
    chord.find('[data-play="x"]').click()
    chord.until(lambda: chord.find(".now").text == "X")
    assert chord.find(".score").text == ""
    Select(chord.find(".b")).select_by_value(chord.find(".a").get_attribute("value"))
    chord.find('[data-answer="a"]').click()
    assert chord.find(".score").text == "Choose two versions first."


def test_each_comparison_has_a_name(chord):
    groups = chord.driver.find_elements(By.CSS_SELECTOR, "retrograde-compare")
    assert [group.accessible_name for group in groups][:2] == ["A chord, 1.5 times as long", "Castanets, 1.5 times as long"]


def test_all_that_is_touched_is_as_large_as_a_finger(chord):
    with touched(chord.driver):
        chord.driver.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        controls = ("button", "input", "select", "summary")
        assert small(chord.driver, ", ".join(f"retrograde-compare {one}" for one in controls)) == []
        assert small(chord.driver, "nav a, nav summary, #search") == []


def test_nothing_on_the_page_is_wider_than_a_phone(chord):
    chord.driver.set_window_size(400, 844)
    try:
        width, room = chord.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert width <= room
    finally:
        chord.driver.set_window_size(1000, 900)
