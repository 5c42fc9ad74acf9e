# Retrograde Copyright (C) 2026 the Retrograde authors SPDX-License-Identifier: LGPL-2.1-or-later
# Tests the processing of a region alone, and with the audio before and after it (--keep-rest).

import subprocess

import numpy as np
import pytest
from toolrun import ffmpeg, mostly_long, probe, samples, tool

EXACT = ["s16.wav", "s24.flac", "mono.wav", "flac.ogg", "alac.m4a", "s16.aiff", "lame.mp3", "vorbis.ogg"]


@pytest.mark.parametrize("file", mostly_long(EXACT, "lame.mp3"))
@pytest.mark.parametrize("region", ["0.31234-0.91717", "0.7-", "-0.2"])
def test_the_rest_stays(tmp_path, sounds, forward, file, region):
    """No frame may be shifted, or lost at the seams."""
    tool(tmp_path, "reverse", "--region", region, "--keep-rest", sounds[file], "-o", "new.wav")
    expected, rate = forward(sounds[file]).copy(), probe(sounds[file])["rate"]
    start, stop = [round(float(end) * rate) if end else None for end in region.split("-")]
    expected[start:stop] = expected[start:stop][::-1].copy()
    assert np.array_equal(samples(tmp_path / "new.wav"), expected)


@pytest.mark.parametrize("file", mostly_long(["opus.opus", "vorbis.ogg", "lame.mp3"], "opus.opus"))
@pytest.mark.parametrize("region", mostly_long(["0-0.1", "0-0.05", "0.01-0.11", "0.1-0.2"], "0.01-0.11"))
def test_the_first_frames_are_those_of_a_fresh_decoder(tmp_path, sounds, forward, file, region):
    """The tool must not seek to a region at the beginning: some decoders keep state across seeks
    and would output different samples."""
    tool(tmp_path, "reverse", "--region", region, sounds[file], "-o", "cut.wav")
    rate = probe(sounds[file])["rate"]
    start, stop = [round(float(end) * rate) for end in region.split("-")]
    assert np.array_equal(samples(tmp_path / "cut.wav"), forward(sounds[file])[start:stop][::-1])


def test_a_part_is_scaled_in_its_place(tmp_path, sounds):
    source = samples(sounds["f32.wav"])
    tool(tmp_path, "scale", "--speed", "2", "--region", "0.5-1", "--keep-rest", sounds["f32.wav"], "-o", "new.wav")
    new = samples(tmp_path / "new.wav")
    assert len(new) == len(source) - 11025
    assert np.array_equal(new[:22050], source[:22050])
    assert np.array_equal(new[33075:], source[44100:])
    tool(tmp_path, "scale", "--speed", "2", "--region", "0.5-1", sounds["f32.wav"], "-o", "cut.wav")
    assert np.array_equal(new[22050:33075], samples(tmp_path / "cut.wav"))


def test_the_last_part(tmp_path, sounds):
    source = samples(sounds["s16.wav"])
    tool(tmp_path, "reverse", "--last", "0.5", sounds["s16.wav"], "-o", "cut.wav")
    assert np.array_equal(samples(tmp_path / "cut.wav"), source[-22050:][::-1])
    tool(tmp_path, "reverse", "--last", "0.5", "--keep-rest", sounds["s16.wav"], "-o", "new.wav")
    assert np.array_equal(samples(tmp_path / "new.wav"), np.concatenate([source[:-22050], source[-22050:][::-1]]))


def test_normalizing_looks_at_all_of_it(tmp_path, sounds):
    """With --keep-rest, the peak counts even if it is outside of the region."""
    ffmpeg("-f", "lavfi", "-i", "aevalsrc=if(lt(t\\,1)\\,0.5\\,0.1)*sin(2*PI*441*t):d=2:s=44100", "-c:a", "pcm_s16le", tmp_path / "a.wav")
    tool(tmp_path, "reverse", "--region", "1.2-1.8", "--keep-rest", "--normalize", "a.wav", "-o", "new.wav")
    new = samples(tmp_path / "new.wav")
    assert np.abs(new).max() > 0.999
    assert np.abs(new[50000:]).max() == pytest.approx(0.2, abs=0.001)


@pytest.mark.long
def test_a_long_rest_is_kept_too(tmp_path):
    """The region, and the audio before and after it, are longer than the blocks that revbuf
    fetches."""
    ffmpeg("-f", "lavfi", "-i", "anoisesrc=d=80:r=48000:a=0.3:seed=3", "-ac", "2", "-sample_fmt", "s16", tmp_path / "a.flac")
    tool(tmp_path, "reverse", "--region", "41.5-60", "--keep-rest", "a.flac", "-o", "new.flac")
    tool(tmp_path, "reverse", "--region", "41.5-60", "--keep-rest", "new.flac", "-o", "again.flac")
    sums = [subprocess.run(["ffmpeg", "-v", "error", "-i", tmp_path / name, "-f", "md5", "-"], check=True, capture_output=True).stdout for name in ("a.flac", "new.flac", "again.flac")]
    assert sums[0] == sums[2] != sums[1]
