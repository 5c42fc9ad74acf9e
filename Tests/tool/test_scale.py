# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#

import subprocess
import wave
from fractions import Fraction

import numpy as np
import pytest
from toolrun import ENVIRONMENT, PLUGIN, ffmpeg, probe, samples, tool


@pytest.fixture(scope="session")
def tone(tmp_path_factory):
    """A sine of 1000 Hz with amplitude 0.5, a little longer than 2 s."""
    path = tmp_path_factory.mktemp("tone") / "tone.wav"
    ffmpeg("-f", "lavfi", "-i", "aevalsrc=0.5*sin(2*PI*1000*t):d=2.0003:s=48000", "-c:a", "pcm_f32le", path)
    return path


@pytest.mark.parametrize("factor", ["0.01", "0.333", "0.5", "0.9999", "1", "1.1", "2", "3.7", "100"])
@pytest.mark.parametrize("file", ["s16.wav", "mono.wav"])
def test_n_frames_become_n_times_the_factor(tmp_path, sounds, file, factor):
    tool(tmp_path, "scale", "--factor", factor, sounds[file], "-o", "new.wav")
    frames = len(samples(sounds[file]))
    assert len(samples(tmp_path / "new.wav")) == int(frames * Fraction(factor))
    assert probe(tmp_path / "new.wav")["rate"] == probe(sounds[file])["rate"]


@pytest.mark.parametrize("options", [(), ("--interpolation", "linear"), ("--interpolation", "smooth"), ("--quality", "9"), ("--alignment", "endpoints")], ids=" ".join)
def test_every_value_is_that_of_the_element(tmp_path, tone, options):
    tool(tmp_path, "scale", "--factor", "0.7", *options, tone, "-o", "new.wav")
    properties = " ".join(f"{name.removeprefix('--')}={value}" for name, value in zip(options[::2], options[1::2]))
    pipeline = f"filesrc location={tone} ! wavparse ! timescale factor=0.7 {properties} ! wavenc ! filesink location=plain.wav"
    environment = ENVIRONMENT | {"GST_PLUGIN_PATH_1_0": str(PLUGIN.parent)}
    subprocess.run(["gst-launch-1.0", "-q", *pipeline.split()], cwd=tmp_path, env=environment, check=True)
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(tmp_path / "plain.wav"))


@pytest.mark.parametrize("factor", [0.5, 1 / 1.1, 1.7])
def test_the_pitch_follows_and_little_else_is_audible(tmp_path, tone, factor):
    tool(tmp_path, "scale", "--factor", factor, tone, "-o", "new.wav")
    heard = samples(tmp_path / "new.wav")[:, 0]
    heard = heard[2000:-2000]
    time = np.arange(len(heard)) / 48000
    basis = np.stack([np.sin(2 * np.pi * 1000 / factor * time), np.cos(2 * np.pi * 1000 / factor * time)], axis=1)
    fit = basis @ np.linalg.lstsq(basis, heard, rcond=None)[0]
    # in dB; with sinc of quality 6, 150 is expected at 1 kHz
    assert 10 * np.log10(np.mean(fit**2) / np.mean((heard - fit) ** 2)) > 140


def test_it_is_near_to_sox(tmp_path, sounds):
    tool(tmp_path, "scale", "--factor", "0.8", sounds["f32.wav"], "-o", "new.wav")
    subprocess.run(["sox", sounds["f32.wav"], tmp_path / "sox.wav", "speed", "1.25"], check=True)
    ours, theirs = samples(tmp_path / "new.wav"), samples(tmp_path / "sox.wav")
    assert abs(len(ours) - len(theirs)) <= 1
    ours, theirs = ours[500:40000], theirs[500:40000]
    assert 10 * np.log10(np.mean(theirs**2) / np.mean((ours - theirs) ** 2)) > 80


@pytest.mark.parametrize("name", ["new.aiff", "new.flac", "new.m4a", "new.mp3", "new.ogg", "new.opus", "new.mka"])
def test_every_type_accepts_scaled_sound(tmp_path, sounds, name):
    tool(tmp_path, "scale", "--factor", "1.5", sounds["s16.wav"], "-o", name)
    seconds = len(samples(tmp_path / name)) / probe(tmp_path / name)["rate"]
    assert abs(seconds - 1.3 * 1.5) < 0.08


