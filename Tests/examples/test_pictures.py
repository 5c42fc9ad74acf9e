# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that the pictures in docs are what their scripts draw of the tables of the pages, and of this build.

import re

import pytest
from support import ENVIRONMENT, ROOT, run

PYTHON = "/usr/bin/python3"
PICTURES = ROOT / "docs/pictures"
SVG = {
    "diagrams.py": ["layers.svg", "seek.svg", "factor.svg", "spin-back.svg"],
    "waveforms.py": ["waveforms.svg"],
    "growth.py": ["growth.svg", "hour.svg"],
    "sndr.py": ["sndr.svg"],
}


def version_of_matplotlib(picture):
    return re.findall(r"Matplotlib v[\d.]+", picture)


@pytest.mark.parametrize("script", SVG)
def test_a_picture_is_what_its_script_draws_now(tmp_path, script):
    run(PYTHON, ROOT / "docs/draw" / script, env=ENVIRONMENT | {"PICTURES": str(tmp_path)})
    for name in SVG[script]:
        drawn, kept = (tmp_path / name).read_text(), (PICTURES / name).read_text()
        if version_of_matplotlib(drawn) != version_of_matplotlib(kept):
            pytest.skip(f"{name} was drawn by another version of Matplotlib, which places text differently")
        assert drawn == kept, f"make pictures: docs/pictures/{name} is out of date"


@pytest.mark.long
@pytest.mark.parametrize(("script", "pattern"), [("docs/draw/spectrograms.py", "varispeed.png"), ("measure/quality/pictures.py", "stretch-*.png")])
def test_a_spectrogram_shows_this_build(tmp_path, script, pattern):
    np, image = pytest.importorskip("numpy"), pytest.importorskip("PIL.Image")
    run(PYTHON, ROOT / script, tmp_path, env=ENVIRONMENT | {"PICTURES": str(tmp_path)}, timeout=600)
    drawn = sorted(tmp_path.glob(pattern))
    assert drawn
    for path in drawn:
        now, kept = (np.asarray(image.open(folder / path.name).convert("RGB"), float) for folder in (tmp_path, PICTURES))
        assert now.shape == kept.shape and np.abs(now - kept).mean() < 3, f"make pictures: {path.name} is out of date"
