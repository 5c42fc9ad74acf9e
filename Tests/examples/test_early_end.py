# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests files whose sound ends before the duration that upstream reports. revbuf must warn if a
# header declares that duration, but not if a parser has estimated the duration, nor if the duration
# is that of the video.

import re
import subprocess
import sys

import numpy as np
import pytest
from support import ENVIRONMENT, ROOT, run

sys.path.insert(0, str(ROOT / "measure/reverse-table"))
import reverse_run  # noqa: E402

pytestmark = pytest.mark.long

RATE = 44100
MPEG = "mpegaudioparse ! mpg123audiodec"


def make(path, *options, quiet_s=0, loud_s=10):
    """Makes a stereo file with digital silence and then noise."""
    noise = 0.3 * np.random.default_rng(1).standard_normal((loud_s * RATE, 2)).clip(-3, 3)
    samples = np.r_[np.zeros((quiet_s * RATE, 2)), noise]
    source = ["-f", "s16le", "-ar", str(RATE), "-ac", "2", "-i", "-"]
    data = (samples * 32767).astype("<i2").tobytes()
    subprocess.run(["ffmpeg", "-v", "error", *source, *options, path], input=data, check=True)
    return path


def warnings(path, chain):
    report = reverse_run.run("revbuf", path, chain)
    assert report["error"] is None, report
    assert report["stats"]["blocks"] > 0  # revbuf fetched blocks and did not collect the stream
    return report["warnings"]


@pytest.mark.parametrize(
    ("name", "options", "chain"),
    [
        ("cut.mov", "-c:a pcm_s16le -movflags faststart", "qtdemux"),
        ("cut.flac", "-c:a flac", "flacparse ! flacdec"),
        ("cut.m4a", "-c:a alac -movflags faststart", "qtdemux ! avdec_alac"),
    ],
)
def test_a_file_that_is_cut_off_is_reported(tmp_path, name, options, chain):
    path = make(tmp_path / name, *options.split())
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 7 // 10])
    told = [found for text in warnings(path, chain) if (found := re.search(r"lasts ([\d.]+) s, .* it ended at ([\d.]+) s", text))]
    assert len(told) == 1
    stated_s, end_s = map(float, told[0].groups())
    assert stated_s == 10
    assert end_s == pytest.approx(7, abs=0.2)


# From the first second of such a file, mpegaudioparse may estimate ten times or half of its
# duration.
@pytest.mark.parametrize("seconds", [(3, 1), (3, 2), (5, 20), (20, 0), (0, 3)], ids=str)
@pytest.mark.parametrize(
    ("name", "options", "chain"),
    [
        ("bare.mp3", "-c:a libmp3lame -q:a 4 -write_xing 0 -id3v2_version 0", MPEG),
        ("header.mp3", "-c:a libmp3lame -q:a 4", MPEG),
        ("adts.aac", "-c:a aac -b:a 128k -aac_pns 0", "aacparse ! avdec_aac"),
    ],
)
def test_an_estimate_is_no_promise(tmp_path, name, options, chain, seconds):
    quiet_s, loud_s = seconds
    path = make(tmp_path / name, *options.split(), quiet_s=quiet_s, loud_s=loud_s)
    assert warnings(path, chain) == []


@pytest.mark.parametrize(("suffix", "demuxer"), [("mov", "qtdemux"), ("mkv", "matroskademux"), ("avi", "avidemux")])
def test_pictures_that_last_longer_promise_no_sound(tmp_path, suffix, demuxer):
    film = tmp_path / f"film.{suffix}"
    inputs = ["-f", "lavfi", "-i", "testsrc=duration=6:size=64x64:rate=25", "-f", "lavfi", "-i", "sine=duration=3"]
    subprocess.run(["ffmpeg", "-v", "error", *inputs, "-c:v", "mpeg4", "-c:a", "pcm_s16le", film], check=True)
    words = f"filesrc location={film} ! {demuxer} name=demuxer demuxer.audio_0 ! revbuf direction=reverse ! fakesink sync=false"
    said = run("gst-launch-1.0", *words.split(), env=ENVIRONMENT)
    assert "it ended" not in said.stdout + said.stderr
