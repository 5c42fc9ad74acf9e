# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the comparison of programs, its bar charts, and the command line."""

import json
import math
import subprocess
import sys

import evenness
import moving
import numpy as np
import pytest
import speed
from stretch import bars, peers, report
from stretch.audio import read_wav, write_wav
from support import ROOT

QUALITY = ROOT / "measure/quality"


@pytest.fixture
def copier(tmp_path):
    """A program that copies its input unchanged."""
    program = tmp_path / "copier.py"
    program.write_text("import shutil, sys\nshutil.copy(sys.argv[1], sys.argv[2])\n")
    return f"copier={sys.executable} {program} IN OUT FACTOR"


@pytest.mark.parametrize("bits", [16, 32])
def test_files_keep_their_samples(tmp_path, bits):
    samples = np.random.default_rng(5).uniform(-1, 1, (1000, 2))
    write_wav(tmp_path / "a.wav", samples, bits)
    assert np.allclose(read_wav(tmp_path / "a.wav"), samples, atol=1e-7 if bits == 32 else 1e-4)


def test_a_command_reads_and_writes_files(copier):
    samples = np.random.default_rng(6).uniform(-1, 1, 500).astype(np.float32).astype(float)
    assert np.array_equal(peers.from_words(copier)(samples, 2), samples)


@pytest.mark.parametrize("words", ["nothing", "x=program IN OUT", "=program IN OUT FACTOR"])
def test_a_command_without_its_places_is_refused(words):
    with pytest.raises(ValueError, match="write NAME=PROGRAM IN OUT FACTOR"):
        peers.from_words(words)


def test_a_program_that_fails_says_why():
    failing = peers.from_words("failing=ls /no/such/place IN OUT FACTOR")
    with pytest.raises(RuntimeError, match="/no/such/place"):
        failing(np.zeros(10), 1)


def test_a_program_that_fails_after_writing_has_failed(tmp_path):
    program = tmp_path / "half.py"
    program.write_text("import shutil, sys\nshutil.copy(sys.argv[1], sys.argv[2])\nsys.exit('broken off')\n")
    with pytest.raises(RuntimeError, match="broken off"):
        peers.from_words(f"half={sys.executable} {program} IN OUT FACTOR")(np.zeros(10), 1)


def test_peers_that_are_not_installed_are_left_out(capsys):
    absent = peers.Peer("absent", lambda *_: [], "program:no-such-program")
    assert peers.usable([absent]) == []
    assert "absent is left out: no-such-program is not installed." in capsys.readouterr().err


def results(ours: float, r3: float, bungee: float) -> dict:
    def figures(value):
        return {"1.5": {"chord": {"sndr": value}}}

    return {"ours": figures(ours), "rubberband R3": figures(r3), "bungee": figures(bungee)}


@pytest.mark.parametrize("ours, verdict", [(35, "met"), (34.9, "**missed**"), (math.nan, "not measured")])
def test_a_bar_is_met_8_db_above_the_better_peer(ours, verdict):
    row = bars.beside(bars.CHORD, results(ours, 20, 27), "ours", bars.BEST, "1.5", ahead=8)
    assert row.verdict == verdict
    assert row.wanted == "27 (bungee), 8 better"


def test_where_nearer_to_nothing_is_better():
    lost = {name: {"1.5": {"drums": {"attack": value}}} for name, value in (("ours", 0.2), ("bungee", -0.3))}
    assert bars.within(bars.LOST, lost, "ours", "1.5", 0.3).verdict == "met"
    assert bars.beside(bars.LOST, lost, "ours", bars.BEST, "1.5").verdict == "met"
    assert bars.beside(bars.LOST, lost, "bungee", ("ours",), "1.5").verdict == "**missed**"


def test_the_best_of_a_column_is_bold():
    table = report.figures_table(results(30, 20, 27), "1.5")
    assert "| ours | **30** |" in table and "| bungee | 27 |" in table


def test_the_command_measures_keeps_figures_and_judges(copier, tmp_path):
    command = [sys.executable, QUALITY / "stretching.py", "--peers", "oracle", "--groups", "ends", "--factors", "1"]
    files = ["--json", tmp_path / "figures.json", "--markdown", tmp_path / "report.md"]
    for options in (["--cmd", copier], []):
        subprocess.run([*command, *files, *options], check=True, capture_output=True)
    kept = json.loads((tmp_path / "figures.json").read_text())
    assert kept["copier"]["1"]["ends"]["length"] == 0
    assert kept["oracle"]["1"]["ends"]["first"] == pytest.approx(0, abs=0.01)
    assert "## Factor 1" in (tmp_path / "report.md").read_text()


def test_unknown_names_are_refused():
    command = [sys.executable, QUALITY / "stretching.py", "--peers", "nobody"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode != 0 and "Unknown: nobody. Peers: oracle, timescale" in answer.stderr


def test_the_page_says_which_targets_are_missed(tmp_path):
    (tmp_path / "stretch.json").write_text(json.dumps(results(27, 20, 26)))
    (tmp_path / "page.md").write_text("# Stretch\n\nBy hand.\n\n## Figures\n\nof yesterday\n")
    command = [
        sys.executable,
        QUALITY / "page.py",
        "--figures",
        tmp_path,
        "--ours",
        "ours",
        "--page",
        tmp_path / "page.md",
    ]
    subprocess.run(command, check=True)
    page = (tmp_path / "page.md").read_text()
    assert "We meet 0 of 1 targets" in page
    assert "| chord SNDR dB | 1.5 | 27 | 26 (bungee), 8 better |" in page
    assert "of yesterday" not in page
    assert page.startswith("# Stretch\n\nBy hand.\n\n## Figures\n\nThe signals")


def test_evenness_is_the_longest_call_by_the_mean_frame():
    """Four calls take 8 µs and output two blocks of 256 frames."""
    figures = evenness.evenness(np.array([1.0, 5, 0, 2]), np.array([0, 256, 0, 256]))
    assert figures["frame_us"] == 4 and figures["worst"] == 1.25
    assert figures["at_s"] == 64 / 48000


def test_speed_is_the_median_of_ratios_within_rounds():
    """The second round ran at half the speed, which must not matter."""
    costs = {"rubberband R3": [10.0, 20, 10], "signalsmith": [2.0, 4, 2], "ours": [1.0, 2, 1.8]}
    figures = speed.summary(costs)
    assert figures["ours"]["ratio"] == pytest.approx(0.1)
    assert "below Signalsmith's 0.200: met" in speed.verdict(figures, "ours")
    assert "missed" in speed.verdict(speed.summary(costs | {"ours": [1.6, 3.2, 1.6]}), "ours")


@pytest.mark.parametrize("worst, verdict", [(0.99, ": met"), (1.01, "**missed**"), (None, "**missed**")])
def test_an_hour_without_drift(worst, verdict):
    results = {"ours": {"25/24": {"worst": 0.1}, "1.1": {"worst": worst}}}
    assert verdict in moving.drift_verdict(results, "ours")
