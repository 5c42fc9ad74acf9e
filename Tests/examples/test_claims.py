# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that check-pages.py compares the figures of the pages with the tables they come from.

import shutil

import pytest
from support import ROOT, run

CHECK = ROOT / "scripts/check-pages.py"
# page, a claim, and the same claim falsified
FALSE = [
    ("README.md", "38<!-- quality:chord@1.5 -->", "39<!-- quality:chord@1.5 -->"),
    ("README.md", "24<!-- bench:peak@MP3/revbuf mode=seek -->", "23<!-- bench:peak@MP3/revbuf mode=seek -->"),
    ("docs/sound.md", "1.07<!-- formants:timescale formants=keep@voice/+4 -->", "1.06<!-- formants:timescale formants=keep@voice/+4 -->"),
]


@pytest.fixture
def pages(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("pictures", "draw"))
    for name in ("README.md", "web/README.md", "measure/bench/results.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def falsify(page, claim, other):
    text = page.read_text()
    assert claim in text
    page.write_text(text.replace(claim, other, 1))


def test_the_claims_of_the_pages_are_true(pages):
    assert run(CHECK, pages).stderr == ""


@pytest.mark.parametrize(("page", "claim", "other"), FALSE)
def test_a_false_claim_is_found(pages, page, claim, other):
    falsify(pages / page, claim, other)
    (fault,) = run(CHECK, pages, status=1).stderr.splitlines()
    assert other in fault


def test_a_figure_without_a_table_and_a_table_without_its_origin_are_found(pages):
    falsify(pages / "README.md", "38<!-- quality:chord@1.5 -->", "38")
    falsify(pages / "docs/internals/measurements.md", "<sub>`measure/speed/peers.py`", "`measure/speed/peers.py`")
    faults = run(CHECK, pages, status=1).stderr
    assert "README.md: 38 dB: it has no reference" in faults and "Any speed: no line says where the table comes from" in faults