def test_the_ends_are_kept(tmp_path, sounds):
    tool(tmp_path, "scale", "--factor", "0.5", "--alignment", "endpoints", "--interpolation", "linear", sounds["s16.wav"], "-o", "new.wav")
    before, after = samples(sounds["s16.wav"]), samples(tmp_path / "new.wav")
    assert np.array_equal(after[[0, -1]], before[[0, -1]])


def test_a_region_is_scaled(tmp_path, sounds):
    tool(tmp_path, "scale", "--factor", "1", "--region", "0:00.5-0:01", sounds["s16.wav"], "-o", "new.wav")
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(sounds["s16.wav"])[22050:44100])


# Options, factor, and ratio of pitches: (pitch kept ? 1 : 1 / factor) × 2^(semitones / 12).
PITCHES = [
    ("--tempo 1.25", Fraction(4, 5), 1),
    ("--keep-pitch --factor 1.5", Fraction(3, 2), 1),
    ("--semitones -12", 1, 0.5),
    ("--semitones 7 --factor 0.8", Fraction(4, 5), 1.25 * 2 ** (7 / 12)),
    ("--tempo 0.5 --semitones 12", 2, 2),
    ("--pitch 7.5st", 1, 2 ** (7.5 / 12)),
    ("--semitones 250cents", 1, 2 ** (2.5 / 12)),
    ("--cents -150", 1, 2 ** (-1.5 / 12)),
]


