# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The pipelines that the articles of the Swift library show.

import re

import pytest
from support import ROOT, SAMPLE, run

ARTICLES = sorted((ROOT / "Sources/Retrograde/Retrograde.docc").glob("*.md"))
PIPELINES = [line for path in ARTICLES for line in re.findall(r"^gst-launch-1.0 (.*)$", path.read_text(), re.MULTILINE)]
# what a machine without sound has instead
STAND_INS = {
    "autoaudiosink": "fakesink",
    "autoaudiosrc": "audiotestsrc num-buffers=100",
    "location=song.mp3": f"location={SAMPLE}",
}


def test_articles_show_pipelines():
    assert len(PIPELINES) >= 3


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_pipeline_of_an_article_runs(tmp_path, pipeline):
    for real, stand_in in STAND_INS.items():
        pipeline = pipeline.replace(real, stand_in)
    run("gst-launch-1.0", "-q", *pipeline.split(), cwd=tmp_path)
    for name in re.findall(r"filesink location=(\S+)", pipeline):
        assert (tmp_path / name).stat().st_size > 100_000
