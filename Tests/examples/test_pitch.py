# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# timescale keep-pitch=true in the place of scaletempo: in playbin, by seeks and by
# instant changes of the rate, and in a timeline of GStreamer Editing Services. The window is that
# of music in playbin: a sine alone is taken for a voice, whose periods are moved.

import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from support import ENVIRONMENT, EXAMPLES, ffmpeg_samples, ffprobe, pitch, run, write_wav

RATE = 44100
SECONDS = 12
FREQUENCY = 440

# A program of its own, as the tests have no GStreamer in their process. It takes audio as fast
# as it comes, so that nothing depends on how busy the machine is. For each rate: how many frames
# came, the stream times of the first and the last second of them, and these frames.
PLAYER = """
    import json, sys
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    Gst.init([])
    uri, kind, folder, *rates = sys.argv[1:]
    player = Gst.ElementFactory.make("playbin")
    player.props.uri = uri
    player.props.audio_filter = Gst.parse_bin_from_description("timescale keep-pitch=true window=music", True)
    player.props.audio_sink = Gst.parse_bin_from_description(
        "audioconvert ! audio/x-raw,format=F32LE,channels=1 ! appsink name=sink sync=false max-buffers=2", True)
    sink = player.props.audio_sink.get_by_name("sink")
    player.set_state(Gst.State.PLAYING)
    player.get_state(Gst.CLOCK_TIME_NONE)

    def pull(seconds):
        times, data = [], bytearray()
        while len(data) < seconds * 4 * 44100:
            sample = sink.emit("pull-sample")
            if sample is None:
                break
            buffer, segment = sample.get_buffer(), sample.get_segment()
            times.append(segment.to_stream_time(Gst.Format.TIME, buffer.pts) / Gst.SECOND)
            data += buffer.extract_dup(0, buffer.get_size())
        return times, data

    report = []
    for rate in map(float, rates):
        if kind == "instant":
            where = Gst.SeekFlags.INSTANT_RATE_CHANGE, Gst.SeekType.NONE, -1
        else:
            where = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, Gst.SeekType.SET, 4 * Gst.SECOND
        assert player.seek(rate, Gst.Format.TIME, *where, Gst.SeekType.NONE, -1), rate
        if kind == "instant":
            pull(1.6)  # queued before, and what the stretcher holds
            times, data = pull(0.5)
        else:
            times, data = pull(1000)
        with open(f"{folder}/{rate}", "wb") as out:
            out.write(data)
        report.append([rate, times[0], times[-1]])
    error = player.get_bus().pop_filtered(Gst.MessageType.ERROR)
    player.set_state(Gst.State.NULL)
    print(json.dumps(report))
    sys.exit(error.parse_error()[0].message if error else 0)
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    times = np.arange(SECONDS * RATE) / RATE
    folder = tmp_path_factory.mktemp("sound")
    wav = write_wav(folder / "in.wav", RATE, np.stack([np.sin(2 * np.pi * FREQUENCY * times) / 2] * 2, axis=1))
    flac = folder / "in.flac"
    subprocess.run(["ffmpeg", "-v", "error", "-i", wav, flac], check=True)
    return flac


def play(sound, kind, folder, rates):
    """For each rate: the first and the last stream time, and the samples."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PLAYER), sound.as_uri(), kind, folder, *map(str, rates)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    return [(first, last, np.fromfile(folder / str(rate), dtype="<f4")) for rate, first, last in report]


def test_rate_seeks_keep_the_pitch_and_the_length(sound, tmp_path):
    rates = [0.25, 0.5, 0.8, 1, 1.5, 2, 4]
    for rate, (first, _, samples) in zip(rates, play(sound, "flush", tmp_path, rates), strict=True):
        assert first == pytest.approx(4, abs=0.001)
        assert len(samples) == pytest.approx((SECONDS - 4) * RATE / rate, abs=2), rate
        assert pitch(samples[len(samples) // 4 :][:RATE], RATE) == pytest.approx(FREQUENCY, abs=1.5), rate


def test_instant_changes_of_the_rate_keep_the_pitch(sound, tmp_path):
    rates = [2, 0.5, 1.5]
    for rate, (first, last, samples) in zip(rates, play(sound, "instant", tmp_path, rates), strict=True):
        assert pitch(samples, RATE) == pytest.approx(FREQUENCY, abs=3), rate
        # the last buffer begins up to 50 ms before what was taken ends
        assert (last - first) / rate == pytest.approx(len(samples) / RATE, abs=0.06), rate


@pytest.mark.parametrize("rate", ["2", "0.5", "1.25"])
def test_a_clip_of_a_timeline_keeps_its_pitch(tmp_path, rate):
    times = np.arange(4 * 48000) / 48000
    wave = 0.5 * np.sin(2 * np.pi * FREQUENCY * times)
    source = write_wav(tmp_path / "in.wav", 48000, np.stack([wave, wave], axis=1))
    result = run(EXAMPLES / "edit-timeline.py", source, "out.wav", rate, "--keep-pitch", cwd=tmp_path)
    total = 2 + 2 / float(rate)
    assert f"the timeline lasts {total:.3f} s" in result.stdout
    assert ffprobe(tmp_path / "out.wav")["seconds"] == pytest.approx(total, abs=1 / 48000)
    clip = ffmpeg_samples(tmp_path / "out.wav")[2 * 48000 :, 0]
    assert pitch(clip[len(clip) // 4 :][: len(clip) // 2], 48000) == pytest.approx(FREQUENCY, abs=1.5)
    # it fills its place from the first to the last frame
    assert min(np.abs(clip[:480]).max(), np.abs(clip[-480:]).max()) > 0.2
