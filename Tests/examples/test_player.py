# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the example players in C and Python, which change direction, scrub and loop on command.

import itertools
import subprocess

import numpy as np
import pytest
from support import ENVIRONMENT, EXAMPLES, ROOT, run, write_wav

PLAYERS = {"C": ROOT / "build/launch-examples/reverse-player", "Python": EXAMPLES / "reverse-player.py"}
SLOWEST_STEP_S = 2  # longest step between two printed positions on a busy machine

every_player = pytest.mark.parametrize("program", PLAYERS.values(), ids=PLAYERS)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """20 s of noise. The tests look only at positions."""
    samples = np.random.default_rng(1).uniform(-0.5, 0.5, (20 * 44100, 1))
    return write_wav(tmp_path_factory.mktemp("sound") / "sound.wav", 44100, samples)


class Playing:
    """A running player, and the positions that it has printed."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen(
            [str(word) for word in (program, *arguments)],
            env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def say(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def positions(self, count):
        return [float(self.process.stdout.readline()) for _ in range(count)]

    def positions_until(self, is_there):
        """Reads and returns positions up to the first that fulfils the condition. Fails if the
        player ends before."""
        positions = self.positions(1)
        while not is_there(positions[-1]):
            positions += self.positions(1)
        return positions

    def end(self, status=0):
        """Waits for the end of the player. Returns its error messages."""
        _, errors = self.process.communicate(timeout=60)
        assert self.process.returncode == status, errors
        return errors


def rises(positions):
    """Whether positions rise. Neighbours may be equal, because the position stays the same within
    a buffer."""
    return positions == sorted(positions) and positions[-1] > positions[0]


def falls(positions):
    return rises(positions[::-1])


@every_player
def test_it_turns_around_where_it_is(program, sound):
    with Playing(program, sound) as player:
        there = player.positions_until(lambda position: position > 1)
        player.say("reverse")
        back = player.positions_until(lambda position: position < 0.6)
        player.say("forward")
        again = player.positions_until(lambda position: position > 1)
        player.say("quit")
        assert player.end() == ""
    assert rises(there)
    turn = int(np.argmax(back))
    assert back[: turn + 1] == sorted(back[: turn + 1])
    assert falls(back[turn:])
    assert back[turn] - there[-1] < SLOWEST_STEP_S
    lowest = int(np.argmin(again))
    assert rises(again[lowest:])
    assert back[-1] - min(again) < SLOWEST_STEP_S


@pytest.mark.long
@every_player
def test_it_scrubs_in_either_direction_and_continues_past_the_target(program, sound):
    with Playing(program, sound) as player:
        player.positions(3)
        player.say("seek 12")
        there = player.positions_until(lambda position: position > 12.3)
        player.say("reverse")
        player.positions_until(lambda position: position < 11.8)
        for place in (4, 15, 9):
            player.say(f"seek {place}")
            after = player.positions_until(lambda position: abs(position - place) < SLOWEST_STEP_S)
            assert after[-1] <= place
            assert falls(player.positions(3))
        player.say("forward")
        player.positions_until(lambda position: position > 9.2)
        player.say("quit")
        assert player.end() == ""
    assert min(position for position in there if position > 6) >= 12


@pytest.mark.long
@every_player
def test_it_repeats_from_marker_to_marker(program, sound):
    with Playing(program, sound) as player:
        player.say("loop 2 2.5", "seek 2")
        player.positions_until(lambda position: position >= 2)
        positions = player.positions(16)
        player.say("no-loop")
        player.positions_until(lambda position: position > 2.8)
        player.say("quit")
        assert player.end() == ""
    assert 2 <= min(positions) <= max(positions) <= 2.5
    assert 2 <= sum(after < before for before, after in itertools.pairwise(positions)) <= 5


@pytest.mark.long
@every_player
def test_it_turns_around_at_each_marker(program, sound):
    with Playing(program, sound) as player:
        player.say("ping-pong 3 3.5", "seek 3")
        player.positions_until(lambda position: position >= 3)
        positions = player.positions(25)
        player.say("quit")
        assert player.end() == ""
    steps = np.diff(positions)
    assert 3 <= min(positions) <= max(positions) <= 3.5
    assert 5 < (steps < 0).sum() < 19


@pytest.mark.long
@every_player
def test_it_pauses_and_resumes(program, sound):
    with Playing(program, sound) as player:
        player.positions(3)
        player.say("pause")
        player.positions_until(lambda position: position > 0)
        still = player.positions(4)
        assert len(set(still[1:])) == 1
        player.say("play")
        assert player.positions_until(lambda position: position > still[-1] + 0.2)
        player.say("quit")
        assert player.end() == ""


@pytest.mark.long
@every_player
def test_it_plays_backwards_to_the_beginning_and_ends(program, sound):
    with Playing(program, sound) as player:
        player.positions_until(lambda position: position > 0.5)
        player.say("reverse", "rate 2")
        assert player.end() == ""


@every_player
@pytest.mark.parametrize("line", ["dance", "seek -1"])
def test_an_unknown_command_gets_one_sentence_and_play_continues(program, sound, line):
    with Playing(program, sound) as player:
        player.positions(1)
        player.say(line)
        assert rises(player.positions(4))
        player.say("quit")
        errors = player.end()
    assert errors.startswith(f"'{line}' is not a command; the commands are: reverse, forward, seek,")
    assert errors.count("\n") == 1


@every_player
def test_markers_without_anything_between_get_one_sentence(program, sound):
    with Playing(program, sound) as player:
        player.positions(1)
        player.say("loop 2 2")
        player.positions(2)
        player.say("quit")
        errors = player.end()
    assert "nothing between" in errors
    assert errors.count("\n") == 1


@every_player
def test_a_file_or_a_sink_that_cannot_be_had_gets_one_sentence(program, tmp_path, sound):
    missing = run(program, tmp_path / "missing.wav", status=1, stdin=subprocess.DEVNULL).stderr
    assert "missing.wav" in missing or "not found" in missing.lower()
    (tmp_path / "text.wav").write_text("This is not audio.\n" * 100)
    text = run(program, tmp_path / "text.wav", status=1, stdin=subprocess.DEVNULL).stderr
    sink = run(program, sound, "nosuchsink", status=1, stdin=subprocess.DEVNULL).stderr
    assert "nosuchsink" in sink
    assert [errors.count("\n") for errors in (missing, text, sink)] == [1, 1, 1]
    assert "usage: reverse-player" in run(program, status=2).stderr
