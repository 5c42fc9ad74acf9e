# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The page "Before and after" must say what this build does.

import json

import pytest
from stretch import peers, scenes
from stretch.distance import aligned

pytestmark = pytest.mark.long

PAGE = json.loads((peers.ROOT / "web/sounds/sounds.json").read_text())["pairs"]
# The other sounds need a soundfont, or have no known ideal.
SCENES = [scene for scene in scenes.STRETCHED if scene.id in ("chord", "applause")]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.id)
def test_the_figures_of_the_page_are_those_of_this_build(scene):
    (pair,) = [pair for pair in PAGE if pair["title"] == scene.title and pair["factor"] == scene.factor]
    (ours,) = [version for version in pair["versions"] if version["id"] == "retrograde"]
    ideal = scene.render(scene.factor)
    output, _ = aligned(peers.ours()(scene.render(1), scene.factor), ideal)
    assert scene.judge.figure(output, ideal, scene.factor) == pytest.approx(ours["figure"], abs=0.05)
