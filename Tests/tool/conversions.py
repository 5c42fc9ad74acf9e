# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The inputs that the tool can convert, the outputs, and the expected results. The tests and
# scripts/conversion-table.py use them.

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from toolrun import ffmpeg, probe, samples

TAGS = {"title": "Ein Lied", "artist": "Jemand & Söhne", "album": "Eine Platte", "track": "3", "date": "2019", "genre": "Rock"}

# A rising tone for each channel; a low one for the fourth channel, LFE.
TONES = [f"0.3*sin(2*PI*({200 + 70 * i}+{40 + 11 * i}*t)*t)" for i in range(6)]
TONES[3] = "0.3*sin(2*PI*(50+10*t)*t)"
STEREO = f"aevalsrc={'|'.join(TONES[:2])}:d=1.3:s=%d"
SURROUND = f"aevalsrc={'|'.join(TONES)}:d=1.3:s=%d:c=5.1"


@dataclass(frozen=True)
class Input:
    file: str
    options: str  # options of FFmpeg
    rate: int = 44100
    sound: str = STEREO
    lossless: bool = True
    # Whether every decode gives the same samples. AAC with noise substitution does not.
    repeats: bool = True

    def make(self, folder: Path) -> Path:
        path = folder / self.file
        tags = [word for name, value in TAGS.items() for word in ("-metadata", f"{name}={value}")]
        ffmpeg("-f", "lavfi", "-i", self.sound % self.rate, *tags, *self.options.split(), path)
        return path


def lossy(file: str, options: str, **more) -> Input:
    return Input(file, options, lossless=False, **more)


INPUTS = [
    Input("u8.wav", "-c:a pcm_u8"),
    Input("s16.wav", "-c:a pcm_s16le"),
    Input("s24.wav", "-c:a pcm_s24le"),
    Input("s32.wav", "-c:a pcm_s32le"),
    Input("f32.wav", "-c:a pcm_f32le"),
    Input("f64.wav", "-c:a pcm_f64le"),
    Input("mono.wav", "-c:a pcm_s16le -ac 1", rate=8000),
    Input("surround.wav", "-c:a pcm_s16le", rate=48000, sound=SURROUND),
    Input("s16.aiff", "-c:a pcm_s16be -write_id3v2 1"),
    Input("s24.aif", "-c:a pcm_s24be"),
    Input("s16.flac", "-c:a flac -sample_fmt s16"),
    Input("s24.flac", "-c:a flac -sample_fmt s32", rate=96000),
    Input("surround.flac", "-c:a flac -sample_fmt s16", rate=48000, sound=SURROUND),
    Input("alac.m4a", "-c:a alac -sample_fmt s16p"),
    Input("flac.mka", "-c:a flac -sample_fmt s16"),
    Input("flac.ogg", "-c:a flac -sample_fmt s16"),
    lossy("lame.mp3", "-c:a libmp3lame -q:a 2"),
    lossy("vorbis.ogg", "-c:a libvorbis -q:a 6"),
    lossy("surround.ogg", "-c:a libvorbis -q:a 6", rate=48000, sound=SURROUND),
    lossy("opus.opus", "-c:a libopus -b:a 160k", rate=48000),
    lossy("aac.m4a", "-c:a aac -b:a 192k", repeats=False),
    lossy("surround.m4a", "-c:a aac -b:a 512k", rate=48000, sound=SURROUND, repeats=False),
    lossy("film.mp4", "-c:a aac -b:a 192k", repeats=False),
    # the decoder adds dither
    lossy("bare.ac3", "-c:a ac3 -b:a 192k", repeats=False),
    lossy("raw.aac", "-c:a aac -b:a 192k -f adts", repeats=False),
]


