# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests sound that exceeds full scale: clipping is reported, and avoided by --gain, --normalize, the
# limiter and the guard.

import re

import numpy as np
import pytest
from toolrun import events, ffmpeg, mostly_long, samples, tool

# Nearly a square wave: after any lossy codec, it exceeds full scale at its edges.
EDGY = "aevalsrc=0.999*tanh(4*sin(2*PI*(200+90*t)*t))|0.999*tanh(4*sin(2*PI*(300+70*t)*t)):d=2:s=44100"
SQUARE = "aevalsrc=0.999*sgn(sin(2*PI*441*t)):d=1:s=44100"


@pytest.fixture(scope="session")
def loud(tmp_path_factory):
    """EDGY in two lossy codecs, which are decoded to floating-point samples, and as a
    floating-point WAV that exceeds full scale by 6.02 dB."""
    folder = tmp_path_factory.mktemp("loud")
    codecs = {"loud.ogg": "libvorbis -q:a 4", "loud.m4a": "aac -b:a 320k", "loud.wav": "pcm_f32le -af volume=2:precision=double"}
    for name, codec in codecs.items():
        ffmpeg("-f", "lavfi", "-i", EDGY, "-c:a", *codec.split(), folder / name)
    return folder


def reverse(folder, source, name, *more, status=0):
    codec = ["--codec", "alac"] if "alac" in name else []
    return tool(folder, "reverse", source, "-o", name, "--force", *codec, *more, status=status)


def beyond(path):
    return int((np.abs(samples(path)) > 1).sum())


def peak(path):
    return np.abs(samples(path)).max()


LOUD = [("loud.ogg", "new.flac"), ("loud.m4a", "new.aiff"), ("loud.wav", "new.alac.m4a")]


@pytest.mark.parametrize("file, name", mostly_long(LOUD, LOUD[0]))
def test_clipping_is_reported_and_is_no_fault_of_the_decoder(tmp_path, loud, file, name):
    source = loud / file
    assert beyond(source) > 1000
    told = reverse(tmp_path, source, name)
    count, excess, gain = re.search(r"([\d,]+) samples were clipped, by up to ([\d.]+) dB; a gain of (-[\d.]+) dB would", told.stderr).groups()
    assert int(count.replace(",", "")) == pytest.approx(beyond(source), rel=0.001)
    assert 0 <= float(excess) - 20 * np.log10(peak(source)) <= 0.11
    assert float(gain) == -float(excess)
    assert "decoder" not in told.stderr
    (*_, last) = events(reverse(tmp_path, source, name, "--json"))
    assert last["clipped"] == int(count.replace(",", ""))
    # the gain that the report suggests is sufficient
    (*_, last) = events(reverse(tmp_path, source, name, "--json", "--gain", gain))
    assert last["clipped"] == 0


@pytest.mark.parametrize("name", mostly_long(["new.wav", "new.ogg", "new.m4a", "new.mka --codec pcm"], "new.wav", "new.ogg"))
def test_floats_hold_samples_beyond_full_scale(tmp_path, loud, name):
    name, *more = name.split(" ", 1)
    result = reverse(tmp_path, loud / "loud.wav", name, *(more[0].split() if more else []))
    assert "clipped" not in result.stderr
    assert peak(tmp_path / name) > 1.5


@pytest.mark.parametrize("name", mostly_long(["new.mp3", "new.opus"], "new.opus"))
def test_encoders_of_whole_numbers_clip(tmp_path, loud, name):
    assert "samples were clipped, by up to" in reverse(tmp_path, loud / "loud.wav", name).stderr


def test_corners_between_whole_numbers_are_counted(tmp_path, loud):
    """A 16-bit square wave exceeds full scale after an interpolation that overshoots, such as sinc,
    but not after a reversal."""
    ffmpeg("-f", "lavfi", "-i", SQUARE, "-c:a", "pcm_s16le", tmp_path / "square.wav")
    assert reverse(tmp_path, "square.wav", "new.wav").stderr == ""
    assert "samples were clipped" in reverse(tmp_path, "square.wav", "new.opus").stderr
    for interpolation, is_told in (("sinc", True), ("linear", False)):
        told = tool(tmp_path, "scale", "--no-guard", "--factor", "1.3", "--interpolation", interpolation, "square.wav", "-o", f"{interpolation}.wav").stderr
        assert ("samples were clipped" in told) == is_told


QUIETER = r"The level was lowered by ([\d.]+) dB, so that nothing is clipped."


GUARDED = [("--tempo 0.75", "new.wav"), ("--factor 1.3", "new.flac"), ("--semitones 3", "new.mp3")]


@pytest.mark.parametrize("options, name", mostly_long(GUARDED, GUARDED[1]))
def test_peaks_that_a_new_length_or_pitch_makes_are_guarded(tmp_path, options, name):
    """The guard lowers the level by exactly the excess, in dB, that would be clipped without the
    guard."""
    ffmpeg("-f", "lavfi", "-i", SQUARE, "-c:a", "pcm_s16le", tmp_path / "square.wav")
    words = ["scale", *options.split(), "square.wav", "--force", "-o"]
    (excess,) = re.search(QUIETER, tool(tmp_path, *words, name, "--guard").stderr).groups()
    if "mp3" in name:  # the encoder changes peaks, but not the level
        tool(tmp_path, *words, "guarded.wav", "--guard")
        levels = [np.sqrt((samples(tmp_path / file) ** 2).mean()) for file in (name, "guarded.wav")]
        assert levels[0] == pytest.approx(levels[1], rel=0.02)
    else:
        assert peak(tmp_path / name) == pytest.approx(1, abs=0.0001)
    told = tool(tmp_path, *words, "other.wav", "--no-guard").stderr
    (loudest,) = re.search(r"samples were clipped, by up to ([\d.]+) dB", told).groups()
    assert loudest == excess
    if "mp3" not in name:  # where nothing was clipped, the outputs differ only in level
        ours, clipped = samples(tmp_path / name), samples(tmp_path / "other.wav")
        inside = np.abs(clipped) < 0.99
        assert np.abs(ours * np.abs(10 ** (float(excess) / 20)) - clipped)[inside].max() < 0.02


