# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that the level of quiet parts is measured in them alone, at any tempo."""

import numpy as np
import pytest
from limiting import quiet_db
from stretch.audio import write_wav
from stretch.score import RATE


@pytest.mark.parametrize("factor", [0.5, 1, 2])
def test_only_quiet_parts_count(tmp_path, factor):
    def knocks(factor: float, loud: float, quiet: float) -> np.ndarray:
        seconds = np.arange(8 * factor * RATE) / factor / RATE
        return np.where((seconds + 0.05) % 2 < 0.5, loud, quiet) * np.sin(2 * np.pi * 997 * seconds * factor)

    write_wav(tmp_path / "source.wav", knocks(1, 0.9, 0.1))
    write_wav(tmp_path / "output.wav", knocks(factor, 0.5, 0.08))
    assert quiet_db(tmp_path / "output.wav", tmp_path / "source.wav", factor) == pytest.approx(-1.94, abs=0.01)
