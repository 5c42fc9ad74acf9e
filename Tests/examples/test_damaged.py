# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests a selection of the damaged files of `make damage`, and the functions that judge the
# results.

import re
import subprocess
import sys

import numpy as np
import pytest
from support import ROOT

sys.path.insert(0, str(ROOT / "Tests/trust"))
import damaged_files  # noqa: E402
import damaged_run  # noqa: E402


def examine(*selection):
    """Runs damage.py, which fails if there was a crash, a hang, a critical or a silent loss.
    Returns the tested pairs (kind of damage, mode)."""
    result = subprocess.run([ROOT / "scripts/damage.py", *selection], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    return re.findall(r"^\| ([a-z ]+) \| ([a-z]+) \| [1-9]", result.stdout, re.M)


@pytest.mark.long
def test_each_damage_in_each_mode_is_right_or_refused():
    tried = examine("--each", "40")
    often = [kind for kind in damaged_files.KINDS if kind not in ("caps change", "chain")]
    assert {(kind, mode) for kind in often for mode in damaged_run.MODES} <= set(tried)


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "modes"), [(["caps change"], 8), (["chain", "auto"], 1), (["chain", "collect"], 1), (["adts.aac", "seek"], 5)], ids=str
)
def test_earlier_faults_are_right_or_refused(words, modes):
    assert len(examine(*(f"--only={word}" for word in words))) >= modes


FRAMES = np.arange(4000, dtype=np.uint8).reshape(-1, 8)
EDITS = {
    "lost": (lambda frames: np.delete(frames, 77, 0), "silent"),
    "twice": (lambda frames: np.insert(frames, 5, frames[5], 0), "differs"),
    "swapped": (lambda frames: frames[np.r_[0:10, 11, 10, 12 : len(frames)]], "equal"),
    "as it was": (lambda frames: frames, "right"),
}


class Found:
    """A fake result of a decode."""

    ended, errors, warnings = True, [], []

    def __init__(self, frames):
        self.rows = frames

    def frames(self):
        return [((8000, 2), self.rows)]

    def count(self):
        return len(self.rows)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("mode", ["flip", "collect", "stream"])
def test_the_judges_find_faults(mode, edit):
    change, outcome = EDITS[edit]
    right = {"flip": FRAMES, "collect": FRAMES[::-1], "stream": FRAMES}[mode]
    found = change(right)
    if mode == "stream":
        found = np.repeat(found, 2, 0)
    assert damaged_run.judge(mode, Found(found), Found(FRAMES), lambda *_, **__: Found(FRAMES))[0] == outcome


@pytest.mark.parametrize("edit", ["lost", "twice", "as it was"])
def test_the_judge_of_a_kept_pitch_finds_faults(edit):
    change, outcome = EDITS[edit]
    found = change(np.repeat(FRAMES, 2, 0))
    assert damaged_run.judge("pitch", Found(found), Found(FRAMES), None)[0] == outcome
    silent = Found(np.zeros_like(np.repeat(FRAMES, 2, 0)))
    assert damaged_run.judge("pitch", silent, Found(FRAMES), None)[0] == "equal"
