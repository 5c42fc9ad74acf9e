# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the examples that scale files in time.

import numpy as np
import pytest
import wavfile
from support import MEDIA, SAMPLE, SOUNDS, decode, ffmpeg_samples, ffprobe, mostly_long, pitch, scaled_length, script

SHORT = [MEDIA / name for name in ("surround.flac", "sample.m4a")]
every_sound = pytest.mark.parametrize("path", mostly_long(SOUNDS, *SHORT), ids=lambda path: getattr(path, "name", None))


TYPES = [("m4a", "aac", "mov"), ("opus", "opus", "ogg"), ("wav", "pcm_s16le", "wav"), ("aiff", "pcm_s16be", "aiff"), ("flac", "flac", "flac"), ("mp3", "mp3", "mp3"), ("ogg", "vorbis", "ogg")]


@pytest.mark.parametrize("kind, codec, container", mostly_long(TYPES, *TYPES[:2]))
def test_the_name_of_the_output_decides_its_type(tmp_path, tone, kind, codec, container):
    output = tmp_path / f"out.{kind}"
    script(tmp_path, "scale-keep-type.sh", "--factor=1.25", tone, output)
    found = ffprobe(output)
    assert (found["codec"], found["channels"]) == (codec, 2)
    assert container in found["container"]
    # the tolerance is one or two packets of the codec
    assert found["seconds"] == pytest.approx(1.25 * 88211 / 44100, abs=0.08)
    samples = ffmpeg_samples(output)
    assert pitch(samples[:, 0], found["rate"]) == pytest.approx(800, abs=2)
    assert pitch(samples[:, 1], found["rate"]) == pytest.approx(1200, abs=2)


@every_sound
def test_the_type_is_kept(tmp_path, path):
    result = script(tmp_path, "scale-keep-type.sh", "--factor=0.8", path)
    output = tmp_path / "out" / f"{path.stem}-scaled{path.suffix}"
    assert str(output) in result.stdout
    old, new = ffprobe(path), ffprobe(output)
    assert (new["codec"], new["channels"]) == (old["codec"], old["channels"])
    assert new["seconds"] == pytest.approx(0.8 * old["seconds"], abs=0.08)


def test_reversed_and_scaled_in_one_go_equals_one_after_the_other(tmp_path):
    script(tmp_path, "reverse-and-scale.sh", "--factor=1.3", SAMPLE, "both.wav")
    script(tmp_path, "reverse-file.sh", SAMPLE, "reversed.wav")
    script(tmp_path, "scale-file.sh", "--factor=1.3", "reversed.wav", "scaled.wav")
    both, expected = (wavfile.read(tmp_path / name) for name in ("both.wav", "scaled.wav"))
    assert len(both.frames) == scaled_length(len(decode(SAMPLE).frames), "1.3")
    assert np.array_equal(both.frames, expected.frames)


def test_varispeed_into_an_encoder(tmp_path, tone):
    script(tmp_path, "scale-into-encoder.sh", "--rate=2", tone, "fast.opus")
    found = ffprobe(tmp_path / "fast.opus")
    assert found["codec"] == "opus"
    assert found["seconds"] == pytest.approx(1, abs=0.03)
    samples = ffmpeg_samples(tmp_path / "fast.opus")
    assert pitch(samples[:, 0], 48000) == pytest.approx(2000, abs=3)
    assert pitch(samples[:, 1], 48000) == pytest.approx(3000, abs=3)