FAR = 600
LIMITED = r"Peaks were lowered by up to ([\d.]+) dB, so that nothing is clipped."
# Square waves of 20 ms, once in half a second, between soft tones in two channels.
KNOCKS = "|".join(rf"if(lt(mod(t\,0.5)\,0.02)\,0.999*sgn(sin(2*PI*{hz}*t))\,0.1*sin(2*PI*{hz}*t))" for hz in (440, 610))
SHAPED = [("--tempo 0.75", "new.wav"), ("--factor 1.3", "new.flac"), ("--semitones 3", "new.aiff")]


@pytest.mark.parametrize("options, name", mostly_long(SHAPED, SHAPED[1]))
def test_peaks_that_a_new_length_or_pitch_makes_are_limited(tmp_path, options, name):
    """Without the limiter, the same samples are clipped, by as many dB. Samples that are further than
    14 ms from them are the same."""
    ffmpeg("-f", "lavfi", "-i", f"aevalsrc={KNOCKS}:d=3:s=44100", "-c:a", "pcm_s16le", tmp_path / "knocks.wav")
    words = ["scale", *options.split(), "knocks.wav", "--force", "-o"]
    told = tool(tmp_path, *words, name).stderr
    (lowered,) = re.search(LIMITED, told).groups()
    assert "were clipped" not in told and "level" not in told
    told = tool(tmp_path, *words, "other.wav", "--no-guard").stderr
    (loudest,) = re.search(r"samples were clipped, by up to ([\d.]+) dB", told).groups()
    assert loudest == lowered
    ours, clipped = samples(tmp_path / name), samples(tmp_path / "other.wav")
    assert (np.abs(ours) <= np.abs(clipped)).all()
    loud = (np.abs(clipped) >= 1 - 2**-15).any(axis=1)
    sums = np.cumsum(np.pad(loud, FAR))
    far = sums[2 * FAR :] == sums[: -2 * FAR]
    assert far.mean() > 0.8 and (ours[far] == clipped[far]).all()
    assert np.abs(ours).max() > 0.999


def test_no_requested_level_is_guarded(tmp_path, loud):
    for words in (["--gain", "6"], ["--normalize", "--gain", "3"]):
        told = tool(tmp_path, "scale", "--tempo", "0.9", loud / "loud.wav", "-o", "new.flac", "--force", *words).stderr
        assert "clipped, by up to" in told and "lowered" not in told


def test_a_guarded_reversal_is_quieter_to_the_step(tmp_path, loud):
    told = reverse(tmp_path, loud / "loud.wav", "new.flac", "--guard").stderr
    assert re.search(QUIETER, told) and "samples were clipped" not in told
    source = samples(loud / "loud.wav")
    assert np.abs(samples(tmp_path / "new.flac") - source[::-1] / np.abs(source).max()).max() < 2**-22
    # floating-point numbers can represent samples beyond full scale
    assert reverse(tmp_path, loud / "loud.wav", "new.wav", "--guard").stderr == ""


GAINS = [("s16.wav", -6.5), ("s24.wav", 24), ("f32.wav", 3.25), ("s16.wav", -6), ("s32.wav", -60)]


@pytest.mark.parametrize("file, gain", mostly_long(GAINS, *GAINS[:3]))
def test_gain_is_that_of_the_formula(tmp_path, sounds, file, gain):
    reverse(tmp_path, sounds[file], "new.wav", "--gain", gain)
    expected = samples(sounds[file])[::-1] * 10 ** (gain / 20)
    step = {"s16.wav": 2**-15, "s24.wav": 2**-23}.get(file, 2**-23)
    if not file.startswith("f"):
        expected = expected.clip(-1, 1 - step)
    assert np.abs(samples(tmp_path / "new.wav") - expected).max() <= step * max(1, 10 ** (gain / 20))


@pytest.mark.parametrize("options, expected", [([], 1), (["--gain", "-1"], 10 ** (-1 / 20)), (["--gain=-20"], 0.1)])
@pytest.mark.parametrize("file", mostly_long(["s16.wav", "vorbis.ogg"], "vorbis.ogg"))
def test_the_peak_is_where_it_is_asked_for(tmp_path, sounds, file, options, expected):
    told = reverse(tmp_path, sounds[file], "new.flac", "--normalize", *options, "--json")
    assert peak(tmp_path / "new.flac") == pytest.approx(expected, abs=2**-14)
    assert events(told)[-1]["clipped"] == 0


def test_the_peak_is_that_of_the_new_file(tmp_path, sounds):
    """--normalize refers to the peak of the output, even if a region or a channel was selected or
    the sound was scaled."""
    for words in (["reverse", "--region", "0.2-0.4"], ["reverse", "--channels", "first"], ["scale", "--factor", "1.7"]):
        tool(tmp_path, *words, "--normalize", sounds["s24.wav"], "-o", "new.wav", "--force")
        samples_now = samples(tmp_path / "new.wav")
        assert np.abs(samples_now).max() == pytest.approx(1, abs=2**-22)


def test_silence_stays_silent(tmp_path):
    ffmpeg("-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "0.5", tmp_path / "silence.wav")
    reverse(tmp_path, "silence.wav", "new.wav", "--normalize")
    assert not samples(tmp_path / "new.wav").any()
