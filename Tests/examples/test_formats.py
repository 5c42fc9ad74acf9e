# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Reverses every raw format that GStreamer supports with revbuf, interleaved and planar.

import subprocess

import gi
import numpy as np
import pytest
from support import gst_launch

gi.require_version("GstAudio", "1.0")
from gi.repository import GstAudio  # noqa: E402

FRAMES, CHANNELS, RATE = 4321, 3, 8000
# Without 0, unknown, and 1, encoded. [17:] removes GST_AUDIO_FORMAT_.
FORMATS = [form.value_name[17:] for number, form in GstAudio.AudioFormat.__enum_values__.items() if number > 1]

every_format = pytest.mark.parametrize("form", FORMATS)
every_layout = pytest.mark.parametrize("layout", ["interleaved", "non-interleaved"])


def caps(form: str, layout: str = "interleaved") -> str:
    return f"audio/x-raw,format={form},layout={layout},rate={RATE},channels={CHANNELS},channel-mask=(bitmask)0x7"


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Noise as raw 64-bit floats."""
    path = tmp_path_factory.mktemp("formats") / "noise.raw"
    np.random.default_rng(1).uniform(-1, 1, (FRAMES, CHANNELS)).astype("<f8").tofile(path)
    return path


def convert_and_reverse(folder, noise, form, layout) -> list[np.ndarray]:
    """Converts the noise to the format. Returns its frames forward, reversed once and reversed
    twice."""
    queue = "queue max-size-bytes=0 max-size-time=0 max-size-buffers=0"
    to_file = f"{queue} ! audioconvert dithering=none ! {caps(form)} ! filesink location="
    gst_launch(
        f"filesrc location={noise} ! rawaudioparse pcm-format=f64le sample-rate={RATE} num-channels={CHANNELS} !",
        f"audioconvert dithering=none ! {caps(form, layout)} ! tee name=forward !",
        "revbuf direction=reverse ! tee name=once ! queue ! revbuf direction=reverse !",
        f"{to_file}twice forward. ! {to_file}forward once. ! {to_file}once",
        cwd=folder,
    )
    width = (folder / "forward").stat().st_size // FRAMES
    return [np.fromfile(folder / name, np.uint8).reshape(-1, width) for name in ("forward", "once", "twice")]


def stock_keeps_planar(folder, noise, form) -> bool:
    """Whether audioconvert on its own preserves the samples when it converts them to planar and
    back."""
    source = f"filesrc location={noise} ! rawaudioparse pcm-format=f64le sample-rate={RATE} num-channels={CHANNELS}"
    for way, name in [("", "direct"), (f"! audioconvert dithering=none ! {caps(form, 'non-interleaved')}", "planar")]:
        gst_launch(f"{source} {way} ! audioconvert dithering=none ! {caps(form)} ! filesink location={folder / name}")
    return (folder / "direct").read_bytes() == (folder / "planar").read_bytes()


@every_format
@every_layout
def test_reversed_once_and_twice(tmp_path, noise, form, layout):
    if layout == "non-interleaved" and "20_32" in form and not stock_keeps_planar(tmp_path, noise, form):
        pytest.skip("audioconvert of GStreamer 1.28 packs 20 bits in 32 as if these were 3 bytes")
    forward, once, twice = convert_and_reverse(tmp_path, noise, form, layout)
    assert len(forward) == FRAMES
    assert len(np.unique(forward, axis=0)) > FRAMES / 2  # still noise
    assert np.array_equal(once, forward[::-1])
    assert np.array_equal(twice, forward)



FFMPEG_KNOWS = [form for form in FORMATS if "_" not in form and form[1:3].rstrip("LB") in ("8", "16", "24", "32", "64")]


@pytest.mark.parametrize("form", FFMPEG_KNOWS)
def test_reversed_it_equals_ffmpeg(tmp_path, noise, form):
    forward, once, _ = convert_and_reverse(tmp_path, noise, form, "interleaved")
    name = form.lower()
    shape = ["-f", name, "-ar", str(RATE), "-ac", str(CHANNELS)]
    output = subprocess.run(
        ["ffmpeg", "-v", "error", *shape, "-i", tmp_path / "forward", "-af", "areverse", "-f", name, "-"],
        check=True,
        capture_output=True,
    ).stdout
    assert np.array_equal(once, np.frombuffer(output, np.uint8).reshape(forward.shape))
