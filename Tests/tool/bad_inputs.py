# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Commands that the tool must refuse because of their input, each with the expected error message.
# The tests use them.

import os
import random
import shutil
import struct
import subprocess
import wave
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from toolrun import ffmpeg


@dataclass(frozen=True)
class Bad:
    name: str
    # Creates the input in the folder and returns the tool's arguments. The parameters are the
    # folder and a conversions.Inputs.
    arguments: Callable[[Path, object], list]
    words: str  # a part of the error message
    status: int = 1
    long: bool = False  # whether `make check` leaves it to `make check-all`


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def start_of(file: str, share: float):
    """Returns a function that makes a truncated copy of a file. `share` is the part that is left,
    from 0 to 1."""

    def make(folder, sounds):
        content = sounds[file].read_bytes()
        return ["reverse", write(folder / file, content[: int(len(content) * share)])]

    return make


def wav(frames: int):
    """Returns a function that makes a silent 16-bit stereo WAV of this many frames."""

    def make(folder):
        with wave.open(str(folder / "short.wav"), "wb") as file:
            file.setparams((2, 2, 44100, 0, "NONE", ""))
            file.writeframes(bytes(4 * frames))
        return folder / "short.wav"

    return make


def empty_aiff(folder):
    source = wav(1)(folder)
    subprocess.run(["sox", source, folder / "short.aiff", "trim", "0", "0s"], check=True)
    source.unlink()
    return folder / "short.aiff"


def short(make, *words: str):
    return lambda folder, sounds: [*words, make(folder)]


def silent_film(folder, sounds):
    ffmpeg("-f", "lavfi", "-i", "testsrc=d=0.3:s=64x64:r=10", "-c:v", "mpeg4", folder / "film.mp4")
    return ["reverse", folder / "film.mp4"]


def picture(folder, sounds):
    ffmpeg("-f", "lavfi", "-i", "testsrc=d=0.3:s=64x64:r=10", "-frames:v", "1", folder / "picture.png")
    return ["reverse", folder / "picture.png"]


def protected(folder, sounds):
    key = ["-encryption_key", "76a6c65c5ea762046bd749a2e632ccbb", "-encryption_kid", "a7e61c373e219033c21091fa607bf3b8"]
    ffmpeg("-i", sounds["s16.wav"], "-c:a", "aac", "-encryption_scheme", "cenc-aes-ctr", *key, folder / "song.mp4")
    return ["reverse", folder / "song.mp4"]


def long_box(folder, sounds=None):
    """Makes an MP4 whose second box claims to end at byte 2^63 - 1."""
    start = struct.pack(">I4s4sI4s", 20, b"ftyp", b"M4A ", 0, b"M4A ")
    return write(folder / "box.m4a", start + struct.pack(">I4sQ", 1, b"mdat", 0x7FFFFFFFFFFFFFEB) + bytes(64))


def short_list(folder, sounds=None):
    """Makes a WAV with a LIST chunk of two bytes before the data chunk."""
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16)
    content = b"WAVE" + form + struct.pack("<4sI2x4sI", b"LIST", 2, b"data", 400) + bytes(400)
    return write(folder / "list.wav", struct.pack("<4sI", b"RIFF", len(content)) + content)


def many_streams(folder):
    """Makes an Ogg file that begins 101 streams."""
    pages = [b"OggS\0\2" + bytes(8) + struct.pack("<I", number) + bytes(8) + b"\1\1x" for number in range(101)]
    return write(folder / "many.ogg", b"".join(pages) + pages[0].replace(b"S\0\2", b"S\0\4"))


def named_pipe(folder, sounds):
    os.mkfifo(folder / "pipe.wav")
    return ["reverse", folder / "pipe.wav"]


def made_of(file: str, content: bytes):
    return lambda folder, sounds: ["reverse", write(folder / file, content)]


def to(output: str, *more: str):
    return lambda folder, sounds: ["reverse", sounds["s16.wav"], "-o", output, *more]


def scaled(*options: str):
    return lambda folder, sounds: ["scale", *options, sounds["s16.wav"]]


