# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that check-pages.py compares the figures of the pages with the tables they come from.

import json
import re
import runpy
import shutil

import pytest
from support import ROOT, run

CHECK = ROOT / "scripts/check-pages.py"
# page, and the table of a claim in it
CLAIMS = [
    ("README.md", "<!-- quality:chord@1.5 -->"),
    ("README.md", "<!-- bench:peak@MP3/revbuf mode=seek -->"),
    ("docs/sound.md", "<!-- formants:timescale formants=keep@voice/+4 -->"),
]


@pytest.fixture
def pages(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("pictures", "draw"))
    for name in ("README.md", "web/README.md", "measure/bench/results.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def replace(page, pattern, by):
    """Replaces the first match of a pattern. Returns what it has become."""
    text = page.read_text()
    match = re.search(pattern, text)
    assert match, pattern
    page.write_text(text[: match.start()] + match.expand(by) + text[match.end() :])
    return match.expand(by)


def test_the_claims_of_the_pages_are_true(pages):
    assert run(CHECK, pages).stderr == ""


@pytest.mark.parametrize(("page", "table"), CLAIMS)
def test_a_figure_with_another_digit_in_front_is_found(pages, page, table):
    claim = replace(pages / page, r"([\d.]+)(" + re.escape(table) + ")", r"1\1\2")
    (fault,) = run(CHECK, pages, status=1).stderr.splitlines()
    assert claim in fault


def test_a_figure_without_a_table_and_a_table_without_its_origin_are_found(pages):
    figure = replace(pages / "README.md", r"(\d+)<!-- quality:chord@1.5 -->", r"\1")
    replace(pages / "docs/internals/measurements.md", "<sub>(`measure/speed/peers.py`)", r"\1")
    faults = run(CHECK, pages, status=1).stderr
    assert f"README.md: {figure} dB: it has no reference" in faults
    assert "Any speed: no line says where the table comes from" in faults


def test_sounds_without_an_ideal_have_the_figures_of_the_table():
    check = runpy.run_path(str(CHECK))
    for pair in json.loads((ROOT / "web/sounds/sounds.json").read_text())["pairs"]:
        column, _, page = pair["measure"].partition(" of ")
        ours = next(version["figure"] for version in pair["versions"] if version["id"] == "retrograde")
        if "page Stretch" in page:
            assert ours == round(float(check["cell"](ROOT, "quality", column, f"{pair['factor']}/timescale")), 1)
