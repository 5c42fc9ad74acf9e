# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks that invalid values are refused with an error message, and have no effect.

import re

import numpy as np
import pytest
from support import write_wav
from visitor import RATE, Page

pytestmark = pytest.mark.long

# Node.js checks all other values (checks.mjs).
REFUSED = {
    "settings = { speed: 0 }": ("RangeError", "settings.speed is 0: use a number from 0.01 to 100."),
    "position = '0:10'": ("TypeError", 'position is "0:10": use seconds, here from 0 to 0.5.'),
    "scrub(undefined)": ("TypeError", "position is undefined: use seconds, here from 0 to 0.5."),
    "isBackward = 'no'": ("TypeError", 'isBackward is "no": use true or false.'),
    "loop = { mode: 'pingpong' }": ("RangeError", 'loop.mode is "pingpong": use one of none, repeat, ping-pong.'),
}
SOUNDS = {"undefined": ("TypeError", "The channels of the sound must be an array of Float32Arrays: .*")}
# Handles an error: returns its name and its message.
CAUGHT = "(error) => [error.name, error.message]"


@pytest.fixture(scope="module")
def page(browser, server, tmp_path_factory):
    page = Page(browser, f"{server}/index.html")
    page.open(write_wav(tmp_path_factory.mktemp("checks") / "half.wav", RATE, np.full((RATE // 2, 1), 0.5)))
    page.until(lambda: page.find(".status").text == "")
    return page


def state(page):
    return [page.player(name) for name in ("settings", "loop", "position", "isBackward")]


def of_engine(page, expression):
    """Returns the name and the message of the error with which a promise is rejected, or None."""
    return page.driver.execute_async_script(
        f"""const done = arguments[0];
        import("./retrograde.js").then(async ({{ Retrograde }}) => {{
          const engine = await Retrograde.load(), context = new AudioContext();
          return {expression};
        }}).then(() => null, {CAUGHT}).then(done);"""
    )


@pytest.mark.parametrize("assignment", REFUSED)
def test_an_odd_value_is_refused_and_changes_nothing(assignment, page):
    before = state(page)
    name, sentence = page.driver.execute_script(
        f"""const {{ player }} = document.querySelector("retrograde-hear");
        try {{ player.{assignment}; return ["", ""] }} catch (error) {{ return [error.name, error.message] }}"""
    )
    assert name == REFUSED[assignment][0] and re.fullmatch(REFUSED[assignment][1], sentence)
    assert state(page) == before


def test_what_is_undefined_stays_as_it_is(page):
    before = state(page)
    page.set("settings = { speed: undefined, window: undefined }")
    assert state(page) == before


@pytest.mark.parametrize("seconds, held", [(-1, 0), (9, 0.5), ("Infinity", 0.5)])
def test_a_time_outside_of_the_sound_counts_as_its_nearer_end(seconds, held, page):
    page.set(f"position = {seconds}")
    page.set(f"loop = {{ start: {seconds} }}")
    assert [page.player("position"), page.player("loop")["start"]] == [held, held]
    page.set("loop = { start: null }")


@pytest.mark.parametrize("sound", SOUNDS)
@pytest.mark.parametrize("method", ["render(", "player(context, "])
def test_what_is_no_sound_is_refused(sound, method, page):
    name, sentence = of_engine(page, f"engine.{method}{sound})")
    assert name == SOUNDS[sound][0] and re.fullmatch(SOUNDS[sound][1], sentence)


def test_a_rendering_refuses_odd_values_and_leaves_the_sound_where_it_is(page):
    name, sentence = of_engine(page, "engine.render({ sampleRate: 48000, channels: [new Float32Array(8)] }, { speed: 0 })")
    assert (name, sentence) == ("RangeError", "settings.speed is 0: use a number from 0.01 to 100.")
    moved = of_engine(
        page,
        """(async (plane) => {
          await engine.render({ sampleRate: 48000, channels: [plane] }, { reverse: 1 }).catch(() => {});
          if (plane.length !== 8) throw new Error("moved");
        })(new Float32Array(8))""",
    )
    assert moved is None


def test_a_player_wants_the_sample_rate_of_its_context(page):
    name, sentence = of_engine(page, "engine.player(context, { sampleRate: 22050, channels: [new Float32Array(8)] })")
    assert name == "RangeError" and "new AudioContext({ sampleRate: 22050 })" in sentence


def test_planes_may_lie_in_one_piece_of_memory(page):
    made = of_engine(
        page,
        """(async () => {
          const memory = new Float32Array(16).fill(0.5);
          const sound = { sampleRate: 48000, channels: [memory.subarray(0, 8), memory.subarray(8)] };
          const { channels } = await engine.render(sound, { reverse: true });
          if (channels.length !== 2 || channels[1].join() !== Array(8).fill(0.5).join()) throw new Error(channels);
        })()""",
    )
    assert made is None