def reversed_with(*options: str):
    return lambda folder, sounds: ["reverse", *options, sounds["s16.wav"]]


def existing(folder, sounds):
    return ["reverse", sounds["s16.wav"], "-o", write(folder / "there.wav", b"precious")]


def itself(folder, sounds):
    source = Path(shutil.copy(sounds["s16.wav"], folder / "song.wav"))
    return ["reverse", "--force", source, "-o", source]


def its_link(folder, sounds):
    source = Path(shutil.copy(sounds["s16.wav"], folder / "song.wav"))
    (folder / "link.wav").symlink_to(source)
    return ["reverse", "--force", source, "-o", folder / "link.wav"]


def same_names(folder, sounds):
    return ["reverse", sounds["s16.wav"], sounds["s16.aiff"], "--type", "flac"]


def other_input(folder, sounds):
    source = shutil.copy(sounds["s16.wav"], folder / "song.wav")
    other = shutil.copy(sounds["s16.wav"], folder / "song-reversed.wav")
    return ["reverse", "--force", source, other]


def one_file_for_two(folder, sounds):
    return ["reverse", sounds["s16.wav"], sounds["s16.flac"], "-o", "one.wav"]


def long_name(folder, sounds):
    return ["reverse", shutil.copy(sounds["s16.wav"], folder / ("n" * 251 + ".wav"))]


def too_large(folder, sounds):
    quiet = folder / "quiet.flac"
    ffmpeg("-f", "lavfi", "-i", "anullsrc=d=230:r=48000:cl=stereo", "-sample_fmt", "s16", quiet)
    return ["scale", "--factor", "100", "--type", "aiff", quiet]


CUT = ["s16.wav", "aac.m4a", "vorbis.ogg", "flac.mka", "s16.aiff", "s16.flac", "alac.m4a", "film.mp4", "lame.mp3", "opus.opus", "flac.ogg"]
FACTOR = "A factor must be from 0.01 to 100"
USAGE = 64

