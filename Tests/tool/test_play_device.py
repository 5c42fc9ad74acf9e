# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the player with a sound device whose output is recorded, in real time.

import random
import time

import numpy as np
import pytest
from playrun import RATE, Recording, SoundServer, play, wait
from toolrun import MEDIA, ffmpeg, tool

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = SoundServer(tmp_path_factory.mktemp("pulse"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """A file with 3 s of noise, and the frames of that file. No part of the noise is repeated, so
    each position can be recognised."""
    folder = tmp_path_factory.mktemp("noise")
    frames = np.random.default_rng(7).integers(-9000, 9000, (3 * RATE, 2)).astype("<i2")
    frames[0] = frames[-1] = 1  # not silent, so that Recording.sound() keeps all frames
    frames.tofile(folder / "noise.raw")
    ffmpeg("-f", "s16le", "-ar", RATE, "-ac", 2, "-i", folder / "noise.raw", folder / "noise.wav")
    return folder / "noise.wav", frames


def likeness(heard, expected):
    """Returns the normalized correlation at the best shift: 1 if the sounds are equal. Below 1, a
    device may also have dropped a short part on a busy machine."""
    size = 1 << 20
    one, other = (channel[:, 0].astype(float) for channel in (heard, expected))
    spectra = np.fft.rfft(one, size) * np.conj(np.fft.rfft(other, size))
    return np.fft.irfft(spectra, size).max() / np.linalg.norm(one) / np.linalg.norm(other)


def most_alike(heard, expected):
    """Returns the median similarity of pieces of the output, each at its own best shift, because a
    part that the device drops shifts everything after it."""
    pieces = np.array_split(heard, len(heard) // 8192)
    return np.median([likeness(piece, expected) * np.linalg.norm(expected[:, 0]) / np.linalg.norm(piece[:, 0]) for piece in pieces])


def wait_for_silence(recording):
    """Waits until the device has played its buffer."""
    size = len(recording.frames())
    wait(lambda: len(recording.frames()), lambda now: now > size + RATE // 2)


@pytest.mark.parametrize("options, turn", [([], 1), (["--reverse"], -1)], ids=["forward", "reverse"])
def test_the_output_is_the_file(server, tmp_path, noise, options, turn):
    path, frames = noise
    with Recording(server) as recording:
        tool(tmp_path, "play", "--sink", "pulsesink", *options, path, env=server.environment)
        wait_for_silence(recording)
    heard = recording.sound()
    assert abs(len(heard) - len(frames)) < RATE // 10
    assert likeness(heard, frames[::turn]) > 0.95
    assert likeness(heard, frames[::-turn]) < 0.1


def test_by_key_the_output_changes_direction(server, tmp_path, noise):
    path, frames = noise
    with play(tmp_path, "--sink", "pulsesink", path, PULSE_SERVER=server.address) as terminal, Recording(server) as recording:
        terminal.wait(terminal.position, lambda position: position > 1.5)
        terminal.press("r")
        terminal.shows("■ 0:00.0")
        wait_for_silence(recording)
    sound = recording.sound()
    # On a busy machine, the device inserts silence, but no sound is lost.
    sound = sound[sound.any(axis=1)]
    part = len(sound) * 2 // 5  # less than the half that was played in each direction
    assert part > RATE
    assert most_alike(sound[:part], frames) > 0.9
    assert most_alike(sound[-part:], frames[::-1]) > 0.9
    assert most_alike(sound[-part:], frames) < 0.1


def test_the_position_is_that_of_the_output(server, tmp_path, noise):
    """The shown position, in tenths of a second, must be exact to a tenth and never ahead of the
    sound."""
    path, frames = noise
    reference = frames[:, 0].astype(float)
    size = 1 << 18
    with Recording(server) as recording, play(tmp_path, "--sink", "pulsesink", path, PULSE_SERVER=server.address) as terminal:
        shown = []
        terminal.wait(terminal.position, lambda position: position > 0.5)
        while not shown or shown[-1][1] < 2:
            shown.append((time.monotonic(), terminal.position(), time.monotonic()))
            time.sleep(0.1)
    sound = recording.frames()[:, 0].astype(float)

    def heard(moment):
        end = recording.frames_until(moment)
        part = sound[end - 2048 : end]
        return (np.fft.irfft(np.fft.rfft(reference, size) * np.conj(np.fft.rfft(part, size)), size).argmax() + 2048) / RATE

    # The position may be older than its reading on a busy machine. At least one of all positions
    # must be current.
    assert max(position - heard(begun) for begun, position, _ in shown) > -0.15
    assert max(position - heard(done) for _, position, done in shown) < 0.05


@pytest.mark.parametrize("keys", [["Right"], ["Right", "Right", "Left", "r", "Space", "Home", "+", "-", "l"]], ids=["hold", "random"])
def test_keys_without_end_do_not_end_it(server, tmp_path, keys):
    """After each flush, the clock of the device is late for a short time; this must not add up."""
    chance = random.Random(1)
    with play(tmp_path, "--sink", "pulsesink", MEDIA / "sample.ogg", PULSE_SERVER=server.address) as terminal:
        for number in range(250):
            terminal.press("Home" if number % 19 == 0 else chance.choice(keys))
            time.sleep(0.01)
        terminal.press("q")
        assert terminal.status() == 0
