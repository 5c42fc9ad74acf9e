# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the page in headless Chromium as a visitor would use it. A worklet records the output.

import re
import shutil
import subprocess

import numpy as np
import pytest
from pages import serving
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from support import ROOT, write_wav
from visitor import LOUDEST, METER, RATE, Page, small, touched

pytestmark = pytest.mark.long


@pytest.fixture
def page(browser, server):
    return Page(browser, f"{server}/index.html")


@pytest.fixture(scope="module")
def ramp(tmp_path_factory):
    """Half a second of sound. Every frame has a different value, so that tests can check the
    order."""
    frames = RATE // 2
    samples = (np.arange(frames) + 1) / 32767
    return write_wav(tmp_path_factory.mktemp("ramp") / "ramp.wav", RATE, np.column_stack([samples, samples]))


def frames_of(samples):
    """Returns the indices of the recorded frames. Frames in a fade are left out, because their
    samples give no whole number."""
    numbers = samples * 32768 - 1  # frame n has the sample (n + 1) / 32768
    whole = np.round(numbers).astype(int)
    return whole[(np.abs(numbers - whole) < 2e-3) & (whole >= 0)]


def test_a_file_plays_to_its_end_frame_by_frame(page, ramp):
    page.open(ramp)
    page.record()
    page.find(".play").click()
    page.until(lambda: page.player("position") == page.player("duration"))
    frames = frames_of(page.recorded())
    assert frames[-1] == RATE // 2 - 1
    assert set(np.diff(frames[256:])) == {1}


@pytest.mark.parametrize("place", [0.05, 0.3])  # before and after the worker has reached the end
def test_it_turns_around_while_it_plays_without_losing_a_frame(place, page, ramp):
    page.open(ramp)
    page.record()
    page.driver.execute_script(
        """const { player } = document.querySelector("retrograde-hear"), [place] = arguments;
        const turn = () => {
          if (player.position <= place) return;
          player.removeEventListener("position", turn);
          player.turn();
        };
        player.addEventListener("position", turn);""",
        place,
    )
    page.find(".play").click()
    page.until(lambda: page.player("isBackward"))
    page.until(lambda: page.player("position") == 0)
    frames = frames_of(page.recorded())[256:]
    steps = np.diff(frames)
    turn = int(np.argmax(steps < 0))
    assert set(steps[:turn]) == {1} and set(steps[turn:]) == {-1}
    assert frames[-1] == 0


