# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Notes at any tempo, played by FluidSynth with the soundfont of Debian's package fluid-soundfont-gm."""

import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .audio import fit, read_wav
from .score import RATE

FONT = Path("/usr/share/sounds/sf2/FluidR3_GM.sf2")
TICKS_PER_QUARTER = 24000  # a quarter note lasts half a second, so a tick is a frame
DRUMS = 9  # the percussion channel of General MIDI, counted from 0
DRUM_TICKS = RATE // 5


@dataclass(frozen=True)
class Note:
    """A note. `key`: MIDI key; `start`, `length`: in seconds of the input; `velocity`: 1 to 127."""

    channel: int
    key: int
    start: float
    length: float
    velocity: int = 90


def variable(number: int) -> bytes:
    """Encodes a number of variable length for MIDI: seven bits per byte, the highest first. All
    bytes except for the last have the eighth bit set."""
    digits = [number & 127]
    while number := number >> 7:
        digits.insert(0, number & 127 | 128)
    return bytes(digits)


def midi(notes: list[Note], programs: dict[int, int], factor: float) -> bytes:
    """Returns a MIDI file in which the starts and lengths of notes are multiplied by `factor`,
    except for the lengths of drums."""
    events = [(0, bytes([0xC0 | channel, program])) for channel, program in programs.items()]
    for note in notes:
        start = round(note.start * factor * RATE)
        ticks = DRUM_TICKS if note.channel == DRUMS else round(note.length * factor * RATE)
        events.append((start, bytes([0x90 | note.channel, note.key, note.velocity])))
        events.append((start + ticks, bytes([0x80 | note.channel, note.key, 0])))
    # a key must be released before it is pressed again
    events.sort(key=lambda event: (event[0], event[1][0] & 0xF0))
    track, last = b"\0\xff\x51\x03" + (500_000).to_bytes(3, "big"), 0
    for tick, event in events:
        track += variable(tick - last) + event
        last = tick
    track += b"\0\xff\x2f\0"
    head = struct.pack(">4sIHHH", b"MThd", 6, 0, 1, TICKS_PER_QUARTER)
    return head + struct.pack(">4sI", b"MTrk", len(track)) + track


def played(notes: list[Note], programs: dict[int, int], factor: float, seconds: float) -> np.ndarray:
    """Plays notes in stereo, without reverberation. `seconds`: duration of the input."""
    with tempfile.TemporaryDirectory(prefix="notes") as folder:
        score, sound = Path(folder, "notes.mid"), Path(folder, "notes.wav")
        score.write_bytes(midi(notes, programs, factor))
        silent = ["-n", "-i", "-q", "-R", "0", "-C", "0"]
        subprocess.run(
            ["fluidsynth", *silent, "-r", str(RATE), "-O", "float", "-T", "wav", "-F", str(sound), FONT, str(score)],
            check=True, capture_output=True,
        )  # fmt: skip
        return fit(read_wav(sound), round(seconds * factor * RATE))
