# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests speed curves (--curve): a frame of the output must be the sound at the integral of the speed, in
# closed form, for tones that are known everywhere.

import numpy as np
import pytest
from toolrun import assert_nothing_left, ffmpeg, mostly_long, samples, tool

SECONDS = 12


def tones(position, rate):
    """The sound at a position in frames, which may lie between two frames. It is silent at both ends, beyond
    which a file has no sound."""
    phase = np.clip(position / (SECONDS * rate), 0, 1)
    return (np.sin(position * 0.0628) + 0.6 * np.sin(position * 0.1759 + 1)) / 2 * np.sin(np.pi * phase) ** 2


def write(path, rate=44100):
    frames = tones(np.arange(SECONDS * rate), rate).astype("<f8")
    source = ["-f", "f64le", "-ar", rate, "-ac", "1", "-i", "-"]
    ffmpeg(*source, "-c:a", "pcm_f64le", path, input=frames.tobytes())


def positions(points, count, rate):
    """The position of each output frame, in frames: the integral of straight lines."""
    times, speeds = np.array(points, dtype=float).T
    if times[0] > 0:
        times, speeds = np.append(0, times), np.append(speeds[0], speeds)
    reached = np.append(0, np.cumsum(np.diff(times) * (speeds[1:] + speeds[:-1]) / 2))
    now = np.arange(count) / rate
    piece = np.searchsorted(times, now, side="right") - 1
    slope = np.append(np.diff(speeds) / np.diff(times), 0)[piece]
    since = now - times[piece]
    start = SECONDS * rate - 1 if speeds[0] < 0 else 0
    return start + (reached[piece] + since * (speeds[piece] + since * slope / 2)) * rate


def text(points):
    return ",".join(f"{time}:{speed}" for time, speed in points)


SPIN_BACK = [(5, 1), (5.5, -6), (6.5, 0), (7, 1.5)]
SCRATCH = [(0, 1), (3, 1)] + [(3.1 + n / 10, 2.5 * (-1) ** n) for n in range(40)] + [(8, 1)]
CURVES = {
    "a spin-back": (SPIN_BACK, 44100),
    "a tape stop": ([(2, 1), (3.5, 0)], 44100),
    "a start": ([(0, 0), (1, 2), (4, 2)], 48000),
    "a scratch": (SCRATCH, 48000),
    "a moment at 1": ([(0, 0.5), (1, 2.3), (2, 1), (3, -1), (4, 1.7)], 44100),
    "backwards": ([(0, -1), (4, -1), (5, 2), (6, -3)], 44100),
    "back to the first frame": ([(0, 0), (0.5, 1), (1, 0), (1.5, -1), (2, 0), (3, 2)], 44100),
    "between the steps": ([(0, 1), (2.0037, 1), (2.5521, -3.3), (2.9, 0), (4.4444, 1.7)], 44100),
    "8 kHz": (SPIN_BACK, 8000),
    "22.05 kHz": (SPIN_BACK, 22050),
    "192 kHz": (SPIN_BACK, 192000),
}


