# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the sounds in launch-examples/media.

import subprocess

import numpy as np
import pytest
from support import MEDIA, SOUNDS, ffmpeg_samples, ffprobe

pytestmark = pytest.mark.long

CODECS = {
    "sample.mp3": ("mp3", 2),
    "sample-vbr.mp3": ("mp3", 2),
    "sample.flac": ("flac", 2),
    "sample.ogg": ("vorbis", 2),
    "sample.opus": ("opus", 2),
    "sample.m4a": ("aac", 2),
    "short.wav": ("pcm_s16le", 2),
    "short.aiff": ("pcm_s16be", 2),
    "speech.wav": ("pcm_s16le", 1),
    "surround.flac": ("flac", 6),
    "surround.ogg": ("vorbis", 6),
    "surround.m4a": ("aac", 6),
}


def test_every_type_is_there_and_small():
    found = {path.name: (ffprobe(path)["codec"], ffprobe(path)["channels"]) for path in SOUNDS}
    assert found == CODECS
    assert sum(path.stat().st_size for path in SOUNDS) < 2_000_000


def noise(samples, original):
    """Returns the root mean square of the difference from the original."""
    return np.sqrt(np.mean((samples - original) ** 2))


def test_they_can_be_made_again(tmp_path):
    subprocess.run([MEDIA / "make-media.py", tmp_path], check=True)
    for path in SOUNDS:
        old, new = ffmpeg_samples(path), ffmpeg_samples(tmp_path / path.name)
        assert old.shape == new.shape
        if path.suffix != ".opus":
            assert np.abs(old - new).max() < 0.01
            continue
        # libopus rounds differently on other processors, and then encodes differently. So only
        # require that both encodings are equally close to the original, and closer to each other.
        original = ffmpeg_samples(MEDIA / "sample.flac", "-ar", "48000")[: len(old)]
        assert len(original) == len(old)
        assert noise(new, original) == pytest.approx(noise(old, original), rel=0.1)
        assert noise(new, old) < noise(old, original)