class Inputs:
    """The files of INPUTS. Each is created when it is first needed."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __getitem__(self, file: str) -> Path:
        path = self.folder / file
        if not path.exists():
            (found,) = [one for one in INPUTS if one.file == file]
            found.make(self.folder)
        return path


@dataclass(frozen=True)
class Output:
    type: str
    codec: str
    most_channels: int = 8
    lossless: bool = True
    bits: tuple = ()  # sample sizes in bits; 33 and 65 stand for 32-bit and 64-bit floating point
    # Number of silent frames at the beginning that the container does not declare as padding.
    late: int = 0
    rates: tuple = ()  # the supported sample rates; empty if all are
    tags: tuple = tuple(TAGS)  # the tags that FFmpeg finds in the output

    @property
    def name(self) -> str:
        return f"{self.codec}.{self.type}"

    def rate(self, rate: int) -> int:
        return next((r for r in self.rates if r >= rate), rate)


NO_DATE = ("title", "artist", "album", "genre")
# GStreamer's Matroska muxer puts tags of more than one word into quotes, and writes no track
# number.
MATROSKA = ("genre",)
OPUS = {"lossless": False, "rates": (48000,)}
OUTPUTS = [
    Output("wav", "pcm", 64, bits=(8, 16, 24, 32, 33, 65), tags=NO_DATE),
    Output("aiff", "pcm", 64, bits=(16, 24, 32), tags=()),
    Output("flac", "flac", bits=(16, 24)),
    Output("m4a", "aac", 6, lossless=False),
    Output("m4a", "alac", 2, bits=(16, 24)),
    Output("mp4", "aac", 6, lossless=False),
    Output("mp4", "alac", 2, bits=(16, 24)),
    Output("mp3", "mp3", 2, lossless=False, rates=(8000, 44100, 48000)),
    Output("ogg", "vorbis", lossless=False),
    Output("ogg", "opus", **OPUS),
    Output("ogg", "flac", bits=(16, 24)),
    Output("opus", "opus", **OPUS),
    Output("mka", "flac", bits=(16, 24), tags=MATROSKA),
    Output("mka", "pcm", 64, bits=(8, 16, 24, 32, 33, 65), tags=MATROSKA),
    Output("mka", "opus", tags=MATROSKA, **OPUS),
    Output("mka", "vorbis", lossless=False, tags=MATROSKA),
    Output("mka", "aac", 6, lossless=False, late=1024, tags=MATROSKA),
    # 1105 = 576 frames of delay of the encoder + 529 of the decoder
    Output("mka", "mp3", 2, lossless=False, late=1105, rates=(8000, 44100, 48000), tags=MATROSKA),
]


def delay(late: np.ndarray, early: np.ndarray) -> int:
    """Returns the shift in frames at which the two sounds correlate best; positive if the first is
    late."""
    size = 1 << (len(late) + len(early)).bit_length()
    spectrum = np.fft.rfft(late, size) * np.conj(np.fft.rfft(early, size))
    place = int(np.fft.irfft(spectrum, size).argmax())
    return place - size if place > size // 2 else place


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Returns the normalized correlation of two sounds: 1 if they differ only in level."""
    count = min(len(one), len(other))
    one, other = one[:count], other[:count]
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def assert_same_sound(made: Path, expected: np.ndarray, output: Output) -> None:
    """Asserts that every channel contains the expected sound, complete and without a shift other
    than `output.late`."""
    actual = samples(made)
    assert actual.shape[1] == expected.shape[1]
    # A lossy output may be longer by the padding of the last packet and the delay of the decoder.
    longest = 0 if output.lossless else 3 * 1152
    assert len(expected) - 1 <= len(actual) - output.late <= len(expected) + longest
    for channel in range(actual.shape[1]):
        # Lossy codecs remove most of the LFE channel, so its delay is measured less exactly.
        sharpness = 8 if channel == 3 else 1
        assert abs(delay(actual[:, channel], expected[:, channel]) - output.late) <= sharpness, channel
        assert likeness(actual[output.late :, channel], expected[:, channel]) > 0.97, channel


def assert_properties(made: Path, source: Path, output: Output) -> None:
    """Asserts that sample rate, channels, layout and tags of the input are kept, as far as the
    output supports them."""
    before, after = probe(source), probe(made)
    assert after["rate"] == output.rate(before["rate"])
    assert after["channels"] == min(before["channels"], output.most_channels)
    if after["channels"] == 6 and output.type != "aiff" and output.name != "pcm.mka":
        assert after["layout"] in ("5.1", "5.1(side)")  # FLAC has the same name for both layouts
    if source.suffix in (".aif", ".aiff"):
        return  # GStreamer does not read tags in AIFF
    for name in output.tags:
        if name in before["tags"] and (name, source.suffix) != ("track", ".wav"):
            assert after["tags"].get(name, "").startswith(before["tags"][name]), name
