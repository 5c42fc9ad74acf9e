# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that every type of input can be reversed into every type of output, and --bits, --rate and
# --fade.

import numpy as np
import pytest
from conversions import INPUTS, OUTPUTS, assert_properties, assert_same_sound
from toolrun import events, ffmpeg, mostly_long, probe, samples, tool

WAV = OUTPUTS[0]
SHORT_OUTPUTS = ["pcm.wav", "pcm.aiff", "flac.flac", "aac.m4a", "alac.m4a", "mp3.mp3", "vorbis.ogg", "opus.opus"]


def convert(folder, source, output):
    target = folder / f"new.{output.type}"
    tool(folder, "reverse", source, "-o", target, "--codec", output.codec)
    return target


@pytest.mark.parametrize("file", mostly_long(["s16.wav", "surround.flac"], "s16.wav"))
@pytest.mark.parametrize("output", mostly_long(OUTPUTS, *(output for output in OUTPUTS if output.name in SHORT_OUTPUTS)), ids=lambda output: output.name)
def test_every_output_has_every_frame_reversed(tmp_path, sounds, file, output):
    source = sounds[file]
    made = convert(tmp_path, source, output)
    assert_properties(made, source, output)
    expected = samples(source)[::-1]
    has_channels = probe(made)["channels"] == expected.shape[1]
    if has_channels and probe(made)["rate"] == probe(source)["rate"]:
        assert_same_sound(made, expected, output)
    if output.lossless and has_channels:
        assert np.array_equal(samples(made), expected)


SHORT = ["s24.wav", "s24.aif", "surround.flac", "alac.m4a", "lame.mp3", "vorbis.ogg", "film.mp4"]


@pytest.mark.parametrize("source", mostly_long(INPUTS, *SHORT), ids=lambda source: source.file)
def test_every_input_is_its_forward_decode_reversed(tmp_path, sounds, forward, source):
    path = sounds[source.file]
    made = convert(tmp_path, path, WAV)
    # GStreamer 1.22 leaves out the last packet of an MP4, and FFmpeg keeps all of it
    is_mp4 = path.suffix in (".m4a", ".mp4")
    expected = (samples if source.lossless or is_mp4 else forward)(path)[: int(1.3 * source.rate) if is_mp4 else None][::-1]
    found = samples(made)
    assert found.shape == expected.shape
    difference = np.abs(found - expected)
    if source.repeats:
        assert difference.max() <= (0 if source.lossless else 1 / 32768)
    else:  # AAC: the decoder substitutes different noise at each decode
        assert difference.max() <= 10 ** (-35 / 20)
        assert np.sqrt(np.mean(difference**2)) <= 10 ** (-60 / 20)
    if source.lossless:
        assert_properties(made, path, WAV)


def bits_of(path):
    """Returns the sample size in the notation of Output.bits: 33 and 65 stand for 32-bit and 64-bit
    floating point."""
    known = probe(path)
    return known["bits"] + ("_f" in known["codec"])


@pytest.mark.long
@pytest.mark.parametrize("output", [output for output in OUTPUTS if output.lossless], ids=lambda output: output.name)
@pytest.mark.parametrize("file", ["u8.wav", "s24.wav", "s32.wav", "f32.wav", "f64.wav"])
def test_samples_keep_their_size_or_take_the_nearest(tmp_path, sounds, file, output):
    source = sounds[file]
    made = convert(tmp_path, source, output)
    size = bits_of(source)
    if size in output.bits:
        assert bits_of(made) == size
        assert np.array_equal(samples(made), samples(source)[::-1])
    else:
        larger = [bits for bits in output.bits if bits > size and not size % 2]
        assert bits_of(made) == (larger or output.bits[-1:])[0]
        step = 2.0 ** (1 - bits_of(made))
        assert np.abs(samples(made) - samples(source)[::-1]).max() <= 1.5 * step


@pytest.mark.parametrize("file, name, bits", [("s24.wav", "new.wav", 16), ("s16.wav", "new.wav", 8), ("f32.wav", "new.aiff", 16)])
def test_samples_have_the_bits_that_are_asked_for(tmp_path, sounds, file, name, bits):
    result = events(tool(tmp_path, "reverse", "--bits", bits, sounds[file], "-o", name, "--json"))[-1]
    assert probe(tmp_path / name)["bits"] == bits
    assert not [loss for loss in result["losses"] if loss.startswith("Samples")]
    # Triangular dither adds up to one step, rounding up to half a step.
    error = np.abs(samples(tmp_path / name) - samples(sounds[file])[::-1]).max() * 2 ** (bits - 1)
    assert error <= 1.51


def test_fewer_bits_are_dithered(tmp_path):
    """Dither keeps a tone that is lower than one step; rounding alone removes it."""
    ffmpeg("-f", "lavfi", "-i", "aevalsrc=0.3/32768*sin(2*PI*1000*t):d=4:s=44100", "-c:a", "pcm_s24le", tmp_path / "a.wav")
    tool(tmp_path, "reverse", "--bits", 16, "a.wav", "-o", "new.wav")
    heard = samples(tmp_path / "new.wav")[:, 0]
    tone = np.abs(np.exp(-2j * np.pi * 1000 * np.arange(len(heard)) / 44100) @ heard) * 2 / len(heard) * 32768
    assert tone == pytest.approx(0.3, rel=0.15)


@pytest.mark.parametrize("words, name, rate", [("48000", "new.wav", 48000), ("24000", "new.opus", 24000), ("32000", "new.mp3", 32000)])
def test_the_rate_is_the_one_asked_for(tmp_path, sounds, words, name, rate):
    result = events(tool(tmp_path, "reverse", "--rate", words, sounds["s16.wav"], "-o", name, "--json"))[-1]
    assert result["rate"] == rate
    # FFmpeg decodes Opus at 48 kHz, whatever its original rate was
    assert probe(tmp_path / name)["rate"] == (48000 if name == "new.opus" else rate)
    assert not [loss for loss in result["losses"] if loss.startswith("The rate")]


@pytest.mark.parametrize("words, rise, fall", [("0.5", 0.5, 0.5), (",0.4", 0, 0.4), ("0:01,1", 1, 1)])
def test_a_fade_is_a_straight_line_to_the_last_frame(tmp_path, sounds, words, rise, fall):
    source = samples(sounds["f32.wav"])[::-1]
    tool(tmp_path, "reverse", "--fade", words, sounds["f32.wav"], "-o", "new.wav", "--bits", 24)
    time, length = np.arange(len(source)) / 44100, len(source) / 44100
    curve = np.ones(len(source))
    falls = max(length - fall, min(rise, length))
    if rise:
        curve = np.minimum(curve, time / rise)
    if fall:
        curve = np.where(time >= falls, np.minimum(curve, (length - time) / (length - falls)), curve)
    # The tolerance covers one step of 24 bits, and times of frames that are rounded to
    # nanoseconds.
    assert np.abs(samples(tmp_path / "new.wav") - source * curve[:, None]).max() < 1e-4
