# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests block seeks in every format: the reversed output is compared with the forward decode. FFmpeg
# creates the files, all from the same signal.

import functools
import sys
import tempfile

import numpy as np
import pytest
from support import ROOT, run

sys.path.insert(0, str(ROOT / "measure/reverse-table"))
import reverse_run  # noqa: E402
from reverse_inputs import FORMATS, make_file  # noqa: E402

pytestmark = pytest.mark.long

SECONDS = 6.37
SHORT_BLOCKS = "block-time=700000000"  # short blocks, so that there are many seams


def cases(wanted):
    rows = [(form, channels) for form in FORMATS for channels in form.channels if wanted(form, channels)]
    ids = [f"{form.name}, {form.chain.split(' ! ')[-1]}, {channels}".replace(" ", "-") for form, channels in rows]
    return pytest.mark.parametrize(("form", "channels"), rows, ids=ids)


exact = cases(lambda form, channels: form.is_exact(channels))


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