BAD_INPUTS = [
    Bad("a missing file", lambda folder, sounds: ["reverse", "missing.wav"], "there is no such file"),
    Bad("a folder", lambda folder, sounds: ["reverse", folder], "this is a folder; add -r"),
    Bad("an empty file", made_of("empty.wav", b""), "the file is empty"),
    Bad("text", made_of("text.mp3", b"This is not audio.\n" * 100), "finds no audio"),
    Bad("random bytes", lambda folder, sounds: ["reverse", write(folder / "noise.wav", random.Random(1).randbytes(50000))], "finds no audio"),
    Bad("a film without sound", silent_film, "finds no audio"),
    Bad("a picture", picture, "finds no audio", long=True),
    Bad("a protected file", protected, "the file is protected"),
    Bad("a named pipe", named_pipe, "save the sound in a file first"),
    Bad("an address", lambda folder, sounds: ["reverse", "https://example.org/a.mp3"], "URLs are not read"),
    Bad("an empty folder", lambda folder, sounds: ["reverse", "-r", folder], "there is no audio file in this folder"),
    Bad("nothing in standard input", lambda folder, sounds: ["reverse", "-", "-o", "new.wav"], "standard input: the file is empty"),
    Bad("a device", lambda folder, sounds: ["reverse", "/dev/zero"], "not an ordinary file"),
    *(Bad(f"{file}, cut off in the middle", start_of(file, 0.5), "the file is cut off", long=file not in CUT[:4]) for file in CUT),
    Bad("a WAV with a list of two bytes", short(short_list, "reverse"), "the file is damaged, or holds no audio"),
    Bad("an MP4 with a box of 2^63 bytes", short(long_box, "reverse"), "the file is cut off"),
    Bad("an Ogg of 101 streams", short(many_streams, "reverse"), "it contains more than 100 Ogg streams", long=True),
    Bad("lame.mp3, its first bytes alone", start_of("lame.mp3", 0.01), "lame.mp3", long=True),
    Bad("s16.flac, its first bytes alone", start_of("s16.flac", 0.002), "s16.flac", long=True),
    Bad("a WAV without a frame", short(wav(0), "reverse"), "short.wav: GStreamer finds no audio in it"),
    Bad("a WAV without a frame, into MP3", short(wav(0), "scale", "--tempo", "1.5", "--type", "mp3"), "short.wav: GStreamer finds no audio in it", long=True),
    Bad("the end of a WAV without a frame", short(wav(0), "reverse", "--last", "1"), "short.wav: GStreamer finds no audio in it", long=True),
    Bad("a WAV without a frame, to be 2 s long", short(wav(0), "scale", "--length", "2"), "short.wav: it is empty, or so short that its length is not known"),
    Bad("an AIFF without a frame", short(empty_aiff, "reverse"), "short.aiff: GStreamer finds no audio in it", long=True),
    Bad("a WAV of one frame, faster", short(wav(1), "scale", "--tempo", "1.5"), "short.wav: not one frame of sound would be left"),
    Bad("factor 0", scaled("--factor", "0"), FACTOR, USAGE),
    Bad("factor x", scaled("--factor", "x"), "The value 'x' is invalid for '--factor", USAGE),
    Bad("quality 11", scaled("--factor", "2", "--quality", "11"), "A quality must be from 0 to 10", USAGE, long=True),
    Bad("semitones 25", scaled("--semitones", "25"), "A pitch change must be from -24 to 24 semitones (25.0 is not); choose another.", USAGE),
    Bad("formants x", scaled("--semitones", "2", "--formants", "x"), "The value 'x' is invalid for '--formants", USAGE, long=True),
    Bad("formant semitones 25", scaled("--formant-semitones", "25"), "A formant shift must be from -24 to 24 semitones", USAGE, long=True),
    Bad("an unknown codec", reversed_with("--codec", "wma"), "The value 'wma' is invalid for '--codec", USAGE, long=True),
    Bad("an unknown type", reversed_with("--type", "doc"), "The value 'doc' is invalid for '--type", USAGE),
    Bad("an unknown extension", to("song.xyz"), "unknown file type", USAGE),
    Bad("a codec that the type cannot hold", to("song.wav", "--codec", "mp3"), "wav cannot hold mp3", USAGE),
    Bad("a bit rate for a lossless codec", to("song.flac", "--bitrate", "128"), "has no bit rate", USAGE),
    Bad("a bit rate of 1 kbit/s", to("song.mp3", "--bitrate", "1"), "A bit rate must be from 8 to 512", USAGE),
    Bad("a region after the end", reversed_with("--region", "50-60"), "the file ends at 1.3 s, but the region begins at 50.0 s"),
    Bad("a region after the end of bare AAC", lambda folder, sounds: ["reverse", "--region", "50-60", sounds["raw.aac"]], "raw.aac: the file ends at 1.324 s, but the region begins at 50.0 s"),
    Bad("no jobs", reversed_with("--jobs", "0"), "--jobs must be 1 or more", USAGE),
    Bad("an output that exists", existing, "choose another name, or add --force"),
    Bad("the output is the input", itself, "the output would be the input itself"),
    Bad("the output is a link to the input", its_link, "the output would be the input itself"),
    Bad("an output without a name", to(""), "The name of the output is empty", USAGE),
    Bad("an output in /proc", to("/proc/song.wav"), "it cannot be written"),
    Bad("an output in a new folder in /proc", to("/proc/new/song.wav"), "this folder cannot be created", USAGE, long=True),
    Bad("a device as output", to("/dev/full", "--type", "wav", "--force"), "not an ordinary file"),
    Bad("two inputs that become one file", same_names, "would both become", USAGE),
    Bad("an output that is another input", other_input, "is an input as well", USAGE),
    Bad("one output file for two inputs", one_file_for_two, "this is the name of one file; name a folder", USAGE),
    Bad("a name too long for -reversed", long_name, "File name too long"),
    Bad("an AIFF of more than 4 GB", too_large, "aiff holds 4 GB at most"),
]


def sentence(result: subprocess.CompletedProcess) -> str:
    """Returns the error message: the first line on standard error."""
    return (result.stderr.splitlines() or [""])[0].removeprefix("retrograde: ")
