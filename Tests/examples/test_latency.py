# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compares the latencies given in docs with the ones that the elements report.

import re

import pytest
from support import ROOT, run

# docs give whole milliseconds
ROUNDING_MS = 1


def rows(page: str, heading: str) -> list[list[str]]:
    """Returns the rows of the table in docs/`page` whose first column has this heading."""
    text = (ROOT / "docs" / page).read_text()
    table = re.search(rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table, heading
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def answers(chains: list[str]) -> list[float]:
    return [float(line) for line in run("/usr/bin/python3", ROOT / "Tests/examples/latency.py", *chains).stdout.split()]


def test_latency_of_each_element():
    told = {chain: float(figure.replace(",", "")) for chain, figure in rows("embedding.md", "live, at 48 kHz")}
    assert len(told) >= 10
    assert any("queue" in chain for chain in told) and any("window=" in chain for chain in told)
    for (chain, figure), answer in zip(told.items(), answers(list(told))):
        assert answer == pytest.approx(figure, abs=0.06 if figure < 10 else ROUNDING_MS), chain


COLUMNS = [
    ["keep-pitch=true factor=1.5"],
    ["keep-pitch=true factor=1.001"],
    ["keep-pitch=true factor=0.75"],
    ["keep-pitch=true factor=0.5"],
    ["semitones=1", "semitones=-1"],
    ["semitones=3", "semitones=-3"],
    ["semitones=12", "semitones=-12"],
    ["semitones=24", "semitones=-24"],
]


@pytest.mark.parametrize("windows, figures", [(row[0], row[1:]) for row in rows("timescale.md", "`window`") if row[0] != "window"])
def test_latency_of_each_window(windows, figures):
    for window in windows.replace("`", "").split(", "):
        for settings, cell in zip(COLUMNS, figures, strict=True):
            told = [float(number) for number in cell.split(", ")]
            heard = answers([f"timescale window={window} {setting}" for setting in settings])
            # a single number is that of the setting with the higher latency
            heard = heard if len(told) == len(heard) else [max(heard)]
            assert heard == pytest.approx(told, abs=ROUNDING_MS), f"{window}, {settings}"