def test_dragging_the_waveform_seeks(page, ramp):
    page.open(ramp)
    wave = page.find(".wave")
    webdriver.ActionChains(page.driver).move_to_element_with_offset(wave, wave.size["width"] // 4, 0).click().perform()
    assert page.player("position") == pytest.approx(0.375, abs=0.01)


def test_play_pressed_twice_before_the_sample_is_there_makes_one_player(page):
    page.driver.execute_script(
        """window.nodes = 0;
        const Real = AudioWorkletNode;
        window.AudioWorkletNode = class extends Real { constructor(...all) { super(...all); window.nodes += 1 } }"""
    )
    webdriver.ActionChains(page.driver).double_click(page.find(".play")).perform()
    page.until(lambda: (page.player("position") or 0) > 0.2)
    assert page.player("isPlaying") and page.driver.execute_script("return window.nodes") == 1


def test_the_keyboard_plays_and_turns(page, ramp):
    page.open(ramp)
    playhead = page.find(".playhead")
    playhead.send_keys(Keys.ARROW_RIGHT)
    assert page.player("position") == 0.5
    playhead.send_keys("r")
    assert page.player("isBackward") and page.player("isPlaying") and page.find(".turn").text == "▶ Play forwards"
    playhead.send_keys(" ")
    assert not page.player("isPlaying") and page.find(".play").text == "◀ Play"
    playhead.send_keys(" ")
    page.until(lambda: page.player("position") == 0)


def test_a_key_with_shift_counts_and_a_key_that_is_held_counts_once(page, ramp):
    page.open(ramp)
    page.find(".playhead").send_keys("R")
    assert page.player("isBackward")
    page.driver.execute_script(
        """const press = (repeat) => document.querySelector(".playhead").dispatchEvent(
          new KeyboardEvent("keydown", { key: "r", repeat, bubbles: true, cancelable: true }));
        for (const repeat of [false, true, true]) press(repeat);"""
    )
    assert not page.player("isBackward")


def test_a_player_that_is_taken_from_the_page_is_silent_and_can_come_back(page, ramp):
    page.open(ramp)
    page.find(".playhead").send_keys("o")
    page.find(".play").click()
    page.until(lambda: page.player("quanta") > 0)
    page.driver.execute_script("window.hear = document.querySelector('retrograde-hear'); window.place = hear.parentElement; hear.remove()")
    assert not page.driver.execute_script("return window.hear.player.isPlaying")
    page.driver.execute_script("window.place.append(window.hear)")
    assert page.find(".play").text == "▶ Play" and page.player("loop")["mode"] == "repeat"
    page.find(".playhead").send_keys("r")
    assert page.player("isBackward")


def test_a_sample_that_cannot_be_fetched_ends_in_a_sentence(page):
    page.driver.execute_script("window.fetch = async () => { throw new TypeError('Failed to fetch') }")
    page.find(".play").click()
    page.until(lambda: page.find(".status").text == "The sound cannot be loaded: there is no network.")


def test_a_slider_takes_the_arrows_and_leaves_the_other_keys(page, ramp):
    page.open(ramp)
    page.find(".speed").send_keys(Keys.ARROW_RIGHT)
    assert page.find(".speed-number").get_attribute("value") == "1.01" and page.player("position") == 0
    page.find(".speed").send_keys("r")
    assert page.player("isBackward")


def test_twice_the_speed_takes_half_the_frames(page, ramp):
    page.open(ramp)
    page.set("settings = { speed: 2, keepPitch: true }")
    page.record()
    page.find(".play").click()
    page.until(lambda: page.player("position") == page.player("duration"))
    samples = page.recorded()
    heard = np.nonzero(samples)[0]
    # the vocoder's output may begin and end with silence, and playback fades in and out
    assert heard[-1] - heard[0] == pytest.approx(RATE / 4, abs=256)


@pytest.mark.parametrize("place", [".wave", "h1", "body"])
def test_a_file_that_is_dropped_anywhere_is_opened(place, page, ramp):
    assert page.drop(place, "dropped.wav", b"", event="dragover") and page.drop(place, "dropped.wav", ramp.read_bytes())
    page.until(lambda: page.player("frames"))
    assert page.player("frames") == RATE // 2
    page.until(lambda: page.open_name() == "dropped.wav")


def test_what_is_dropped_and_is_no_file_changes_nothing(page):
    page.driver.execute_script(
        """const data = new DataTransfer();
        data.setData("text/plain", "words");
        document.querySelector(".wave").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));"""
    )
    assert page.find(".status").text == "" and page.find(".sample").get_attribute("value") == "sample.mp3"


def test_a_page_from_an_address_that_is_not_secure_says_so(page):
    """Browsers provide no AudioWorklet to pages from insecure addresses."""
    page.driver.execute_script("Object.defineProperty(BaseAudioContext.prototype, 'audioWorklet', { value: undefined })")
    page.find(".play").click()
    page.until(lambda: page.find(".status").text == "This page cannot use AudioWorklet: open it from https:// or from localhost.")


def test_the_example_of_the_readme_is_heard(browser, web, tmp_path):
    example = re.search(r"```html\n(.*?)```", (ROOT / "web/README.md").read_text(), re.DOTALL)[1]
    folder = shutil.copytree(web, tmp_path / "web")
    (folder / "example.html").write_text(f"<!doctype html>{example}")
    with serving(folder) as address:
        browser.get(f"{address}/example.html")
        browser.execute_script(METER)
        browser.find_element("id", "play").click()
        WebDriverWait(browser, 60).until(lambda _: browser.execute_script(LOUDEST) > 0.05)


def test_a_file_without_a_frame_is_refused(page, tmp_path):
    """The sample rate of the file is four times that of the output. So the only frame of the file
    is shorter than an output frame."""
    page.find(".file input").send_keys(str(write_wav(tmp_path / "short.wav", 4 * RATE, np.full((1, 1), 0.5))))
    page.until(lambda: page.find(".status").text == "short.wav has no sound in it: open another one.")


def test_a_file_that_is_refused_leaves_the_name_of_what_plays(page, ramp, tmp_path):
    assert page.open_name() == "Music"
    page.open(ramp)
    page.until(lambda: page.open_name() == "ramp.wav")
    page.find(".play").click()
    broken = tmp_path / "broken.mp3"
    broken.write_bytes(b"no sound")
    page.find(".file input").send_keys(str(broken))
    page.until(lambda: "broken.mp3" in page.find(".status").text and "Loading" not in page.find(".status").text)
    assert page.open_name() == "ramp.wav" and page.player("frames") == RATE // 2


def test_the_last_of_two_files_at_once_is_open_and_named(page, ramp):
    page.drop("body", "first.wav", ramp.read_bytes())
    page.drop("body", "second.wav", ramp.read_bytes())
    page.until(lambda: page.find(".status").text == "" and page.open_name() == "second.wav")
    names = [option.text for option in Select(page.find(".sample")).options]
    assert names == ["Music", "Speech", "second.wav"]


def test_a_page_that_is_left_is_silent_when_it_comes_back(page, ramp):
    page.open(ramp)
    page.set("loop = { mode: 'repeat' }")
    page.find(".play").click()
    page.until(lambda: page.player("position") > 0)
    page.driver.execute_script("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert not page.player("isPlaying") and page.find(".play").text == "▶ Play"


def test_of_two_dropped_files_one_is_open_and_the_page_says_so(page, ramp):
    page.driver.execute_script(
        """const [data] = arguments, transfer = new DataTransfer();
        for (const name of ["one.wav", "two.wav"]) transfer.items.add(new File([new Uint8Array(data)], name));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }))""",
        list(ramp.read_bytes()),
    )
    page.until(lambda: page.find(".status").text == "one.wav is open. Only one file can be open at a time.")
    assert page.open_name() == "one.wav"


@pytest.mark.parametrize(
    "name, kind, data, said",
    [
        ("none.wav", "audio/wav", b"", "none.wav is empty: open another file."),
        ("words.txt", "text/plain", b"words", "words.txt is not an audio file: open an MP3, WAV, FLAC or M4A."),
        ("broken.mp3", "audio/mpeg", b"words", "broken.mp3 is damaged, or of a type that this browser cannot decode: open another MP3, WAV, FLAC or M4A."),
    ],
)
def test_each_file_that_is_no_sound_has_its_sentence(name, kind, data, said, page):
    page.drop("body", name, data, kind)
    page.until(lambda: page.find(".status").text == said)


def test_a_film_without_sound_has_its_sentence(page, tmp_path):
    film = tmp_path / "film.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=s=64x64:d=0.2", "-an", film], check=True)
    page.drop("body", film.name, film.read_bytes(), "video/mp4")
    page.until(lambda: page.find(".status").text.startswith("film.mp4 has no sound that this browser can decode: "))


