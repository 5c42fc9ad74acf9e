# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares the output of the examples that reverse files with FFmpeg, SoX and NumPy.

import subprocess

import numpy as np
import pytest
import wavfile
from support import EXAMPLES, MEDIA, SAMPLE, SOUNDS, assert_same_frames, decode, gst_launch, mostly_long, run, script

SHORT = [MEDIA / name for name in ("surround.flac", "sample.m4a")]
every_sound = pytest.mark.parametrize("path", mostly_long(SOUNDS, *SHORT), ids=lambda path: getattr(path, "name", None))

RAW = {(wavfile.INTEGER, 2): "s16le", (wavfile.INTEGER, 4): "s32le", (wavfile.FLOAT, 4): "f32le", (wavfile.FLOAT, 8): "f64le"}


def ffmpeg_areverse(wav: wavfile.Wav) -> np.ndarray:
    """Returns the frames in the same format, reversed by FFmpeg."""
    name = RAW[wav.kind, wav.frames.shape[1] // wav.channels]
    form = ["-f", name, "-ar", str(wav.rate), "-ac", str(wav.channels)]
    output = subprocess.run(
        ["ffmpeg", "-v", "error", *form, "-i", "-", "-af", "areverse", "-c:a", f"pcm_{name}", "-f", name, "-"],
        input=wav.frames.tobytes(),
        check=True,
        capture_output=True,
    ).stdout
    return np.frombuffer(output, np.uint8).reshape(wav.frames.shape)


@every_sound
def test_a_reversed_file_equals_ffmpeg_on_the_forward_decode(tmp_path, path):
    script(tmp_path, "reverse-file.sh", path, "out.wav")
    forward = decode(path)
    assert_same_frames(wavfile.read(tmp_path / "out.wav"), forward.rate, ffmpeg_areverse(forward))


@pytest.mark.parametrize("name", mostly_long(["sample.m4a", "sample.mp3", "sample.flac"], "sample.m4a"))
@pytest.mark.parametrize("mode", ["collect", "auto"])
def test_two_reversals_in_one_pipeline_are_none(tmp_path, name, mode):
    """The first revbuf reverses by block seeks. In an M4A, the exact duration is known only when
    the end has been reached."""
    twice, once = tmp_path / "twice.wav", f"filesrc location={MEDIA / name} ! decodebin ! audioconvert dithering=none"
    turn = "! revbuf direction=reverse"
    gst_launch(f"{once} {turn} {turn} mode={mode} ! wavenc ! filesink location={twice}")
    forward = decode(MEDIA / name)
    assert_same_frames(wavfile.read(twice), forward.rate, forward.frames)


@every_sound
def test_reversed_twice_it_is_as_before(tmp_path, path):
    result = script(tmp_path, "reverse-twice.sh", path, ".")
    forward = wavfile.read(tmp_path / f"{path.stem}-FORWARD.wav")
    assert f"all {len(forward.frames)} frames are the same" in result.stdout

    assert_same_frames(forward, forward.rate, decode(path).frames)
    reversed_ = wavfile.read(tmp_path / f"{path.stem}-REVERSED.wav")
    assert_same_frames(reversed_, forward.rate, forward.frames[::-1])
    again = wavfile.read(tmp_path / f"{path.stem}-REVERSED-REVERSED.wav")
    assert_same_frames(again, forward.rate, forward.frames)


@every_sound
def test_only_the_first_channel_is_reversed(tmp_path, path):
    script(tmp_path, "reverse-first-channel.sh", path, "out.wav")
    forward = decode(path)
    width = forward.frames.shape[1] // forward.channels
    assert_same_frames(wavfile.read(tmp_path / "out.wav"), forward.rate, forward.frames[::-1, :width])


@pytest.mark.parametrize("name", ["sample.mp3", "speech.wav"])
def test_all_channels_are_merged_and_reversed(tmp_path, name):
    script(tmp_path, "reverse-merged.sh", MEDIA / name, "out.wav")
    merged = wavfile.read(tmp_path / "out.wav")
    expected = decode(MEDIA / name).samples()[::-1].mean(axis=1, keepdims=True)
    assert merged.channels == 1
    assert merged.samples().shape == expected.shape
    assert np.abs(merged.samples() - expected).max() <= 2 / 32768  # rounding


def test_comparing_says_how_two_files_differ(tmp_path):
    compare = EXAMPLES / "compare-frames.py"
    run("sox", MEDIA / "short.wav", tmp_path / "cut.wav", "trim", "0", "1000s")
    run("sox", "-v", "0.5", tmp_path / "cut.wav", tmp_path / "quiet.wav")
    result = run(compare, MEDIA / "short.wav", tmp_path / "cut.wav", status=1)
    assert "the first 1000 frames are equal, but there are 66167 and 1000" in result.stdout
    result = run(compare, tmp_path / "cut.wav", tmp_path / "quiet.wav", status=1)
    assert "of 1000 frames are equal" in result.stdout
    result = run(compare, tmp_path / "cut.wav", MEDIA / "speech.wav", status=1)
    assert "formats differ" in result.stdout
    run(compare, SAMPLE, SAMPLE, status=1)
