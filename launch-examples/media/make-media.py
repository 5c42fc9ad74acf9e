#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: make-media.py [FOLDER]
#
# Creates this folder's audio files in FOLDER: a few bars of synthesized music, and speech by
# espeak-ng, encoded with FFmpeg. Nothing is recorded or random, so the same versions of the
# programs create the same bytes. The files are in the repository, so you only need this script to
# change them.

import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np

# file name: (function that makes the sound, FFmpeg's encoder, options for it)
FILES = {
    "sample.mp3": ("sample", "libmp3lame", ["-b:a", "128k"]),
    "sample-vbr.mp3": ("sample", "libmp3lame", ["-q:a", "4"]),
    "sample.flac": ("sample", "flac", ["-compression_level", "12"]),
    "sample.ogg": ("sample", "libvorbis", ["-q:a", "3"]),
    "sample.opus": ("sample", "libopus", ["-b:a", "80k"]),
    # No noise substitution, because decoders replace omitted noise with random numbers, and each
    # decode would return different samples.
    "sample.m4a": ("sample", "aac", ["-b:a", "128k", "-aac_pns", "0"]),
    "short.wav": ("short", "pcm_s16le", []),
    "short.aiff": ("short", "pcm_s16be", []),
    "speech.wav": ("speech", "pcm_s16le", []),
    "surround.flac": ("surround", "flac", ["-compression_level", "12"]),
    "surround.ogg": ("surround", "libvorbis", ["-q:a", "2"]),
    "surround.m4a": ("surround", "aac", ["-b:a", "192k", "-aac_pns", "0"]),
}

# The tune, one note per eighth, in semitones above A3 (None is a rest).
MELODY = [3, 7, 10, 15, 14, 10, 7, None, 5, 8, 12, 17, 15, 12, 10, 7, 3, None]
BASS = [-21, None, -21, -9, -14, None, -14, -2, -19, None, -19, -7, -14, None, -14, -2, -21, None]
EIGHTH = 0.275  # seconds

# in the order of the channels in a 5.1 file
SPEAKERS = ["Front left", "Front right", "Centre", "Bass", "Back left", "Back right"]


def note(semitones: float, seconds: float, rate: int, brightness: float) -> np.ndarray:
    """Returns the sound of a struck string, with a sharp attack and higher overtones that decay
    faster."""
    time = np.arange(int(seconds * rate)) / rate
    pitch = 220 * 2 ** (semitones / 12)
    overtones = (
        brightness**k * np.exp(-time * (2.5 + 1.3 * k)) * np.sin(2 * np.pi * pitch * k * time)
        for k in range(1, 9)
        if pitch * k < rate / 3
    )
    attack = np.minimum(time / 0.004, 1)
    release = np.minimum((time[-1] - time) / 0.02, 1)
    return attack * release * sum(overtones)


def tune(score: list, ring: float, rate: int, brightness: float) -> np.ndarray:
    """Returns the sound of a score. Each note rings for `ring` seconds."""
    track = np.zeros(int((len(score) * EIGHTH + ring) * rate))
    for index, semitones in enumerate(score):
        if semitones is not None:
            start = int(index * EIGHTH * rate)
            sound = note(semitones, ring, rate, brightness)
            track[start : start + len(sound)] += sound
    return track / np.abs(track).max()


def speech(text: str, rate: int, voice: str = "en-gb") -> np.ndarray:
    """Returns the text spoken by espeak-ng, resampled to `rate` in the frequency domain."""
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", file.name, text], check=True)
        with wave.open(file.name) as reader:
            original = np.frombuffer(reader.readframes(reader.getnframes()), "<i2")
            length = len(original) * rate // reader.getframerate()
    resampled = np.fft.irfft(np.fft.rfft(original / 32768), length) * length / len(original)
    return resampled / np.abs(resampled).max()


def mix(frames: int, *parts: tuple[np.ndarray, float, float]) -> np.ndarray:
    """Mixes sounds into a track of this many frames. Each part: (sound, start in frames, gain)."""
    track = np.zeros(frames)
    for sound, start, gain in parts:
        end = min(frames, int(start) + len(sound))
        track[int(start) : end] += gain * sound[: end - int(start)]
    return track


def sample(rate: int = 44100) -> tuple[int, np.ndarray]:
    """Returns stereo with the melody on the left, the bass on the right, and a voice left of the
    middle."""
    frames = 221234
    melody, bass = tune(MELODY, 0.6, rate, 0.5), tune(BASS, 0.8, rate, 0.7)
    voice = speech("Retrograde plays every sound backwards, and back again.", rate)
    left = mix(frames, (melody, 0, 0.45), (bass, 0, 0.1), (voice, 0.9 * rate, 0.4))
    right = mix(frames, (melody, 0, 0.08), (bass, 0, 0.5), (voice, 0.9 * rate, 0.2))
    return rate, np.stack([left, right], axis=1)


def short() -> tuple[int, np.ndarray]:
    """Returns the first one and a half seconds of the sample."""
    rate, samples = sample()
    return rate, samples[: rate * 3 // 2 + 17]


def mono_speech(rate: int = 22050) -> tuple[int, np.ndarray]:
    voice = 0.8 * speech("Never odd or even.", rate, "en-us")
    return rate, voice[:, np.newaxis]


def surround(rate: int = 48000) -> tuple[int, np.ndarray]:
    """Returns 5.1 channels. A voice says the name of each channel in turn, over a note that's
    different in each."""
    frames = int(3.3 * rate)
    channels = []
    for index, name in enumerate(SPEAKERS):
        start = index * 0.5 * rate
        drone = note(-12 + 3 * index, 0.9, rate, 0.3)
        channels.append(mix(frames, (speech(name, rate), start, 0.6), (drone, start, 0.15)))
    return rate, np.stack(channels, axis=1)


def write_wav(path: Path, rate: int, samples: np.ndarray) -> None:
    with wave.open(str(path), "wb") as writer:
        writer.setnchannels(samples.shape[1])
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(np.round(samples * 32000).clip(-32768, 32767).astype("<i2").tobytes())


def encode(source: Path, target: Path, codec: str, options: list[str]) -> None:
    exact = ["-fflags", "+bitexact", "-flags:a", "+bitexact", "-map_metadata", "-1"]
    layout = ["-channel_layout", "5.1"] if source.stem == "surround" else []
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", *layout, "-i", source, "-c:a", codec, *options, *exact, target],
        check=True,
    )


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
    sources = {"sample": sample, "short": short, "speech": mono_speech, "surround": surround}
    with tempfile.TemporaryDirectory() as temporary:
        for name, make in sources.items():
            write_wav(Path(temporary, name + ".wav"), *make())
        for name, (source, codec, options) in FILES.items():
            encode(Path(temporary, source + ".wav"), folder / name, codec, options)


if __name__ == "__main__":
    main()