def test_the_space_key_plays_after_a_button_was_clicked_and_with_no_focus(page, ramp):
    page.open(ramp)
    page.find(".preset[value='2']").click()
    webdriver.ActionChains(page.driver).send_keys(" ").perform()
    page.until(lambda: page.player("position") == 0.5)
    assert page.player("settings")["speed"] == 2
    page.driver.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
    webdriver.ActionChains(page.driver).send_keys(" ").perform()
    page.until(lambda: page.player("isPlaying") or page.player("position") == 0.5)
    assert page.driver.execute_script("return scrollY") == 0


def test_a_button_that_has_the_focus_keeps_its_space_key(page, ramp):
    page.open(ramp)
    page.find(".original").send_keys(" ")
    assert page.find(".original").get_attribute("aria-pressed") == "true" and not page.player("isPlaying")


def test_the_first_screen_tells_how_to_bring_a_file_and_which_keys_there_are(page):
    shown = page.find(".sounds").text
    assert "Open your own file" in shown and "drop one anywhere on this page" in shown
    assert page.find(".keys").text.startswith("Keys: Space plays and pauses")
    bottom, height = page.driver.execute_script("return [document.querySelector('.keys').getBoundingClientRect().bottom, innerHeight]")
    assert bottom < height
    with touched(page.driver):
        assert "drop" not in page.find(".sounds").text and not page.find(".keys").is_displayed()