@pytest.mark.parametrize(("options", "factor", "ratio"), PITCHES, ids=[row[0] for row in PITCHES])
def test_duration_and_pitch_are_changed_apart(tmp_path, tone, options, factor, ratio):
    tool(tmp_path, "scale", *options.split(), tone, "-o", "new.wav")
    heard = samples(tmp_path / "new.wav")[:, 0]
    assert len(heard) == int(len(samples(tone)) * factor)
    middle = heard[len(heard) // 4 : -len(heard) // 4]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle)), 8 * len(middle)))
    # The tolerance is 2 cents: the algorithm for single voices may be 1.5 cents off.
    assert spectrum.argmax() * 48000 / (8 * len(middle)) == pytest.approx(1000 * ratio, rel=0.0012)


# Options, ratio of output pitch to input pitch, ratio of output formant to input formant.
FORMANTS = [
    ("--semitones 4", 2 ** (4 / 12), 2 ** (4 / 12)),
    ("--semitones 4 --formants keep", 2 ** (4 / 12), 1),
    ("--formant-semitones -3", 1, 2 ** (-3 / 12)),
    ("--semitones -5 --formants keep --formant-semitones 3", 2 ** (-5 / 12), 2 ** (3 / 12)),
]


@pytest.mark.parametrize(("options", "pitch", "formant"), FORMANTS, ids=[row[0] for row in FORMANTS])
def test_formants_stay_or_move(tmp_path, options, pitch, formant):
    """The input is a buzz of 100 Hz with a formant at 1200 Hz; its spectrum falls by 12 dB per
    octave on both sides."""
    seconds = np.arange(2 * 48000) / 48000
    orders = np.arange(1, 80)
    levels = 10 ** (-12 * abs(np.log2(100 * orders / 1200)) / 20)
    buzz = sum(0.05 * level * np.cos(2 * np.pi * 100 * k * seconds + 0.3 * k * k) for k, level in zip(orders, levels))
    with wave.open(str(tmp_path / "buzz.wav"), "wb") as file:
        file.setparams((1, 2, 48000, 0, "NONE", ""))
        file.writeframes((32767 * buzz).round().astype("<i2").tobytes())
    tool(tmp_path, "scale", *options.split(), "buzz.wav", "-o", "new.wav")
    middle = samples(tmp_path / "new.wav")[:, 0][24000:72000]
    spectrum = abs(np.fft.rfft(middle * np.hanning(48000)))
    harmonics = 100 * pitch * np.arange(1, 60)
    heard = np.array([spectrum[round(hz) - 2 : round(hz) + 3].max() for hz in harmonics])
    ideal = 10 ** (-12 * abs(np.log2(harmonics / (1200 * formant))) / 20)
    middle_of_hill, ideal_middle = (np.average(np.log2(harmonics), weights=weights**2) for weights in (heard, ideal))
    assert 2 ** (middle_of_hill - ideal_middle) == pytest.approx(1, rel=0.05)


REFUSED = [
    ("", "Say what to change"),
    ("--factor 2 --tempo 2", "use one of them"),
    ("--semitones 25", "Write semitones from -24 to 24"),
    ("--cents 2401", "Write cents from -2400 to 2400"),
    ("--cents 5 --pitch 1", "--semitones and --cents both set the pitch; use one of them."),
    ("--tempo 0", "choose"),
]


@pytest.mark.parametrize(("options", "way_out"), REFUSED, ids=[row[0] for row in REFUSED])
def test_senseless_values_get_one_sentence(tmp_path, tone, options, way_out):
    result = tool(tmp_path, "scale", *options.split(), tone, "-o", "new.wav", status=None)
    assert result.returncode != 0
    assert way_out in result.stderr
    assert not (tmp_path / "new.wav").exists()


def decibels(ours, theirs):
    """Returns the signal-to-error ratio of two sounds in dB, without their ends."""
    assert abs(len(ours) - len(theirs)) <= 1
    ours, theirs = ours[500:30000], theirs[500:30000]
    return 10 * np.log10(np.mean(theirs**2) / np.mean((ours - theirs) ** 2))


@pytest.mark.parametrize("words", ["--speed 1.25", "--speed 125%", "--speed 5/4", "--speed 1.25x", "--factor 0.8x", "--bpm 96:120", "--factor 80%", "--factor 4/5"])
def test_words_for_a_speed_are_the_speed_of_sox(tmp_path, sounds, words):
    tool(tmp_path, "scale", *words.split(), sounds["f32.wav"], "-o", "new.wav")
    subprocess.run(["sox", sounds["f32.wav"], tmp_path / "sox.wav", "speed", "1.25"], check=True)
    assert decibels(samples(tmp_path / "new.wav"), samples(tmp_path / "sox.wav")) > 80


@pytest.mark.parametrize("words", ["--speed 1.25", "--factor 0.8"])
def test_it_is_reversed_and_scaled_in_one_go(tmp_path, sounds, words):
    tool(tmp_path, "reverse", *words.split(), sounds["f32.wav"], "-o", "new.wav")
    subprocess.run(["sox", sounds["f32.wav"], tmp_path / "sox.wav", "reverse", "speed", "1.25"], check=True)
    assert decibels(samples(tmp_path / "new.wav"), samples(tmp_path / "sox.wav")) > 80


@pytest.mark.parametrize("file, length, frames", [("s16.wav", "2.5", 110250), ("s16.wav", "0:00.3", 13230), ("s24.flac", "0:02", 192000), ("lame.mp3", "1:00", 2646000)])
def test_the_length_is_met_to_the_frame(tmp_path, sounds, file, length, frames):
    for words in (["scale"], ["scale", "--keep-pitch"], ["reverse"]):
        tool(tmp_path, *words, "--length", length, sounds[file], "-o", "new.flac", "--force")
        found = subprocess.run(["soxi", "-s", tmp_path / "new.flac"], capture_output=True, check=True, text=True).stdout
        assert int(found) == frames


def test_an_unknown_option_is_called_that(tmp_path, sounds):
    for command in ("scale", "reverse"):
        result = tool(tmp_path, command, "--spede", "2", sounds["s16.wav"], status=64)
        assert "Unknown option '--spede'. Did you mean '--speed'?" in result.stderr
    assert "Say what to change: --factor, --speed" in tool(tmp_path, "scale", sounds["s16.wav"], status=64).stderr


@pytest.mark.parametrize("words, sentence", [("--speed 2 --factor 2", "--factor and --speed both set the length"), ("--region 0.1-0.4 --length 1000", "it is 0:00.300 long, and can be made 0.01 to 100 times as long"), ("--bpm 90", "Write the old and the new beats per minute, as in 92:120."), ("--factor 1/0", "Write a number: 1.5, 1.5x, 150% or 3/2."), ("--verify --speed 2", "--verify compares every sample")])
def test_a_length_out_of_range_is_refused(tmp_path, sounds, words, sentence):
    result = tool(tmp_path, "reverse", *words.split(), sounds["s16.wav"], status=None)
    assert result.returncode in (1, 64) and sentence in " ".join(result.stderr.split())
