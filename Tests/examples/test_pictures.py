# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that the pictures in docs that can be drawn without a new measurement match the output of this
# commit.

import re

import pytest
from support import ENVIRONMENT, ROOT, run

pytestmark = pytest.mark.long

PICTURES = {
    "diagrams.py": ["layers.svg", "seek.svg", "factor.svg", "spin-back.svg"],
    "waveforms.py": ["waveforms.svg"],
    # from the tables of measure/bench/results.md
    "growth.py": ["growth.svg", "hour.svg"],
}


def version_of_matplotlib(picture):
    return re.findall(r"Matplotlib v[\d.]+", picture)


@pytest.mark.parametrize("script", PICTURES)
def test_a_picture_is_what_its_script_draws_now(tmp_path, script):
    run("/usr/bin/python3", ROOT / "docs/draw" / script, env=ENVIRONMENT | {"PICTURES": str(tmp_path)})
    for name in PICTURES[script]:
        drawn, kept = (tmp_path / name).read_text(), (ROOT / "docs/pictures" / name).read_text()
        if version_of_matplotlib(drawn) != version_of_matplotlib(kept):
            pytest.skip(f"{name} was drawn by another version of Matplotlib, which places text differently")
        assert drawn == kept, f"make pictures: docs/pictures/{name} is out of date"
