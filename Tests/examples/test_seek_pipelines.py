# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# revbuf's block seeks together with what other people make pipelines of:
# encoders, playbin, timescale.

import itertools
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import wavfile
from support import MEDIA, ffmpeg_samples, gst_launch, run, scaled_length

ENCODERS = {
    "flac": "flacenc",
    "mp3": "lamemp3enc target=bitrate bitrate=192 cbr=true",
    "ogg": "vorbisenc quality=0.7 ! oggmux",
    "opus": "audioresample ! opusenc bitrate=192000 ! oggmux",
    "m4a": "avenc_aac bitrate=192000 ! mp4mux",
}
SOURCE = MEDIA / "short.wav"
PLAYBIN = Path(__file__).parent / "playbin_rates.py"
RATES = [-1, 1, 2, -2, 0.5, -1]


@pytest.fixture(scope="module")
def reversed_beforehand(tmp_path_factory):
    path = tmp_path_factory.mktemp("reversed") / "reversed.wav"
    run("sox", SOURCE, path, "reverse")
    return path


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    picture = ["-f", "lavfi", "-i", "testsrc=duration=2.5:size=64x64:rate=25"]
    sound = ["-f", "lavfi", "-i", "sine=frequency=440:duration=2.5"]
    subprocess.run(["ffmpeg", "-v", "error", *picture, *sound, "-c:v", "mpeg4", "-g", "12", "-c:a", "flac", path], check=True)
    return path


def likeness(ours, truth):
    """The largest correlation, at any delay: 1 where they are the same."""
    size = 2 * max(len(ours), len(truth))
    products = np.fft.irfft(np.fft.rfft(ours, size) * np.conj(np.fft.rfft(truth, size)), size)
    return products.max() / np.sqrt((ours**2).sum() * (truth**2).sum())


@pytest.mark.parametrize("suffix", ENCODERS)
def test_an_encoder_gets_what_it_gets_from_a_reversed_file(tmp_path, suffix, reversed_beforehand):
    ours, theirs = tmp_path / f"ours.{suffix}", tmp_path / f"theirs.{suffix}"
    encode = f"audioconvert ! {ENCODERS[suffix]} ! filesink location="
    # MP3's and AAC's last packet lies behind the end of the segment, for they
    # are late; a segment that is open at its end loses none.
    reverse = "revbuf direction=reverse ! identity single-segment=true"
    gst_launch(f"filesrc location={SOURCE} ! wavparse ! {reverse} ! {encode}{ours}")
    gst_launch(f"filesrc location={reversed_beforehand} ! wavparse ! {encode}{theirs}")
    decoded = ffmpeg_samples(ours, "-ar", "44100")
    assert np.array_equal(decoded, ffmpeg_samples(theirs, "-ar", "44100"))

    truth = ffmpeg_samples(reversed_beforehand)
    assert likeness(decoded[:, 0], truth[:, 0]) > 0.95
    assert likeness(decoded[::-1, 0], truth[:, 0]) < 0.5  # the measure can tell


def test_flac_keeps_every_bit_of_the_reverse(tmp_path, reversed_beforehand):
    ours = tmp_path / "ours.flac"
    gst_launch(f"filesrc location={SOURCE} ! wavparse ! revbuf direction=reverse ! flacenc ! filesink location={ours}")
    assert np.array_equal(ffmpeg_samples(ours), ffmpeg_samples(reversed_beforehand))


@pytest.mark.parametrize("factor", ["1.5", "0.75"])
def test_the_reverse_is_scaled_as_a_reversed_file_is(tmp_path, factor, reversed_beforehand):
    ours, theirs = tmp_path / "ours.wav", tmp_path / "theirs.wav"
    scale = f"timescale factor={factor} ! wavenc ! filesink location="
    gst_launch(f"filesrc location={SOURCE} ! wavparse ! revbuf direction=reverse ! {scale}{ours}")
    gst_launch(f"filesrc location={reversed_beforehand} ! wavparse ! {scale}{theirs}")
    frames = wavfile.read(ours).frames
    assert len(frames) == scaled_length(len(wavfile.read(SOURCE).frames), factor)
    assert np.array_equal(frames, wavfile.read(theirs).frames)


def test_playbin_plays_a_file_backwards_bit_for_bit(tmp_path):
    path = tmp_path / "frames"
    run(
        "gst-launch-1.0", "-q", "playbin", f"uri={SOURCE.as_uri()}",
        "audio-filter=revbuf direction=reverse", f"audio-sink=filesink location={path}",
    )  # fmt: skip
    truth = wavfile.read(SOURCE).frames[::-1]
    assert path.read_bytes() == truth.tobytes()


def play(uri, audio_filter):
    return json.loads(run("/usr/bin/python3", PLAYBIN, uri, audio_filter, *RATES).stdout)


def assert_falls_or_rises(times, falls):
    steps = [after - before for before, after in itertools.pairwise(times)]
    assert all(step < 0 if falls else step > 0 for step in steps), times


@pytest.mark.parametrize("audio_filter", ["revbuf", "revbuf mode=seek"])
def test_sound_and_pictures_follow_every_seek_of_playbin(film, audio_filter):
    """The negative rate is served by the demuxer, and revbuf flips the sound."""
    report = play(film.as_uri(), audio_filter)
    assert [part["rate"] for part in report] == RATES
    for part in report:
        for sink in ("audio", "video"):
            assert_falls_or_rises(part[sink], falls=part["rate"] < 0)


@pytest.mark.parametrize(("direction", "always"), [("forward", False), ("reverse", True)])
def test_sound_alone_follows_every_seek_of_playbin(direction, always):
    report = play((MEDIA / "surround.flac").as_uri(), f"revbuf mode=seek direction={direction}")
    assert [part["rate"] for part in report] == RATES
    for part in report:
        assert_falls_or_rises(part["audio"], falls=part["rate"] < 0 or always)
