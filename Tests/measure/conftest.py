# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import sys
from pathlib import Path

import pytest

QUALITY = Path(__file__).resolve().parents[2] / "measure/quality"
sys.path.insert(0, str(QUALITY))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
for library in ("OMP", "OPENBLAS"):  # one thread each, because tests run in parallel
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from childoutput import pytest_runtest_makereport  # noqa: E402, F401
from stretch.score import Score  # noqa: E402


@pytest.fixture(scope="session")
def score() -> Score:
    return Score()
