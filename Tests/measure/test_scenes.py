# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the measures for voices, songs, stereo sounds and recordings with known changes."""

import numpy as np
import pytest
from stretch.audio import earlier
from stretch.recordings import onsets, round_trip
from stretch.score import RATE
from stretch.song import BARS, LEAD_S, Band, drum_attacks, play, song
from stretch.stereo import image, sameness, stereo, twins
from stretch.voice import kurtosis, pulse_loss, pulses, sentence, speak, spoken

# ---- voice


def test_the_voice_of_the_score_is_at_no_distance(score):
    figures = spoken(earlier(speak(score, 1.5).samples, -960), score, 1.5)
    assert figures["late_ms"] == 20
    assert figures["lsd"] == pytest.approx(0, abs=0.01)
    assert figures["pulse"] == pytest.approx(0, abs=0.05)


def test_every_sound_lasts_as_long_as_the_factor_says(score):
    for (sound, start, end), (_, first, last) in zip(speak(score).places, speak(score, 2).places):
        assert end - start == pytest.approx(sound.seconds * RATE, abs=1)
        assert last - first == pytest.approx(sound.seconds * RATE * 2, abs=1)


def test_vowels_have_the_pitch_of_the_sentence(score):
    placed = speak(score, 1.5).places
    excitation = pulses(placed, placed[-1][2])
    for sound, start, end in placed:
        if sound.kind == "vowel":
            shut = excitation[start:end] < 0.5 * excitation[start:end].min()
            count = np.count_nonzero(np.diff(shut.astype(int)) == 1)
            assert count == pytest.approx(np.mean(sound.hz) * (end - start) / RATE, abs=3)
    assert len(sentence(score)) == len(placed)


def test_smeared_pulses_lose_kurtosis(score):
    ideal = speak(score)
    noise = np.random.default_rng(3).standard_normal(len(ideal.samples))
    assert kurtosis(np.sin(np.arange(48000) / 7)) == pytest.approx(1.5, abs=0.01)
    assert kurtosis(noise) == pytest.approx(3, abs=0.05)
    assert pulse_loss(ideal.samples, ideal, 1) == 0
    assert pulse_loss(noise, ideal, 1) < -2


# ---- song


def test_drums_come_at_the_tempo_of_the_factor_and_keep_their_sound(score):
    usual, slow = (play(score, factor, Band(tonal=False)) for factor in (1, 2))
    assert slow.onsets_s == pytest.approx([2 * onset for onset in usual.onsets_s])
    grid = LEAD_S + np.arange(8 * BARS) * 30 / score.beats_per_minute  # a hi-hat on every eighth
    assert np.unique(np.round(usual.onsets_s, 6)) == pytest.approx(grid, abs=1e-5)
    first = [int(stage.onsets_s[0] * RATE) for stage in (usual, slow)]
    assert first[0] == LEAD_S * RATE
    eighth = int(30 / score.beats_per_minute * RATE)
    hits = [stage.samples[at : at + eighth] for stage, at in zip((usual, slow), first)]
    assert np.allclose(*hits)


def test_the_song_lasts_as_long_as_the_factor_says(score):
    beats = BARS * 4 * 60 / score.beats_per_minute + 0.8
    assert len(song(score, 3)) == pytest.approx(3 * beats * RATE, abs=1)


def test_drum_attacks_that_are_lower_and_early(score):
    stage = play(score, 1, Band(tonal=False))
    assert drum_attacks(stage.samples / 2, stage)["attack"] == pytest.approx(-6.02, abs=0.02)
    figures = drum_attacks(stage.samples + 0.1 * earlier(stage.samples, 7 * 48), stage)
    # the early copy has −20 dB; it fills 6 of the measured 14 ms before the attack, which is −3.7
    # dB
    assert figures["pre"] == pytest.approx(-23.6, abs=1.5)
    assert drum_attacks(stage.samples, stage)["pre"] == -200


# ---- stereo


def test_one_frame_of_delay_is_its_phase(score):
    """A delay of one frame is a phase of 360° · f / 48000; the measure gives the root mean square
    from 800 to 1400 Hz."""
    wave = stereo(score)
    wave[1:, 1] = wave[:-1, 1]
    hz = np.linspace(800, 1400, 100)
    figures = image(wave, 1)
    assert figures["delay_deg"] == pytest.approx(360 / RATE * np.sqrt(np.mean(hz**2)), rel=0.05)
    assert figures["antiphase_deg"] == pytest.approx(360 / RATE * 4150, rel=0.15)
    assert image(stereo(score), 1)["delay_deg"] < 0.6


def test_levels_and_coherence_of_the_sides(score):
    wave = stereo(score)
    wave[:, 1] *= 10 ** (1 / 20)
    figures = image(wave, 1)
    assert figures["level_error"] == pytest.approx(1, abs=0.02)
    assert figures["delay_coherence"] > 0.99
    assert figures["ambience_coherence"] < 0.12
    wave[:, 1] = np.random.default_rng(4).standard_normal(len(wave))
    assert image(wave, 1)["delay_coherence"] < 0.2


def test_what_is_not_the_same_on_both_sides(score):
    wave = twins(score)
    assert sameness(wave) == {"same": -200}
    wave[:, 1] *= 1.001
    assert sameness(wave)["same"] == pytest.approx(-63, abs=0.1)  # 0.001² of half the power


# ---- recordings


def test_attacks_of_a_recording_by_height_and_place(score):
    given = play(score, 1, Band(tonal=False)).samples
    figures = onsets(given / 2, given, 1)
    assert figures["attack"] == pytest.approx(-6.02, abs=0.01)
    assert figures["off_ms"] == 0
    assert onsets(earlier(given, -480), given, 1)["off_ms"] == 0  # a constant delay is not an error


def test_there_and_back_without_a_change(score):
    given = song(score)[: 2 * RATE]
    assert round_trip(earlier(given, -480), given)["long"] == pytest.approx(0, abs=0.05)
    assert round_trip(given / 2, given)["short"] > 3
