# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# timescale as a rate effect of GStreamer Editing Services.

import numpy as np
import pytest
from support import EXAMPLES, ffmpeg_samples, ffprobe, pitch, run, write_wav

RATE = 48000
SECONDS = 4


def rising(times: np.ndarray) -> np.ndarray:
    """300 Hz in the first second, 600 Hz in the next, and so on: places can be heard."""
    return 0.5 * np.sin(2 * np.pi * 300 * (np.floor(times) + 1) * times)


@pytest.mark.parametrize("rate", ["2", "0.5", "1.25", "0.8"])
def test_a_clip_lasts_as_long_as_its_rate_says(tmp_path, rate):
    wave = rising(np.arange(SECONDS * RATE) / RATE)
    source = write_wav(tmp_path / "in.wav", RATE, np.stack([wave, wave], axis=1))
    result = run(EXAMPLES / "edit-timeline.py", source, "out.wav", rate, cwd=tmp_path)
    speed, total = float(rate), 2 + 2 / float(rate)
    # the source is known to be so much shorter or longer
    assert f"the whole file takes {SECONDS / speed:.3f} s" in result.stdout
    assert f"the timeline lasts {total:.3f} s" in result.stdout
    assert ffprobe(tmp_path / "out.wav")["seconds"] == pytest.approx(total, abs=1 / RATE)

    samples = ffmpeg_samples(tmp_path / "out.wav")[:, 0]
    clip = samples[2 * RATE :]
    second = int(RATE / speed)
    # the file once more, from its beginning, each second at its own pitch
    for place in range(2):
        assert pitch(samples[place * RATE :][:RATE], RATE) == pytest.approx(300 * (place + 1), abs=3)
        assert pitch(clip[place * second :][:second], RATE) == pytest.approx(300 * (place + 1) * speed, abs=6)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    result = run(EXAMPLES / "edit-timeline.py", "none.wav", "out.wav", "2", cwd=tmp_path, status=1)
    assert result.stderr == "edit-timeline.py: there is no file none.wav\n"
