# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the Xing header, the first frame of an MP3, from which players take the duration and
# offsets for seeks.

import subprocess

import pytest
from conversions import delay, likeness
from toolrun import ffmpeg, mostly_long, probe, samples, tool

SECONDS = 5.3
SHAPES = [("44100", 2), ("48000", 1), ("22050", 1), ("8000", 2)]


def sweep(folder, rate, channels):
    """Writes a rising tone with tremolo, in which each position is unique and the bit rate
    varies. Returns its samples."""
    sound = f"aevalsrc=0.4*sin(2*PI*(200+60*t)*t)*(1+0.5*sin(9*t)):d={SECONDS}:s={rate}"
    ffmpeg("-f", "lavfi", "-i", sound, "-ac", channels, "-c:a", "pcm_s16le", folder / "sweep.wav")
    return samples(folder / "sweep.wav")


def frame_places(path):
    """Returns the byte offsets of the audio frames, as FFmpeg finds them."""
    command = ["ffprobe", "-v", "error", "-show_entries", "packet=pos", "-of", "csv=p=0", path]
    return [int(line.strip(",")) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()]


def info_frame(path):
    """Returns the bytes that follow the ID3 tag, and the length of that tag."""
    content = path.read_bytes()
    start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(content[6:10], (21, 14, 7, 0)))
    assert content[:3] == b"ID3" and content[start] == 0xFF
    return content[start:], start


def number(data, place, count):
    return int.from_bytes(data[place : place + count], "big")


def crc16(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return value


@pytest.mark.parametrize("bits", mostly_long(["", "128"], ""))
@pytest.mark.parametrize("rate, channels", mostly_long(SHAPES, *SHAPES[:2]))
def test_the_header_is_that_of_the_frames(tmp_path, rate, channels, bits):
    sweep(tmp_path, rate, channels)
    tool(tmp_path, "reverse", "sweep.wav", "-o", "new.mp3", *(["--bitrate", bits] if bits else []))
    data, start = info_frame(tmp_path / "new.mp3")
    places = [place - start for place in frame_places(tmp_path / "new.mp3")]
    mark = data.index(b"Info" if bits else b"Xing")
    assert mark == 4 + ((9, 17), (17, 32))[int(rate) >= 32000][channels - 1]
    assert number(data, mark + 4, 4) == 15
    assert number(data, mark + 8, 4) == len(places)
    assert number(data, mark + 12, 4) == len(data)
    expected = [places[percent * len(places) // 100] * 256 // len(data) for percent in range(100)]
    assert list(data[mark + 16 : mark + 116]) == expected
    length = 1152 if int(rate) >= 32000 else 576
    frames = round(SECONDS * int(rate))
    delays = number(data, mark + 141, 3)
    assert (delays >> 12, delays & 0xFFF) == (576, len(places) * length - 576 - frames)
    assert number(data, mark + 148, 4) == len(data)
    assert number(data, mark + 154, 2) == crc16(data[: mark + 154])


@pytest.mark.parametrize("rate, channels", mostly_long(SHAPES, SHAPES[2]))
def test_it_is_played_to_the_frame(tmp_path, rate, channels):
    expected = sweep(tmp_path, rate, channels)[::-1]
    tool(tmp_path, "reverse", "sweep.wav", "-o", "new.mp3")
    assert samples(tmp_path / "new.mp3").shape == expected.shape
    assert delay(samples(tmp_path / "new.mp3")[:, 0], expected[:, 0]) == 0


def test_a_lower_rate_of_the_encoder_is_accounted_for(tmp_path):
    sweep(tmp_path, 44100, 2)
    told = tool(tmp_path, "reverse", "sweep.wav", "-o", "new.mp3", "--bitrate", 32).stderr
    rate = probe(tmp_path / "new.mp3")["rate"]
    assert f"The sample rate of 44100 Hz became {rate} Hz" in told
    assert abs(len(samples(tmp_path / "new.mp3")) - SECONDS * rate) <= 1


@pytest.mark.long
@pytest.mark.parametrize("place", [0.5, 3.21])
def test_everybody_seeks_in_it(tmp_path, place):
    """GStreamer and FFmpeg seek to the exact sample frame. SoX counts the encoder's silence at the
    beginning, and seeks to the start of an MP3 frame."""
    expected = sweep(tmp_path, 44100, 2)[::-1, 0]
    tool(tmp_path, "reverse", "sweep.wav", "-o", "new.mp3")
    ffmpeg("-ss", place, "-i", tmp_path / "new.mp3", "-t", 0.4, tmp_path / "ffmpeg.wav")
    subprocess.run(["sox", tmp_path / "new.mp3", tmp_path / "sox.wav", "trim", str(place), "0.4"], check=True)
    tool(tmp_path, "scale", "--factor", 1, "--region", f"{place}-{place + 0.4}", "new.mp3", "-o", "gst.wav")
    start = round(place * 44100)
    for name, places in (("gst", [0]), ("ffmpeg", [0]), ("sox", range(-1105, 4 * 1152, 1152))):
        heard = samples(tmp_path / f"{name}.wav")[:, 0]
        assert abs(len(heard) - 0.4 * 44100) <= 1
        # After a seek, the first four MP3 frames may lack data from earlier MP3 frames.
        assert max(likeness(heard[4608:], expected[start + place + 4608 :]) for place in places) > 0.99, name


def test_its_duration_is_known_without_reading_it(tmp_path):
    sweep(tmp_path, 44100, 2)
    tool(tmp_path, "reverse", "sweep.wav", "-o", "new.mp3")
    soxi = subprocess.run(["soxi", "-D", tmp_path / "new.mp3"], check=True, capture_output=True, text=True).stdout
    assert abs(float(soxi) - SECONDS) < 0.06
    (tmp_path / "part.mp3").write_bytes((tmp_path / "new.mp3").read_bytes()[:20000])
    told = tool(tmp_path, "info", "part.mp3", status=1).stderr
    assert "the file is cut off" in told
