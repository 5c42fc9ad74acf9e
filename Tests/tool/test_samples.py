# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests --bits, --rate and --fade.

import subprocess

import numpy as np
import pytest
from toolrun import events, ffmpeg, probe, samples, tool


def told(path):
    """Returns the sample rate and the bits per sample, as SoX reports them."""
    say = [subprocess.run(["soxi", option, path], check=True, capture_output=True, text=True).stdout.strip() for option in ("-r", "-b")]
    return int(say[0]), int(say[1])


@pytest.mark.parametrize("file, name, bits", [("s24.wav", "new.wav", 16), ("s16.wav", "new.wav", 8), ("s16.wav", "new.wav", 24), ("s16.wav", "new.flac", 24), ("s24.flac", "new.flac", 16), ("f32.wav", "new.wav", 24), ("f32.wav", "new.aiff", 16), ("s16.wav", "new.wav", 32)])
def test_samples_have_the_bits_that_are_asked_for(tmp_path, sounds, file, name, bits):
    result = events(tool(tmp_path, "reverse", "--bits", bits, sounds[file], "-o", name, "--json"))[-1]
    assert told(tmp_path / name)[1] == bits
    assert not [loss for loss in result["losses"] if loss.startswith("Samples")]
    # Triangular dither adds up to one step, rounding up to half a step.
    error = np.abs(samples(tmp_path / name) - samples(sounds[file])[::-1]).max() * 2 ** (bits - 1)
    assert error <= 1.51


def test_fewer_bits_are_dithered_and_more_are_not(tmp_path):
    """Dither keeps a tone that is lower than one step; rounding alone removes it."""
    ffmpeg("-f", "lavfi", "-i", "aevalsrc=0.3/32768*sin(2*PI*1000*t):d=4:s=44100", "-c:a", "pcm_s24le", tmp_path / "a.wav")
    tool(tmp_path, "reverse", "--bits", 16, "a.wav", "-o", "new.wav")
    heard = samples(tmp_path / "new.wav")[:, 0]
    tone = np.abs(np.exp(-2j * np.pi * 1000 * np.arange(len(heard)) / 44100) @ heard) * 2 / len(heard) * 32768
    assert tone == pytest.approx(0.3, rel=0.15)


@pytest.mark.parametrize("file, name, rate", [("s16.wav", "new.wav", 48000), ("f32.wav", "new.flac", 22050), ("s24.flac", "new.opus", 24000), ("s16.wav", "new.mp3", 32000)])
def test_the_rate_is_the_one_asked_for(tmp_path, sounds, file, name, rate):
    result = events(tool(tmp_path, "reverse", "--rate", rate, sounds[file], "-o", name, "--json"))[-1]
    assert result["rate"] == rate
    # FFmpeg decodes Opus at 48 kHz, whatever its original rate was
    assert probe(tmp_path / name)["rate"] == (48000 if name == "new.opus" else rate)
    assert not [loss for loss in result["losses"] if loss.startswith("The rate")]


@pytest.mark.parametrize("words, rise, fall", [("0.5", 0.5, 0.5), ("0.25,0.75", 0.25, 0.75), (",0.4", 0, 0.4), ("0.4,", 0.4, 0), ("0:01,1", 1, 1)])
@pytest.mark.parametrize("file", ["f32.wav", "lame.mp3"])
def test_a_fade_is_a_straight_line_to_the_last_frame(tmp_path, sounds, file, words, rise, fall):
    if file == "lame.mp3":  # decoded to 16 bits, so compare with the tool's own 24 bits
        tool(tmp_path, "reverse", sounds[file], "-o", "plain.wav", "--bits", 24)
        source = samples(tmp_path / "plain.wav")
    else:
        source = samples(sounds[file])[::-1]
    tool(tmp_path, "reverse", "--fade", words, sounds[file], "-o", "new.wav", "--bits", 24)
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


def test_a_fade_is_that_of_ffmpeg(tmp_path, sounds):
    tool(tmp_path, "scale", "--speed", "1", "--fade", "0.5,0", sounds["f32.wav"], "-o", "new.wav")
    ffmpeg("-i", sounds["f32.wav"], "-af", "afade=t=in:d=0.5", "-c:a", "pcm_f32le", tmp_path / "ffmpeg.wav")
    assert np.abs(samples(tmp_path / "new.wav") - samples(tmp_path / "ffmpeg.wav")).max() < 1e-4


@pytest.mark.parametrize("words, sentence", [("--bits 12", "pcm does not support 12-bit samples; choose one of: 8, 16, 24, 32."), ("--bits 24 --type mp3", "mp3 is lossy and has no bit depth; leave it out."), ("--rate 44100 --type opus", "opus does not support a sample rate of 44100 Hz; choose one of: 8000, 12000, 16000, 24000, 48000."), ("--rate 1", "A sample rate must be from 1000 to 384000 Hz"), ("--fade x", 'Write "2" for both fades, "2,5" for each, or "2," or ",5" for one.'), ("--fade ,", 'Write "2" for both fades'), ("--verify --fade 1", "--verify cannot be combined with --fade, --bits or --rate.")])
def test_a_full_folder_for_temporary_files_is_reported(tmp_path, sounds, words, sentence):
    assert sentence in tool(tmp_path, "reverse", *words.split(), sounds["s16.wav"], status=64).stderr
