# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The page "Before and after" must be what `make site-sounds` makes of this build. Another processor may encode a
# sound in other bytes.

import json
import sys

import numpy as np
import pytest
from PIL import Image
from stretch.audio import mono
from stretch.distance import SHORT, distance
from stretch.recordings import decoded
from support import ROOT, run

KEPT = ROOT / "web/sounds"


def page(folder):
    made = json.loads((folder / "sounds.json").read_text())
    versions = [version for pair in made["pairs"] for version in pair["versions"]]
    return made["scale"], made["pairs"], versions, [version.pop("gain") for version in versions]


def pixels(path):
    return np.asarray(Image.open(path).convert("RGB"), float)


def test_the_page_is_what_this_build_makes(tmp_path):
    run(sys.executable, ROOT / "measure/quality/sounds.py", tmp_path, timeout=1800)
    scale, pairs, versions, gains = page(KEPT)
    assert page(tmp_path) == (scale, pairs, versions, pytest.approx(gains, abs=0.02)), "make site-sounds"
    for version in versions:
        made, kept = (mono(decoded(folder / version["sound"])) for folder in (tmp_path, KEPT))
        assert distance(made, kept, SHORT) < 0.3, version["sound"]
        made, kept = (pixels(folder / version["picture"]) for folder in (tmp_path, KEPT))
        assert np.abs(made - kept).mean() < 2, version["picture"]
