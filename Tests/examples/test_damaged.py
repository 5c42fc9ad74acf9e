# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A sample of what `make damage` tries, and that its judges would tell.

import re
import subprocess
import sys

import numpy as np
import pytest
from support import ROOT

sys.path.insert(0, str(ROOT / "Tests/trust"))
import damaged_run  # noqa: E402


@pytest.mark.parametrize(
    ("selection", "least"), [(("--each", "40"), 500), (("--only", "caps change"), 42), (("--only", "adts.aac"), 500)], ids=str
)
def test_damaged_files_are_right_or_refused(selection, least):
    """No crash, hang, critical or silent loss, or the status is 1."""
    command = [ROOT / "scripts/damage.py", *selection]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(re.search(r"^(\d+) runs", result.stdout, re.M)[1]) > least - 1


FRAMES = np.arange(4000, dtype=np.uint8).reshape(-1, 8)
EDITS = {
    "lost": (lambda frames: np.delete(frames, 77, 0), "silent"),
    "twice": (lambda frames: np.insert(frames, 5, frames[5], 0), "differs"),
    "swapped": (lambda frames: frames[np.r_[0:10, 11, 10, 12 : len(frames)]], "equal"),
    "as it was": (lambda frames: frames, "right"),
}


class Found:
    """What a decode gave."""

    ended, errors, warnings = True, [], []

    def __init__(self, frames):
        self.rows = frames

    def frames(self):
        return [((8000, 2), self.rows)]

    def count(self):
        return len(self.rows)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("mode", ["flip", "collect", "stream"])
def test_the_judges_would_tell(mode, edit):
    change, outcome = EDITS[edit]
    right = {"flip": FRAMES, "collect": FRAMES[::-1], "stream": FRAMES}[mode]
    found = change(right)
    if mode == "stream":
        found = np.repeat(found, 2, 0)
    assert damaged_run.judge(mode, Found(found), Found(FRAMES), lambda *_, **__: Found(FRAMES))[0] == outcome