@pytest.mark.parametrize("name", mostly_long(CURVES, "a spin-back", "a tape stop", "backwards", "between the steps"))
def test_each_frame_is_where_the_curve_says(tmp_path, name):
    points, rate = CURVES[name]
    step = rate // 100
    write(tmp_path / "in.wav", rate)
    tool(tmp_path, "scale", "--curve", text(points), "in.wav", "-o", "out.wav")
    sound = samples(tmp_path / "out.wav")[:, 0]
    # times are rounded to steps of 10 ms
    points = [(round(time * rate / step) * step / rate, speed) for time, speed in points]
    position = positions(points, len(sound) + rate, rate)
    wrong = sound - tones(position[: len(sound)], rate)
    for time, speed in points:
        first = round(time * rate)
        if speed == 0 and time == points[-1][0]:  # it fades out, and ends
            assert len(sound) == first + step
            wrong[first:] = 0
    if points[-1][1] != 0:
        inside = (position >= -0.5) & (position < SECONDS * rate - 0.5)
        assert abs(len(sound) - np.argmin(inside)) <= 1
    loudness = np.sqrt(np.mean(tones(np.arange(SECONDS * rate), rate) ** 2))
    for begin in range(0, len(sound), rate // 10):
        error = np.sqrt(np.mean(wrong[begin : begin + rate // 10] ** 2))
        assert error < 1e-5 * loudness, f"{begin / rate} s: {20 * np.log10(error / loudness)} dB"


LOSSY = {"mp3": 30, "ogg": 30, "opus": 30, "m4a": 60}  # at least so many dB below full scale
TYPES = ["wav", "aiff", "flac", "mka", *LOSSY]


@pytest.mark.parametrize("kind", mostly_long(TYPES, "mka", "opus"))
def test_every_type_is_read_and_written(tmp_path, kind):
    write(tmp_path / "tones.wav", 48000)
    tool(tmp_path, "scale", "--factor", "1", "tones.wav", "-o", f"in.{kind}")
    tool(tmp_path, "scale", "--curve", text(SPIN_BACK), f"in.{kind}", "-o", f"out.{kind}")
    sound = samples(tmp_path / f"out.{kind}")[:, 0]
    wrong = sound - tones(positions(SPIN_BACK, len(sound), 48000), 48000)
    # the last frame is exactly at the end of the file
    assert -1 <= len(sound) - 684001 <= (1024 if kind in LOSSY else 0)
    assert np.sqrt(np.mean(wrong**2)) < 10 ** (-LOSSY.get(kind, 100) / 20)


@pytest.mark.parametrize("points, start", [([(1, 1), (1.5, -1), (2, 1.25)], 5), ([(0.5, -1), (1, -2)], 8)], ids=["forward", "backwards"])
def test_a_region_is_a_file_of_its_own(tmp_path, points, start):
    write(tmp_path / "in.wav")
    ffmpeg("-i", tmp_path / "in.wav", "-af", "atrim=5:8", "-c:a", "pcm_f64le", tmp_path / "part.wav")
    tool(tmp_path, "scale", "--curve", text(points), "--region", "5-8", "in.wav", "-o", "out.wav")
    tool(tmp_path, "scale", "--curve", text(points), "part.wav", "-o", "same.wav")
    sound, same = samples(tmp_path / "out.wav"), samples(tmp_path / "same.wav")
    assert np.array_equal(sound, same) and abs(sound[0, 0] - tones(start * 44100 - (start == 8), 44100)) < 1e-9


def test_a_loud_sound_is_guarded_and_faded_like_any_other(tmp_path):
    write(tmp_path / "in.wav", 44100)
    tool(tmp_path, "scale", "--curve", "1:1,2:0", "--normalize", "--fade", ",0.05", "in.wav", "-o", "out.flac")
    sound = np.abs(samples(tmp_path / "out.flac"))
    assert len(sound) == 88641 and sound[-44:].max() < 0.01 and 0.8 < sound.max() <= 1


LEAVES = {
    "1:1,2:-1,4:-1": "in.wav: after 3.0 s of the output, the speed curve would go past the beginning of the file, which has 12.0 s",
    "0:1,4:5,8:1": "in.wav: after 4.0 s of the output, the speed curve would go past the end of the file, which has 12.0 s",
    "0:-1,2:-1,3:3,4:3": "in.wav: after 3.333 s of the output, the speed curve would go past the end of the file",
}


@pytest.mark.parametrize("curve", LEAVES)
def test_a_curve_that_leaves_the_file_is_told_where(tmp_path, curve):
    write(tmp_path / "in.wav", 8000)
    assert LEAVES[curve] in tool(tmp_path, "scale", "--curve", curve, "in.wav", "-o", "out.wav", status=1).stderr
    assert_nothing_left(tmp_path, "in.wav")


WRONG = {
    "--curve 5": "Write times and speeds as in 0:1,5:1,5.5:-6",
    "--curve 0:9": "A speed must be from -8 to 8 (9.0 is not)",
    "--curve 0:nan": "A speed must be from -8 to 8",
    "--curve 1:1,1.01:2": "Point 2 of the speed curve is less than 20 ms after point 1",
    "--curve 0:0.001": "too slow to be heard",
    "--curve ,": "needs a point",
    "--curve 0:1 --factor 2": "--factor and --curve both set the length",
    "--curve 0:1 --map map.txt": "--map and --curve both set the length",
    "--curve 0:1 --keep-pitch": "cannot be combined",
    "--curve 0:1 --interpolation cubic": "cannot be combined",
    "--curve 0:1 --region 1-2 --keep-rest": "cannot be combined",
    "--curve 0:1 --keep-video": "leave out --curve",
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_curve_is_reported_in_a_sentence(tmp_path, words):
    write(tmp_path / "in.wav", 8000)
    (tmp_path / "map.txt").write_text("1 2")
    assert WRONG[words] in tool(tmp_path, "scale", *words.split(" "), "in.wav", "-o", "out.wav", status=64).stderr
    assert_nothing_left(tmp_path, "in.wav", "map.txt")