def test_a_clock_goes_from_59_seconds_to_a_minute(page, tmp_path):
    frames = int(59.98 * RATE)
    page.open(write_wav(tmp_path / "minute.wav", RATE, np.zeros((frames, 1))))
    page.until(lambda: page.find(".time").text == "0:00.0 of 1:00.0")


def test_the_sample_is_drawn_before_it_plays(page):
    page.until(lambda: page.find(".time").text == "0:00.0 of 0:05.0")
    assert page.player("frames") is None
    heights = page.driver.execute_script(
        """const canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
        return [...Array(20).keys()].map((part) => {
          const column = pen.getImageData(Math.floor(part * canvas.width / 25), 0, 1, canvas.height).data;
          return column.filter((value, index) => index % 4 === 3 && value > 0).length;
        })"""
    )
    assert min(heights) > 5


def test_a_first_loop_is_the_whole_sound(page, ramp):
    page.open(ramp)
    page.set("position = 0.2")
    page.find(".playhead").send_keys("o")
    loop = page.player("loop")
    assert (loop["start"], loop["stop"]) == (0, 0.5) and page.player("position") == 0.2
    assert page.driver.execute_script("const { scrollWidth, clientWidth } = document.querySelector('.scroll'); return scrollWidth === clientWidth")


def test_the_controls_set_speed_pitch_window_and_loop(page, ramp):
    page.open(ramp)
    page.find(".speed").send_keys(Keys.END)
    page.find(".keep").click()
    page.find(".semitones").send_keys(Keys.HOME)
    page.find(".more summary").click()
    Select(page.find(".window")).select_by_value("speech")
    Select(page.find(".loop")).select_by_visible_text("repeat")
    settings = page.player("settings")
    assert [settings[name] for name in ("speed", "keepPitch", "semitones", "window")] == [4, False, -12, "speech"]
    assert page.player("loop")["mode"] == "repeat"


def test_a_marker_can_be_dragged(page, ramp):
    page.open(ramp)
    page.find(".playhead").send_keys("o")
    quarter = page.find(".wave").size["width"] // 4
    # half of the marker is beyond the end of the sound
    actions = webdriver.ActionChains(page.driver).move_to_element_with_offset(page.find(".marker.stop"), -3, 0)
    actions.click_and_hold().move_by_offset(3 - quarter, 0).release().perform()
    assert page.player("loop")["stop"] == pytest.approx(0.375, abs=0.01)


@pytest.mark.parametrize("key, seconds", [(Keys.HOME, 0), (Keys.END, 0.5), (Keys.PAGE_DOWN, 0), (Keys.ARROW_UP, 0.5)])
def test_the_playhead_takes_the_keys_of_a_slider(key, seconds, page, ramp):
    page.open(ramp)
    page.set("position = 0.2")
    page.find(".playhead").send_keys(key)
    assert page.player("position") == seconds


def test_sliders_say_what_they_stand_for(page, ramp):
    def said(name):
        return [page.find(name).get_attribute(f"aria-value{kind}") for kind in ("min", "max", "text")]

    assert page.find(".speed").get_attribute("aria-valuetext") == "1.00 times"
    page.find(".speed").send_keys(Keys.HOME)
    assert page.find(".speed").get_attribute("aria-valuetext") == "0.25 times"
    page.open(ramp)
    page.find(".playhead").send_keys("o")
    assert [said(name) for name in (".playhead", ".start", ".stop")] == [["0", "0.5", text] for text in ("0:00.0", "0:00.0", "0:00.5")]


def test_the_keys_work_after_a_click_on_the_waveform(page, ramp):
    page.open(ramp)
    actions = webdriver.ActionChains(page.driver)
    actions.move_to_element(page.find(".wave")).click().send_keys("r").perform()
    assert page.player("isBackward")


def test_a_sample_and_a_file_can_be_chosen_again(page, ramp):
    page.open(ramp)
    page.until(lambda: page.open_name() == "ramp.wav")
    Select(page.find(".sample")).select_by_visible_text("Music")
    page.until(lambda: page.player("duration") > 4)
    Select(page.find(".sample")).select_by_visible_text("ramp.wav")
    page.until(lambda: page.player("duration") == 0.5)


