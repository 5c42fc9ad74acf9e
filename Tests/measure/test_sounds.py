# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the sounds of the web page "Before and after"."""

import numpy as np
import pytest
from sounds import Version, bench, verdict
from stretch import scenes, soundfont
from stretch.applause import applause
from stretch.score import RATE
from stretch.spectrogram import HEIGHT, WIDTH, spectrogram


# From the table in the Standard MIDI Files specification.
@pytest.mark.parametrize(
    "number, written",
    [(0, "00"), (0x7F, "7f"), (0x80, "8100"), (0x2000, "c000"), (0x1FFFFF, "ffff7f"), (0xFFFFFFF, "ffffff7f")],
)
def test_numbers_of_midi_are_written_as_its_standard_says(number, written):
    assert soundfont.variable(number).hex() == written


def test_a_note_begins_and_ends_the_factor_later_and_a_drum_keeps_its_length():
    notes = [soundfont.Note(0, 60, 1, 0.5), soundfont.Note(soundfont.DRUMS, 38, 1, 0.5)]
    track = soundfont.midi(notes, {}, 1.5)[22:]
    tempo, after = track[:7], track[7:]
    assert tempo.hex() == "00ff510307a120"  # a quarter note lasts half a second
    start = soundfont.variable(72000)
    drum_ends, note_ends = soundfont.variable(9600), soundfont.variable(36000 - 9600)
    struck = {bytes([0x90, 60, 90]), bytes([0x99, 38, 90])}
    assert after.startswith(start)
    place = len(start)
    assert {after[place : place + 3], after[place + 4 : place + 7]} == struck
    assert after[place + 7 :] == drum_ends + bytes([0x89, 38, 0]) + note_ends + bytes([0x80, 60, 0]) + b"\0\xff\x2f\0"


def test_applause_at_another_tempo_has_the_same_claps(score):
    once, twice = applause(score, 1), applause(score, 2)
    assert len(twice) == 2 * len(once) == 6 * RATE
    # overlapping claps do not add up exactly
    assert np.sum(twice**2) == pytest.approx(np.sum(once**2), rel=0.1)


def test_partials_of_the_chord_are_distinguished_by_the_measure():
    hz = np.array([frequency for frequency, _ in scenes.organ()])
    assert np.diff(hz).min() > 26


def test_figures_are_taken_from_the_first_table_of_the_bench():
    voice = bench("voice dB", 1.5)
    assert voice["oracle"] == 0
    assert {"timescale", "rubberband R3", "signalsmith", "bungee", "gst pitch", "gst scaletempo"} <= set(voice)


def version(id: str, figure: float | None) -> Version:
    return Version(id, id.title(), "", np.zeros(1), figure)


@pytest.mark.parametrize("is_higher_better, is_best", [(False, True), (True, False)])
def test_the_verdict_says_who_is_the_nearest_to_the_ideal(is_higher_better, is_best):
    judge = scenes.Judge("", is_higher_better=is_higher_better)
    said = verdict([version("ideal", None), version("retrograde", 1), version("bungee", 2), version("other", 3)], judge)
    assert said.startswith("Retrograde is the nearest to the ideal, 1.00 dB. Next is Bungee" if is_best else "Retrograde is not the best here: Other has 3.00 dB")
    assert is_best or said.endswith("place 3 of 3.")


def test_a_tone_is_a_line_at_its_frequency():
    samples = 0.5 * np.sin(2 * np.pi * 3000 * np.arange(RATE) / RATE)
    pixels = np.asarray(spectrogram(samples, 2048, 8000)).sum(2)
    assert pixels.shape == (HEIGHT, WIDTH)
    brightest = pixels[:, WIDTH // 4 : -WIDTH // 4].argmax(0)
    assert np.abs(brightest - (HEIGHT - 1 - 3000 / 8000 * HEIGHT)).max() <= 1
