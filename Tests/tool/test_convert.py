# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#

import numpy as np
import pytest
from conversions import INPUTS, OUTPUTS, assert_properties, assert_same_sound
from toolrun import probe, samples, tool

ALL = {output.name: output for output in OUTPUTS}
LOSSLESS = [output for output in OUTPUTS if output.lossless]


def convert(folder, source, output, *more):
    target = folder / f"new.{output.type}"
    tool(folder, "reverse", source, "-o", target, "--codec", output.codec, *more)
    return target


@pytest.mark.parametrize("file", ["s16.wav", "surround.flac"])
@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.name)
def test_every_output_has_every_frame_reversed(tmp_path, sounds, file, output):
    source = sounds[file]
    made = convert(tmp_path, source, output)
    assert_properties(made, source, output)
    expected = samples(source)[::-1]
    if probe(made)["channels"] == expected.shape[1] and probe(made)["rate"] == probe(source)["rate"]:
        assert_same_sound(made, expected, output)
    if output.lossless and probe(made)["channels"] == expected.shape[1]:
        assert np.array_equal(samples(made), expected)


@pytest.mark.parametrize("source", [i for i in INPUTS if i.lossless], ids=lambda source: source.file)
def test_every_lossless_input_is_reversed_bit_for_bit(tmp_path, sounds, source):
    path = sounds[source.file]
    made = convert(tmp_path, path, ALL["pcm.wav"])
    assert np.array_equal(samples(made), samples(path)[::-1])
    assert_properties(made, path, ALL["pcm.wav"])


@pytest.mark.parametrize("source", [i for i in INPUTS if not i.lossless], ids=lambda source: source.file)
def test_every_lossy_input_is_its_forward_decode_reversed(tmp_path, sounds, source, forward):
    path = sounds[source.file]
    made = samples(convert(tmp_path, path, ALL["pcm.wav"]))
    expected = forward(path)[::-1]
    assert made.shape == expected.shape
    difference = np.abs(made - expected)
    if source.repeats:
        assert difference.max() <= 1 / 32768
    else:  # AAC: the decoder substitutes different noise at each decode
        assert difference.max() <= 10 ** (-35 / 20)
        assert np.sqrt(np.mean(difference**2)) <= 10 ** (-60 / 20)


def bits_of(path):
    """Returns the sample size in the notation of Output.bits: 33 and 65 stand for 32-bit and 64-bit
    floating point."""
    known = probe(path)
    return known["bits"] + ("_f" in known["codec"])


@pytest.mark.parametrize("output", LOSSLESS, ids=lambda output: output.name)
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
