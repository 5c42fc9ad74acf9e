# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
import sys
from pathlib import Path

import pytest

QUALITY = Path(__file__).resolve().parents[2] / "measure/quality"
sys.path.insert(0, str(QUALITY))

from stretch.score import Score  # noqa: E402


@pytest.fixture(scope="session")
def score() -> Score:
    return Score()