def test_every_control_has_a_name(page):
    unnamed = page.driver.execute_script(
        """return [...document.querySelectorAll("button, input, select, [role=slider]")]
          .filter((control) => !(control.textContent.trim() || control.ariaLabel || control.labels?.length))
          .map((control) => control.outerHTML)"""
    )
    assert unnamed == []
    assert page.driver.find_element("css selector", "retrograde-hear").accessible_name == "Player"


def test_all_that_is_touched_is_as_large_as_a_finger(page):
    with touched(page.driver):
        page.driver.refresh()
        page.until(lambda: page.find(".time").text != "0:00.0")
        webdriver.ActionChains(page.driver).click(page.find(".play")).perform()
        page.until(lambda: page.player("duration"))
        Select(page.find(".loop")).select_by_visible_text("repeat")
        # the playhead may be smaller, because a touch anywhere on the waveform moves it
        assert small(page.driver, "retrograde-hear button, retrograde-hear input, retrograde-hear select") == []


@pytest.mark.parametrize("wide", [320, 390])
def test_nothing_is_wider_than_a_phone(wide, page, ramp):
    size = {"width": wide, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    page.open(ramp)
    page.find(".playhead").send_keys("o")
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        width, room = page.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert room == wide and width <= room
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_playback_begins_where_the_playhead_was_dropped(page, ramp):
    page.open(ramp)
    page.record()
    wave = page.find(".wave")
    actions = webdriver.ActionChains(page.driver)
    actions.move_to_element(wave).click_and_hold().move_by_offset(wave.size["width"] // 10, 0).release().perform()
    page.until(lambda: page.player("position") == pytest.approx(0.3, abs=0.01) and page.player("speed") == 0)
    assert not page.player("isPlaying")
    position = page.player("position")
    page.driver.execute_script("window.recorded = []")
    page.find(".play").click()
    page.until(lambda: len(frames_of(page.recorded())) > 1000)
    # the first quantum fades in
    assert frames_of(page.recorded())[128] == pytest.approx(position * RATE + 128, abs=128)


def test_a_press_on_the_waveform_opens_the_sample(page):
    page.until(lambda: page.find(".time").text != "0:00.0")
    webdriver.ActionChains(page.driver).move_to_element(page.find(".wave")).click().perform()
    page.until(lambda: page.player("position"))
    assert page.player("position") == pytest.approx(2.5, abs=0.1)


def test_play_begins_anew_after_the_end(page, ramp):
    page.open(ramp)
    page.find(".play").click()
    page.until(lambda: page.player("position") == page.player("duration"))
    page.record()
    page.find(".play").click()
    page.until(lambda: len(frames_of(page.recorded())) > 1000)
    assert frames_of(page.recorded())[128] < 256


def test_on_a_new_page_play_backwards_plays_from_the_end(page):
    page.find(".turn").click()
    page.until(lambda: page.player("isPlaying") and 3 < page.player("position") < 5)
    assert page.player("isBackward")


def test_another_file_keeps_speed_pitch_and_direction(page, ramp):
    page.open(ramp)
    page.find(".preset[value='0.75']").click()
    page.find(".semitones").send_keys(Keys.ARROW_LEFT)
    page.find(".playhead").send_keys("r ")
    before = page.player("settings")
    Select(page.find(".sample")).select_by_visible_text("Speech")
    page.until(lambda: page.player("duration") > 1)
    assert page.player("settings") == before and (before["speed"], before["semitones"]) == (0.75, -1)
    assert page.player("isBackward") and page.player("position") == page.player("duration")


def test_numbers_are_entered_and_sliders_are_reset_by_a_double_click(page, ramp):
    page.open(ramp)
    for name, text in (("speed", "0.6"), ("semitones", "-3.5")):
        page.find(f".{name}-number").click()  # selects what it replaces
        webdriver.ActionChains(page.driver).send_keys(text, Keys.ENTER).perform()
    assert (page.player("settings")["speed"], page.player("settings")["semitones"]) == (0.6, -3.5)
    page.find(".original").click()
    assert (page.player("settings")["speed"], page.player("settings")["semitones"]) == (1, 0)
    page.find(".original").click()
    page.find(".original").click()
    page.find(".preset[value='0.5']").click()  # a change ends the comparison
    assert (page.player("settings")["speed"], page.player("settings")["semitones"]) == (0.5, -3.5)
    for name in (".speed", ".semitones"):
        webdriver.ActionChains(page.driver).double_click(page.find(name)).perform()
    assert (page.player("settings")["speed"], page.player("settings")["semitones"]) == (1, 0)


def test_a_and_b_set_the_loop_and_arrows_nudge_it(page, ramp):
    page.open(ramp)
    page.set("position = 0.2")
    page.find(".playhead").send_keys("a")
    assert page.player("loop") == {"mode": "repeat", "start": 0.2, "stop": 0.5}
    page.set("position = 0.3")
    page.find(".playhead").send_keys("b")
    page.find(".marker.stop").send_keys(Keys.ARROW_RIGHT)
    page.find(".start-time").send_keys(Keys.CONTROL, "a", Keys.NULL, "0:00.15", Keys.ENTER)
    page.find(".start-time").send_keys(Keys.ARROW_DOWN)
    loop = page.player("loop")
    assert (loop["start"], loop["stop"]) == (pytest.approx(0.14), pytest.approx(0.31))
    page.find(".start-time").send_keys(Keys.CONTROL, "a", Keys.NULL, "soon", Keys.ENTER)
    assert "error" in page.find(".status").get_attribute("class") and page.player("loop") == loop


def test_shift_with_a_and_b_moves_the_ends_of_a_loop_back(page, ramp):
    page.open(ramp)
    page.find(".playhead").send_keys("AB")  # there is no loop yet
    assert page.player("loop") == {"mode": "none", "start": None, "stop": None}
    page.set("position = 0.2")
    page.find(".playhead").send_keys("aAABBB")
    loop = page.player("loop")
    assert (loop["start"], loop["stop"]) == (pytest.approx(0.18), pytest.approx(0.47))


@pytest.mark.parametrize("name", ["ramp.wav", "Music"])
def test_after_a_reload_a_sound_continues_where_it_was(name, page, ramp):
    def opened():
        if name == "Music":
            page.find(".play").click()
            page.until(lambda: page.player("isPlaying"))
            page.find(".play").click()
        else:
            page.open(ramp)
        page.until(lambda: page.open_name() == name)

    opened()
    page.find(".preset[value='0.75']").click()
    page.find(".semitones").send_keys(Keys.ARROW_LEFT)
    page.set("position = 0.2")
    page.find(".playhead").send_keys("a")
    page.set("position = 0.3")
    kept = page.player("settings"), page.player("loop")
    page.driver.refresh()
    assert page.find(".status").text == f"You left {name} at 0:00.3: open it again to go on from there."
    opened()
    assert name == "Music" or page.find(".status").text == "ramp.wav goes on as you left it."
    assert (page.player("settings"), page.player("loop")) == kept and page.player("loop")["start"] == 0.2
    assert 0.3 <= page.player("position") < (0.31 if name == "ramp.wav" else 1)
    page.driver.refresh()
    page.find(".preset[value='2']").click()
    opened()
    assert page.player("settings")["speed"] == 2 and page.player("loop") == kept[1]


def test_a_cut_wav_says_how_much_of_it_is_there(page, tmp_path):
    whole = write_wav(tmp_path / "whole.wav", RATE, np.zeros((60 * RATE, 1)))
    (tmp_path / "cut.wav").write_bytes(whole.read_bytes()[: 44 + 2 * int(2.8 * RATE)])
    page.open(tmp_path / "cut.wav")
    page.until(lambda: page.find(".status").text == "cut.wav is cut off: 0:02.8 of 1:00.0 is there.")


@pytest.mark.parametrize("wide", [320, 390])
def test_both_times_of_a_loop_are_in_one_line(wide, page, ramp):
    page.open(ramp)
    page.find(".playhead").send_keys("o")
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": wide, "height": 844, "deviceScaleFactor": 1, "mobile": False})
    try:
        start, stop = (page.find(f".{name}-time").rect for name in ("start", "stop"))
        assert start["y"] == stop["y"] and stop["x"] + stop["width"] <= wide
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_sound_goes_into_a_loop_that_it_is_outside_of(page, ramp):
    page.open(ramp)
    page.find(".play").click()
    page.until(lambda: page.player("position") > 0.2)
    page.find(".playhead").send_keys("b")
    assert page.player("position") <= page.player("loop")["stop"]
    page.find(".play").click()
    page.set("position = 0.1")
    for end, time in (("stop", "0.4"), ("start", "0.3")):
        page.find(f".{end}-time").send_keys(Keys.CONTROL, "a", Keys.NULL, time, Keys.ENTER)
    assert page.player("position") == 0.3


def test_the_waveform_zooms_in_around_the_playhead_and_turns_its_page(page):
    page.find(".play").click()
    page.until(lambda: page.player("isPlaying"))
    page.find(".play").click()
    page.set("position = 2.5")
    page.find(".in").click()
    page.find(".playhead").send_keys("+")
    wave, scroll = (page.driver.execute_script("return arguments[0].getBoundingClientRect()", page.find(name)) for name in (".wave", ".scroll"))
    assert wave["width"] == pytest.approx(4 * scroll["width"], abs=1)
    middle = (scroll["left"] + scroll["width"] / 2 - wave["left"]) / wave["width"]
    assert middle == pytest.approx(0.5, abs=0.01)
    page.find(".playhead").send_keys(Keys.HOME)
    assert page.driver.execute_script("return arguments[0].scrollLeft", page.find(".scroll")) == 0
    page.find(".out").click()
    page.find(".out").click()
    assert page.find(".wave").size["width"] == page.find(".scroll").size["width"]


def test_what_is_heard_is_saved(page, ramp):
    """The second half of the sound, backwards, at half of the speed."""
    page.open(ramp)
    page.find(".playhead").send_keys("r ")
    page.set("settings = { speed: 0.5, keepPitch: false, interpolation: 'nearest' }")
    page.set("loop = { mode: 'repeat', start: 0.25, stop: 0.5 }")
    page.driver.execute_script(
        """HTMLAnchorElement.prototype.click = async function () {
          window.savedName = this.download;
          window.saved = [...new Int16Array(await (await fetch(this.href)).arrayBuffer())];
        }"""
    )
    page.driver.execute_script("document.querySelector('.loop').value = 'repeat'")
    page.find(".save").click()
    page.until(lambda: page.driver.execute_script("return window.saved"))
    header, samples = (lambda all: (all[:22], np.array(all[22:])))(page.driver.execute_script("return window.saved"))
    assert bytes(np.array(header, np.int16))[:4] == b"RIFF" and header[11] == 2 and header[12] == RATE - 65536
    frames = samples[::2] - 1
    assert len(frames) == RATE // 2 and (samples[::2] == samples[1::2]).all()
    assert np.abs(frames[::2] - np.arange(RATE // 2 - 1, RATE // 4 - 1, -1)).max() <= 1
    assert page.driver.execute_script("return window.savedName") == "ramp, 0.5x, backwards.wav"


def test_the_keys_of_media_are_taken(page, ramp):
    page.open(ramp)
    page.find(".playhead").send_keys("o ")
    page.until(lambda: page.player("isPlaying"))
    state = "return [navigator.mediaSession.playbackState, navigator.mediaSession.metadata.title]"
    assert page.driver.execute_script(state) == ["playing", "ramp.wav"]
    page.find(".playhead").send_keys(" ")
    assert page.driver.execute_script(state) == ["paused", "ramp.wav"]


def test_without_volume_nothing_is_heard(page, ramp):
    page.driver.execute_script(METER)
    page.open(ramp)
    page.find(".playhead").send_keys("o ")
    page.until(lambda: page.driver.execute_script(LOUDEST) > 0.5)
    page.find(".volume").send_keys(Keys.HOME)
    page.until(lambda: page.driver.execute_script(LOUDEST) < 1e-4)
    assert page.player("isPlaying")


def test_while_a_file_is_dragged_the_page_shows_where_to_drop_it(page):
    page.drop("h1", "song.mp3", b"", event="dragover")
    assert page.find(".drop").is_displayed()
    page.drop("h1", "song.mp3", b"", event="dragleave")
    assert not page.find(".drop").is_displayed()


def test_a_large_file_that_is_decoded_as_a_whole_says_what_that_takes(page, tmp_path):
    page.driver.execute_script(
        """const status = document.querySelector(".status");
        window.said = [];
        new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true });"""
    )
    (tmp_path / "large.flac").write_bytes(bytes(21_000_000))
    page.find(".file input").send_keys(str(tmp_path / "large.flac"))
    page.until(lambda: "cannot decode" in page.find(".status").text)
    assert any("an hour takes 2 GB of memory" in sentence for sentence in page.driver.execute_script("return window.said"))


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    """An MP3 of 30 seconds."""
    song = tmp_path_factory.mktemp("song") / "song.mp3"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=d=30:a=0.5:seed=1", "-ac", "2", "-q:a", "4", song], check=True)
    return song


DECODERS = pytest.mark.parametrize("decoder", ["WebCodecs", "decodeAudioData"])


def choose(decoder, page):
    if decoder == "decodeAudioData":
        page.driver.execute_script("delete window.AudioDecoder")


@DECODERS
def test_an_mp3_of_several_pieces_plays_from_its_end_and_like_a_tape(decoder, page, song):
    choose(decoder, page)
    page.open(song)
    page.record()
    page.find(".turn").click()
    page.until(lambda: 10 < page.player("position") < 29.9)
    page.find(".playhead").send_keys("jjjj")
    page.until(lambda: page.player("position") == 0)
    page.until(lambda: not page.find(".loading").is_displayed())
    assert page.player("underruns") == 0
    # from the beginning of the sound to the end of the tape, no quantum is silent
    heard = np.nonzero(page.recorded())[0]
    assert np.diff(heard).max() < 128 and len(heard) > RATE


# compares the pieces of an MP3, of 384 MP3 frames each, with all of another that is decoded at once
PIECES = """const [bytes, other, done] = arguments;
import("./mp3.js").then(async ({ soundOfMp3, decodedPiece }) => {
  const sound = await soundOfMp3(new Blob([new Uint8Array(bytes)]));
  const whole = await new OfflineAudioContext(1, 1, sound.sampleRate).decodeAudioData(new Uint8Array(other).buffer);
  let [pieces, wrong, damaged] = [0, whole.length === sound.frames ? 0 : Infinity, 0];
  for (let first = 0; first < sound.frames; first += sound.pieceFrames, pieces += 1) {
    const piece = await decodedPiece(sound, pieces);
    piece.planes.forEach((plane, channel) => {
      const there = whole.getChannelData(channel);
      wrong += plane.filter((value, frame) => value !== there[first + frame]).length;
    });
    damaged += piece.damaged;
  }
  return [pieces, wrong, damaged];
}).then(done, (error) => done(error.stack))"""


@DECODERS
@pytest.mark.parametrize("options", ["-ac 2 -q:a 4", "-ac 1 -b:a 128k -ar 44100", "-ac 2 -b:a 32k -ar 22050 -write_xing 0"], ids=["vbr", "mono", "untagged"])
def test_the_pieces_of_an_mp3_are_what_the_browser_decodes(options, decoder, page, tmp_path):
    choose(decoder, page)
    noise = "anoisesrc=d=15:a=0.5:seed=1[a];anoisesrc=d=15:a=0.3:seed=2[b];[a][b]amerge=inputs=2"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", noise, *options.split(), tmp_path / "song.mp3"], check=True)
    song = list((tmp_path / "song.mp3").read_bytes())
    pieces, wrong, damaged = page.driver.execute_async_script(PIECES, song, song)
    assert pieces == 2 and (wrong, damaged) == (0, 0)


@DECODERS
def test_a_damaged_place_of_an_mp3_silences_less_than_half_a_second(decoder, page, song):
    choose(decoder, page)
    whole = song.read_bytes()
    place = whole.index(b"\xff\xfb", len(whole) // 2) + 4  # after the header of an MP3 frame
    damaged = whole[:place] + bytes(37 * number % 256 & 0xFE for number in range(200)) + whole[place + 200 :]
    pieces, wrong, count = page.driver.execute_async_script(PIECES, list(damaged), list(whole))
    assert pieces == 4 and count > 0 and 0 < wrong < RATE
