# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the elements as the audio filter of playbin, with changes of the rate.

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from support import ENVIRONMENT, write_wav

FORWARD = [0.1, 0.5, 1, 1.5, 2, 8]
CLIENT = Path(__file__).parent / "instant_rates.py"
BOTH_WAYS = [-8, -2, -1, -0.1, 0.1, 1, 2, 8]

# A separate program, because the process of the tests does not load GStreamer.
PLAYER = """
    import sys, time
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    Gst.init([])
    uri, audio_filter, kind, *rates = sys.argv[1:]
    player = Gst.ElementFactory.make("playbin")
    player.props.uri = uri
    player.props.audio_filter = Gst.parse_bin_from_description(audio_filter, True)
    player.props.audio_sink = Gst.parse_bin_from_description("fakesink sync=true", True)
    player.set_state(Gst.State.PLAYING)
    player.get_state(Gst.CLOCK_TIME_NONE)

    def position():
        return player.query_position(Gst.Format.TIME)[1] / Gst.SECOND

    for rate in map(float, rates):
        if kind == "instant":
            flags, kinds = Gst.SeekFlags.INSTANT_RATE_CHANGE, (Gst.SeekType.NONE, Gst.SeekType.NONE)
            places = (-1, -1)
        else:
            flags, kinds = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, (Gst.SeekType.SET, Gst.SeekType.SET)
            places = (0, 12 * Gst.SECOND) if rate < 0 else (8 * Gst.SECOND, -1)
        assert player.seek(rate, Gst.Format.TIME, flags, kinds[0], places[0], kinds[1], places[1]), rate
        player.get_state(Gst.CLOCK_TIME_NONE)
        # buffers that were queued after the filter are still played at the old rate
        time.sleep(1.4 if kind == "instant" else 0.2)
        start, begun = position(), time.monotonic()
        time.sleep(0.6)
        print(rate, start, position(), time.monotonic() - begun)
    error = player.get_bus().pop_filtered(Gst.MessageType.ERROR)
    player.set_state(Gst.State.NULL)
    sys.exit(error.parse_error()[0].message if error else 0)
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    times = np.arange(20 * 44100) / 44100
    folder = tmp_path_factory.mktemp("sound")
    wav = write_wav(folder / "in.wav", 44100, np.stack([np.sin(2765 * times) / 2] * 2, axis=1))
    flac = folder / "in.flac"
    subprocess.run(["ffmpeg", "-v", "error", "-i", wav, flac], check=True)
    return flac


def play(sound, audio_filter, kind, rates):
    """Runs PLAYER. Returns [rate, first position, last position, seconds in between] for each
    rate."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PLAYER), sound.as_uri(), audio_filter, kind, *map(str, rates)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    return [tuple(map(float, line.split())) for line in result.stdout.splitlines()]


def assert_moves(lines, rates):
    """Asserts that the position moves at the rate, with a large tolerance for busy machines."""
    assert [line[0] for line in lines] == rates
    for rate, start, end, seconds in lines:
        assert (end - start) / seconds / rate == pytest.approx(1, abs=0.35), (rate, start, end, seconds)


def test_playbin_follows_rate_seeks_forward(sound):
    assert_moves(play(sound, "timescale", "flush", FORWARD), FORWARD)


def test_playbin_follows_rate_seeks_both_ways(sound):
    assert_moves(play(sound, "revbuf ! timescale", "flush", BOTH_WAYS), BOTH_WAYS)


def test_playbin_follows_instant_changes_of_the_rate(sound):
    rates = [2, 0.5, 4, 1]
    assert_moves(play(sound, "timescale", "instant", rates), rates)


@pytest.mark.parametrize(
    ("scenario", "before", "behind"),
    # Seconds of output before and after the pause, for 20 s of sound. 1: rate 2 throughout; 2: rate
    # 1 after the pause; 3: continued from 12 s after the pause. The tolerance is for buffers that
    # were sent before a change.
    [(1, 4, 6), (2, 4, 12), (3, 4, 4)],
)
def test_instant_changes_of_upstreams_example(sound, scenario, before, behind):
    result = subprocess.run([CLIENT, sound.as_uri(), "timescale", str(scenario)], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    seconds = [float(word) for word in result.stdout.split()]
    assert seconds[:2] == pytest.approx([before, behind], abs=0.5)


# Scenario 5 ends at rate 1, where errors from earlier rates must have been corrected.
@pytest.mark.parametrize("audio_filter", ["timescale", "timescale keep-pitch=true", "timescale keep-pitch=true window=low-latency"])
def test_instant_changes_lead_to_the_end(sound, audio_filter):
    result = subprocess.run([CLIENT, sound.as_uri(), audio_filter, "5"], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert [float(word) for word in result.stdout.split()[2:]] == pytest.approx([20, 20], abs=0.002)


# How long each rate is played varies with the buffers that were sent before a change. Nevertheless,
# the output must end at the end of the stream.
@pytest.mark.parametrize("scenario", [0, 4])
def test_rates_by_turns_add_up(sound, scenario):
    result = subprocess.run([CLIENT, sound.as_uri(), "timescale", str(scenario)], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    _, seconds, end, duration = map(float, result.stdout.split())
    # 20 s at any mix of rates from 2 to 0.25
    assert 9 < seconds < 81
    assert [end, duration] == pytest.approx([20, 20], abs=0.02)
