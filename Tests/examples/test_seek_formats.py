# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests block seeks in every format: the reversed output is compared with the forward decode. FFmpeg
# creates the files, all from the same signal.

import functools
import re
import sys
import tempfile

import numpy as np
import pytest
from support import ROOT, run

sys.path.insert(0, str(ROOT / "measure/reverse-table"))
import reverse_run  # noqa: E402
from reverse_inputs import FORMATS, make_file  # noqa: E402

SECONDS = 6.37
SHORT_BLOCKS = "block-time=700000000"  # short blocks, so that there are many seams
BLOCK_FRAMES = 4096  # length of the pieces of output whose position is checked
LAG_FRAMES = 1024  # how far a piece may be from its expected position, in either direction


def cases(wanted):
    rows = [(form, channels) for form in FORMATS for channels in form.channels if wanted(form, channels)]
    ids = [f"{form.name}, {form.chain.split(' ! ')[-1]}, {channels}".replace(" ", "-") for form, channels in rows]
    return pytest.mark.parametrize(("form", "channels"), rows, ids=ids)


exact = cases(lambda form, channels: form.is_exact(channels))
# without avdec_adpcm_ms, which sometimes fails after seeks with "Could not decode stream."
inexact = cases(lambda form, channels: not form.is_exact(channels) and "adpcm_ms" not in form.chain)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


@functools.cache
def is_built(element):
    """Whether an element is available in the registry that reverse_run.py uses."""
    return run("gst-inspect-1.0", "--exists", element, status=None).returncode == 0


def heard(how, path, chain, **options):
    """Decodes a file with reverse_run.py. Returns the report, and the frames as an array of (number
    of frames, bytes per frame)."""
    elements = [part.split()[0] for part in chain.split(" ! ") if "/" not in part]
    if lacks := [element for element in elements if not is_built(element)]:
        pytest.skip(f"this GStreamer was built without {', '.join(lacks)}")
    with tempfile.TemporaryFile() as file:
        report = reverse_run.run(how, path, chain, frames_fd=file.fileno(), **options)
        assert report["error"] is None, report
        # revbuf must not warn that the file ended early
        assert not [warning for warning in report["warnings"] if "it ended" in warning], report
        file.seek(0)
        data = np.frombuffer(file.read(), np.uint8)
    return report, data.reshape(-1, report["frame_bytes"])


@functools.lru_cache(maxsize=1)
def heard_forward(path, chain):
    """Decodes a file forward. Cached for the tests of the same file."""
    return heard("forward", path, chain)


def samples(report, frames):
    """Converts frames to samples from -1 to 1, as an array of (frames, channels)."""
    kind, full_scale = {"S16LE": ("<i2", 32768), "F32LE": ("<f4", 1)}[report["format"]]
    return frames.view(kind) / full_scale


def header_frames(path, form, channels):
    """Returns the number of frames that auparse outputs after a seek to the beginning because it
    treats the header as sound."""
    return int.from_bytes(path.read_bytes()[4:8], "big") // (channels * (1 if "mulaw" in form.chain else 2))


HOWS = ["revbuf", "seeked"]
# These decoders keep their state in a seek to the beginning, so the first frames differ.
KEEPING_DECODERS = ("opusdec", "avdec_aac", "avdec_wmav2", "dtsdec")


@pytest.mark.parametrize("how", HOWS)
@exact
def test_every_frame_is_that_of_the_forward_decode(files, form, channels, how):
    path = make_file(files, form, channels, SECONDS)
    _, forward = heard_forward(path, form.chain)
    report, backward = heard(how, path, form.chain, properties=SHORT_BLOCKS)
    if "auparse" in form.chain and how == "seeked":
        backward = backward[: -header_frames(path, form, channels)]
        assert len(backward) == len(forward)
    assert len(forward) > 6 * form.rate
    assert 0 <= len(forward) - len(backward) <= form.cut
    keeps = how == "seeked" and any(decoder in form.chain for decoder in KEEPING_DECODERS)
    first = form.rate // 2 if keeps else 0
    assert np.array_equal(backward[::-1][first:], forward[first : len(backward)])
    assert report["stats"]["blocks"] >= 8
    assert report["stats"]["seams-crossfaded"] <= keeps


def lags(ours, truth):
    """Yields for each piece of the output by how many frames its position differs from that in the
    reference. Silent pieces are skipped."""
    for first in range(LAG_FRAMES, min(len(ours), len(truth)) - BLOCK_FRAMES - LAG_FRAMES, BLOCK_FRAMES):
        block = ours[first : first + BLOCK_FRAMES, 0]
        around = truth[first - LAG_FRAMES : first + BLOCK_FRAMES + LAG_FRAMES, 0]
        if np.abs(block).max() > 0.01:
            size = 2 * BLOCK_FRAMES + 2 * LAG_FRAMES
            product = np.fft.rfft(around, size) * np.conj(np.fft.rfft(block, size))
            products = np.fft.irfft(product, size)[: 2 * LAG_FRAMES + 1]
            energies = np.cumsum(np.r_[0, around**2])
            energies = energies[BLOCK_FRAMES:] - energies[:-BLOCK_FRAMES]
            yield int((products / np.sqrt(energies + 1e-9)).argmax()) - LAG_FRAMES


def seams(report, rate):
    """Returns the positions of the seams in the output, in frames. The log has positions in the
    stream, which need not begin at frame 0 (MPEG-TS), so the positions are relative to the first
    seam, which is taken to be 0.1 s after the start of the output."""
    found = [int(frame) for frame in re.findall(r"seam at frame (\d+):", report["log"])]
    return [rate // 10 + found[0] - frame for frame in found]


@pytest.mark.parametrize("how", HOWS)
@inexact
def test_where_a_decoder_does_not_repeat_itself_seams_lie_right_and_are_smooth(files, form, channels, how):
    path = make_file(files, form, channels, SECONDS)
    report, forward = heard_forward(path, form.chain)
    truth = samples(report, forward)[::-1]
    report, backward = heard(how, path, form.chain, properties=SHORT_BLOCKS, debug="revbuf:5")
    ours = samples(report, backward)

    assert abs(len(ours) - len(truth)) <= form.off
    assert {abs(lag) for lag in lags(ours, truth)} <= set(range(form.off + 1))
    places = seams(report, form.rate)
    assert len(places) >= 8 and max(places) < len(ours)
    steps = np.abs(np.diff(ours, axis=0))
    fade_frames = form.rate // 200 + 1  # 5 ms
    around = [slice(max(place - 2 * fade_frames, 0), place + 2 * fade_frames) for place in places]
    largest = np.abs(np.diff(truth, axis=0)).max(axis=0)
    if form.off == 0:
        # noise of the decoder in both decodes may add to the steps between samples
        count = min(len(ours), len(truth))
        if how == "seeked":  # without the first packets, which are decoded differently after a seek
            count -= form.rate // 2
        noise = np.abs(ours[:count] - truth[:count])
        for seam in around:
            noise[seam] = 0
        largest = largest + 2 * noise.max(axis=0)
        assert np.all(noise.max(axis=0) < 0.2)  # for AC-3 and AAC, the noise is up to 0.14
    for seam in around:
        assert np.all(steps[seam] <= largest)
