# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests what docs/embedding.md says about scaletempo and pitch: the settings of timescale must result in
# the same duration and pitch as those of SoundTouch's element, and the seeks of other applications must
# work with either element (replacing/).

import math

import numpy as np
import pytest
from support import ROOT, ffmpeg_samples, gst_launch, pitch, run, write_wav

pytestmark = pytest.mark.long

RATE = 44100
TONE_HZ = 440

# tempo, rate, pitch
SETTINGS = [(1.25, 1, 1), (0.8, 1, 1), (1, 1.5, 1), (1, 1, 1.0594631), (1, 1, 0.75), (1.25, 0.9, 1.1), (0.7, 1.2, 0.8)]


@pytest.fixture(scope="module")
def tone(tmp_path_factory):
    time = np.arange(6 * RATE)[:, None] / RATE
    return write_wav(tmp_path_factory.mktemp("tone") / "tone.wav", RATE, 0.5 * np.sin(2 * np.pi * TONE_HZ * time))


@pytest.mark.parametrize(("tempo", "rate", "height"), SETTINGS)
def test_the_table_equals_soundtouch(tmp_path, tone, tempo, rate, height):
    semitones = 12 * math.log2(height * rate)
    chains = {
        "soundtouch": f"pitch tempo={tempo} rate={rate} pitch={height}",
        "ours": f"timescale window=music keep-pitch=true rate={tempo * rate} semitones={semitones}",
    }
    heard = {}
    for name, chain in chains.items():
        target = tmp_path / f"{name}.wav"
        gst_launch(f"filesrc location={tone}", "!", "wavparse", "!", "audioconvert", "!", *chain.split(), "!", "audioconvert", "!", "audio/x-raw,format=S16LE", "!", "wavenc", "!", f"filesink location={target}")
        heard[name] = ffmpeg_samples(target)[:, 0]
    assert len(heard["ours"]) == pytest.approx(6 * RATE / (tempo * rate), abs=1)
    assert len(heard["soundtouch"]) == pytest.approx(len(heard["ours"]), rel=0.02)
    middle = {name: sound[RATE : 3 * RATE] for name, sound in heard.items()}
    assert pitch(middle["ours"], RATE) == pytest.approx(TONE_HZ * height * rate, abs=1)
    assert pitch(middle["soundtouch"], RATE) == pytest.approx(pitch(middle["ours"], RATE), abs=2)


REPLACED = [
    *(["speeds.py", application, element] for application in ("player", "parlatype", "clapper") for element in ("scaletempo", "timescale keep-pitch=true")),
    *(["gstplay.py", element] for element in ("scaletempo", "timescale keep-pitch=true")),
    *(["plugin.py", element] for element in ("pitch", "timescale")),
]


@pytest.mark.parametrize("words", REPLACED, ids=" ".join)
def test_an_application_works_with_either_element(tone, words):
    program, *rest = words
    result = run("/usr/bin/python3", ROOT / "Tests/examples/replacing" / program, tone, *rest)
    assert "CRITICAL" not in result.stderr
