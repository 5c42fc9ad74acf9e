# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
from pathlib import Path

for library in ("OMP", "OPENBLAS"):  # one thread each, because tests run in parallel
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import pytest  # noqa: E402
from stretch.score import Score  # noqa: E402


def pytest_collection_modifyitems(items):
    """The measures belong to `make quality`, so all of their tests are long."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def score() -> Score:
    return Score()
