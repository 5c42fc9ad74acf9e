# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests timescale keep-pitch=true as a replacement of scaletempo: in playbin, with seeks and with
# instant changes of the rate, and in a timeline of GStreamer Editing Services. The window for music
# is set in playbin, because with window=auto a single sine would be treated as a voice.

import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from support import ENVIRONMENT, EXAMPLES, ffmpeg_samples, ffprobe, pitch, run, write_wav

pytestmark = pytest.mark.long

RATE = 44100
SECONDS = 12
FREQUENCY = 440

# A separate program, because the process of the tests does not load GStreamer. It pulls audio
# without a clock, so the result does not depend on how busy the machine is. For each rate, it
# prints the rate, the stream times of the first frame and of the end of the last one, and the
# position that the filter reports at the end. It writes the frames to a file.
PLAYER = """
    import json, sys
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    Gst.init([])
    uri, effect, kind, folder, *rates = sys.argv[1:]
    player = Gst.ElementFactory.make("playbin")
    player.props.uri = uri
    player.props.audio_filter = Gst.parse_bin_from_description(effect, True)
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
            ends = buffer.pts, buffer.pts + buffer.duration
            times += [segment.to_stream_time(Gst.Format.TIME, min(end, segment.stop)) / Gst.SECOND for end in ends]
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
            pull(1.6)  # audio that was queued before the change, and that the stretcher contains
            times, data = pull(0.5)
        else:
            times, data = pull(1000)
        position = player.props.audio_filter.get_static_pad("src").query_position(Gst.Format.TIME)[1] / Gst.SECOND
        with open(f"{folder}/{rate}", "wb") as out:
            out.write(data)
        report.append([rate, times[0], times[-1], position])
    error = player.get_bus().pop_filtered(Gst.MessageType.ERROR)
    player.set_state(Gst.State.NULL)
    print(json.dumps(report))
    sys.exit(error.parse_error()[0].message if error else 0)
"""
KEPT = "timescale keep-pitch=true window=music"
RATES = [0.25, 0.5, 0.8, 1, 1.5, 2, 4]
TAIL_S = 0.2  # the last part of the input, in seconds
FORMATS = ["flac", "mp3", "ogg", "m4a"]


@pytest.fixture(scope="module")
def sounds(tmp_path_factory):
    """A sine in every format."""
    times = np.arange(SECONDS * RATE) / RATE
    folder = tmp_path_factory.mktemp("sound")
    wav = write_wav(folder / "in.wav", RATE, np.stack([np.sin(2 * np.pi * FREQUENCY * times) / 2] * 2, axis=1))
    for name in FORMATS:
        subprocess.run(["ffmpeg", "-v", "error", "-i", wav, folder / f"in.{name}"], check=True)
    return folder


def play(sound, kind, folder, rates, effect=KEPT):
    """Runs PLAYER. Returns the report and the samples for each rate."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PLAYER), sound.as_uri(), effect, kind, folder, *map(str, rates)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    return [(first, last, position, np.fromfile(folder / str(rate), dtype="<f4")) for rate, first, last, position in report]


@pytest.mark.parametrize("name", FORMATS)
def test_rate_seeks_keep_the_pitch_and_the_length(sounds, tmp_path, name):
    [(_, end, _, plain)] = play(sounds / f"in.{name}", "flush", tmp_path, [1], "identity")
    for rate, (first, last, position, samples) in zip(RATES, play(sounds / f"in.{name}", "flush", tmp_path, RATES), strict=True):
        assert first == pytest.approx(4, abs=0.001)
        assert len(samples) == pytest.approx(len(plain) / rate, abs=1), rate
        assert pitch(samples[len(samples) // 4 :][:RATE], RATE) == pytest.approx(FREQUENCY, abs=1.5), rate
        # at the end of the sound, sound and position have reached the end of the stream
        assert [last, position] == pytest.approx([end, end], abs=2 * max(rate, 1) / RATE), rate
        levels = [np.sqrt(np.mean(frames[-round(TAIL_S * RATE / speed) :] ** 2)) for frames, speed in ((samples, rate), (plain, 1))]
        assert 20 * np.log10(levels[0] / levels[1]) == pytest.approx(0, abs=1), rate


def test_instant_changes_of_the_rate_keep_the_pitch(sounds, tmp_path):
    rates = [2, 0.5, 1.5]
    for rate, (first, last, _, samples) in zip(rates, play(sounds / "in.flac", "instant", tmp_path, rates), strict=True):
        assert pitch(samples, RATE) == pytest.approx(FREQUENCY, abs=3), rate
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
    # the clip contains sound from its first to its last frames
    heard = np.flatnonzero(np.abs(clip) > 0.02)
    assert heard[0] < 24 and len(clip) - heard[-1] < 24


def test_a_clip_of_a_timeline_is_as_long_as_its_decoder_has_frames(sounds, tmp_path):
    # relative, because qtdemux drops the last packet before a stop, even without effects
    times_as_long = []
    for rate in ("1", "0.5"):
        out = tmp_path / f"{rate}.wav"
        run(EXAMPLES / "edit-timeline.py", sounds / "in.m4a", out, rate, "--keep-pitch", cwd=tmp_path)
        times_as_long.append(len(ffmpeg_samples(out)))
    # the timeline has the clip twice: at its own speed, and at half speed
    assert times_as_long[1] == pytest.approx(times_as_long[0] * 3 / 2, abs=2)
