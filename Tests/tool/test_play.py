# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the player as a user sees it in a terminal, and what it plays into files. test_play_device.py
# tests it with a sound device.

import shutil
import signal
import subprocess

import numpy as np
import pytest
from playrun import Terminal, play, wait
from toolrun import ENVIRONMENT, MEDIA, TOOL, ffmpeg, mostly_long, samples, tool

SAMPLE = MEDIA / "sample.mp3"
SHORT = MEDIA / "short.wav"
BARS = "▁▂▃▄▅▆▇█"
SLOW = ["--sink", "silent", "--factor", "100"]  # nothing moves while the test looks
FAST = ["--sink", "fakesink"]  # takes sound as fast as it comes
NO_DEVICE = {"GST_PLUGIN_FEATURE_RANK": ",".join(f"{name}sink:NONE" for name in ("pulse", "alsa", "oss", "oss4", "openal", "jackaudio", "pipewire", "sndio"))}


@pytest.fixture(scope="session")
def tagged(tmp_path_factory):
    """A minute of sound with non-ASCII characters in its artist, and an escape sequence of
    terminals in its title."""
    path = tmp_path_factory.mktemp("tagged") / "tagged.flac"
    tags = {"title": "Never odd or even \x1b[31m", "artist": "Näme 日本"}
    words = [word for name, value in tags.items() for word in ("-metadata", f"{name}={value}")]
    ffmpeg("-f", "lavfi", "-i", "sine=duration=60", *words, path)
    return path


@pytest.fixture(scope="session")
def brief(tmp_path_factory):
    """The first 0.3 s of SHORT."""
    path = tmp_path_factory.mktemp("brief") / "brief.wav"
    ffmpeg("-i", SHORT, "-t", "0.3", path)
    return path


@pytest.fixture(scope="session")
def click(tmp_path_factory):
    """The first 4 frames of SHORT, which SLOW plays in 9 ms."""
    path = tmp_path_factory.mktemp("click") / "click.wav"
    ffmpeg("-i", SHORT, "-af", "atrim=end_sample=4", path)
    return path


# ---- the screen ----------------------------------------------------------------


def wave_rows(lines):
    return [line for line in lines if "│" in line]


def test_the_screen_shows_what_plays(tmp_path, tagged):
    with play(tmp_path, *SLOW, tagged) as terminal:
        terminal.shows("Never odd or even", "Näme 日本", "tagged.flac", "FLAC", " / 1:00.0", "forward", "speed 0.01", "no loop")
        assert len(wave_rows(terminal.lines())) == 18
        terminal.wait(terminal.lines, lambda lines: any(bar in wave_rows(lines)[-1] for bar in BARS))


def test_every_key_shows(tmp_path, tagged):
    with play(tmp_path, "--sink", "silent", tagged) as terminal:
        steps = [
            (["Space"], ["‖"]),
            (["Home"], ["‖ 0:00.0"]),
            (["r"], ["reverse"]),
            (["+", "+", "+"], ["speed 1.19", "pitch follows, K keeps it"]),
            (["0", "-"], ["speed 0.94"]),
            (["m"], ["first channel"]),
            (["i"], ["nearest"]),
            (["K"], ["pitch kept"]),
            ([">", ">"], ["pitch kept, +2 semitones"]),
            (["<"] * 5, ["pitch kept, -3 semitones"]),
            (["c"], ["speed 1 ", "original, c goes back"]),
            (["c"], ["speed 0.94", "pitch kept, -3 semitones"]),
            (["Home", "Right", "Right", "a", "Right", "Right", "b"], ["repeat 0:06.000–0:12.000", "[──"]),
            (["L"], ["ping-pong 0:06.000–0:12.000"]),
            (["L"], ["markers 0:06.000–0:12.000"]),
            (["A", "C-a", "C-a", "B"], ["markers 0:06.010–0:11.990"]),
            (["x"], ["no loop"]),
            (["Down", "Down", "Down", "Up"], ["volume 90 %"]),
            (["Home", "PageUp"], ["‖ 0:18.0"]),
            (["Left"], ["‖ 0:15.0"]),
            (["S-Right"], ["‖ 0:16.0"]),
            (["S-Left", "S-Left"], ["‖ 0:14.0"]),
            (["PageDown"], ["‖ 0:00.0"]),
            (["End"], ["1:00.0 / 1:00.0"]),
            (["Enter"], ["This is the last file."]),
            (["p"], ["This is the first file."]),
            (["Home"] + ["."] * 5, ["‖ 0:00.2"]),
            ([","] * 3, ["‖ 0:00.0"]),
            (["0", "l"], ["▶", "forward  speed 1"]),
            (["l", "l"], ["forward  speed 4"]),
            (["j"], ["reverse  speed 1"]),
            (["k"], ["‖", "reverse  speed 1"]),
            (["l"], ["▶", "forward  speed 0.5"]),
            (["?"], ["change direction", "interpolation", "no markers, no loop", "volume", "q quit"]),
        ]
        for keys, words in steps:
            terminal.press(*keys)
            terminal.shows(*words)
        terminal.press("?")
        terminal.lacks("no markers, no loop")
        terminal.press("q")
        assert terminal.status() == 0


def test_many_keys_together_are_all_obeyed(tmp_path, tagged):
    with play(tmp_path, *SLOW, tagged) as terminal:
        terminal.press("Space")
        terminal.shows("‖")
        terminal.press("Home", *["Right"] * 4, *["r"] * 21)  # 12 s
        terminal.press(*["Left", "+", "r", "Right", "m", "-"] * 15)
        terminal.shows("‖ 0:12.0", "forward", "speed 0.01", "all channels")


def test_play_moves_the_playhead_either_way(tmp_path, tagged):
    def playhead():
        return {line.index("│") for line in wave_rows(terminal.lines())}.pop()

    with play(tmp_path, *FAST, tagged) as terminal:
        terminal.wait(playhead, lambda column: column > 20)
        terminal.press("r")
        terminal.wait(playhead, lambda column: column < 15)


def test_at_the_end_it_waits_and_turns_back(tmp_path):
    with play(tmp_path, *FAST, SHORT) as terminal:
        terminal.shows("■ 0:01.5")
        terminal.press("r")
        terminal.shows("■ 0:00.0", "reverse")
        terminal.press("r")
        terminal.shows("■ 0:01.5", "forward")


def test_it_follows_the_size_of_the_terminal(tmp_path):
    with play(tmp_path, *SLOW, SAMPLE) as terminal:
        for columns, rows, waves in ((40, 10, 4), (200, 60, 54), (20, 5, 0), (10, 2, 0)):
            terminal.resize(columns, rows)
            terminal.wait(terminal.lines, lambda lines: len(wave_rows(lines)) == waves and any("0:0" in line for line in lines))
        terminal.resize(40, 10)
        terminal.press("?")
        terminal.shows("play or pause", "change direction", "? help")
        terminal.press("?")
        terminal.resize(80, 24)
        terminal.wait(terminal.lines, lambda lines: len(wave_rows(lines)) == 18 and "space play" in lines[-1])


@pytest.mark.parametrize("environment, colored", [({}, True), ({"NO_COLOR": "1"}, False)], ids=["colour", "NO_COLOR"])
def test_colours_are_there_unless_they_are_not_wanted(tmp_path, environment, colored):
    with play(tmp_path, *SLOW, SAMPLE, **environment) as terminal:
        colors = terminal.screen.colors
    assert any(str(color) in colors for color in range(31, 38)) == colored
    assert "1" in colors


ENDS = {"q": 0, "C-c": -signal.SIGINT, "C-\\": -signal.SIGQUIT, **{name: -getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGSEGV", "SIGABRT")}}


@pytest.mark.parametrize("end", mostly_long(ENDS, "q", "C-c", "SIGTERM", "SIGSEGV"))
def test_the_terminal_is_left_as_it_was(tmp_path, end):
    with play(tmp_path, *SLOW, SAMPLE) as terminal:
        assert "?1049" in terminal.screen.modes and "?25" not in terminal.screen.modes
        assert terminal.settings() != terminal.before
        if end.startswith("SIG"):
            terminal.signal(getattr(signal, end))
        else:
            terminal.press(end)
        assert terminal.status() == ENDS[end]
        terminal.assert_as_before()


def test_it_is_suspended_and_resumed(tmp_path):
    with play(tmp_path, *SLOW, SAMPLE) as terminal:
        terminal.press("C-z")
        terminal.shows("stopped")
        terminal.assert_as_before()
        terminal.press("Enter")
        terminal.shows("q quit", "forward")
        assert "?1049" in terminal.screen.modes
        terminal.press("r")
        terminal.shows("reverse")


def test_an_unplayable_file_leaves_the_terminal_alone(tmp_path):
    with Terminal(tmp_path, TOOL, "play", "--sink", "silent", "missing.mp3", MEDIA / "README.md", columns=200) as terminal:
        assert terminal.status() == 1
        terminal.shows("missing.mp3: there is no such file", "README.md: ")
        terminal.assert_as_before()


def test_a_file_that_fails_does_not_keep_the_others_from_playing(tmp_path):
    with play(tmp_path, *SLOW, "missing.mp3", SHORT, "gone.mp3", columns=120) as terminal:
        terminal.shows("short.wav", "2/3", "▶")
        terminal.press("End", "Space", "n")
        terminal.shows("gone.mp3: there is no such file", "■ 0:00.0  ")
        terminal.press("p")
        terminal.shows("short.wav", "2/3", "▶")
        terminal.press("q")
        assert terminal.status() == 1
        terminal.shows("missing.mp3: there is no such file")


def test_files_follow_one_another_and_can_be_gone_through(tmp_path, click, tagged):
    with play(tmp_path, *SLOW, click, tagged, SAMPLE) as terminal:
        terminal.shows("tagged.flac", "2/3", "▶")
        terminal.press("n")
        terminal.shows("sample.mp3", "3/3")
        terminal.press("p")
        terminal.shows("tagged.flac", "2/3")


def test_the_output_can_be_written_and_never_overwrites(tmp_path):
    with play(tmp_path, *SLOW, "--reverse", "--loop", "0.5-1", SHORT) as terminal:
        terminal.press("0", "w")
        terminal.shows("Wrote short-played.wav.")
        assert np.array_equal(samples(tmp_path / "short-played.wav"), samples(SHORT)[22050:44100][::-1])
        terminal.press("x", "r", "w")
        terminal.shows("Wrote short-played-2.wav.")
        assert np.array_equal(samples(tmp_path / "short-played-2.wav"), samples(SHORT))
        terminal.press("w", "q")  # completes the file first
        assert terminal.status() == 0
        assert np.array_equal(samples(tmp_path / "short-played-3.wav"), samples(SHORT))


def test_the_output_keeps_its_type(tmp_path):
    with play(tmp_path, *SLOW, MEDIA / "sample.flac") as terminal:
        terminal.press("0", "Space", "r", "m", "w")
        terminal.shows("Wrote sample-played.flac.")
    assert np.array_equal(samples(tmp_path / "sample-played.flac"), samples(MEDIA / "sample.flac")[::-1, :1])


def test_it_says_where_you_stopped(tmp_path):
    with play(tmp_path, *SLOW, MEDIA / "sample.flac") as terminal:
        terminal.press("Space", "Home", *["S-Right"] * 3, "q")
        assert terminal.status() == 0
        terminal.shows("sample.flac: stopped at 0:03.0; --start 0:03.0 goes on from there.")


def test_a_dumb_terminal_gets_lines(tmp_path, brief):
    with Terminal(tmp_path, TOOL, "play", *FAST, brief, TERM="dumb", columns=200) as terminal:
        assert terminal.status() == 0
        terminal.shows("ended")
        assert terminal.settings() == terminal.before


# ---- without a terminal ------------------------------------------------------------


def test_without_a_terminal_it_prints_positions(tmp_path):
    lines = tool(tmp_path, "play", *FAST, "--reverse", SHORT, MEDIA / "short.aiff", stdin=subprocess.DEVNULL).stdout.splitlines()
    assert "\x1b" not in "".join(lines)
    for name in ("short.wav", "short.aiff"):
        own = [line.split("  ") for line in lines if line.endswith(name)]
        positions = [float(line[0].split(" / ")[0].split(":")[1]) for line in own]
        assert positions == sorted(positions, reverse=True) and positions[0] > 1.4 and positions[-1] == 0
        assert {line[1] for line in own} == {"reverse", "ended"}


def test_nothing_of_gstreamer_is_left_alive(tmp_path, brief):
    trace = tmp_path / "trace"
    tracing = {"GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_FILE": str(trace), "GST_DEBUG_NO_COLOR": "1"}
    for sink in ("silent", "file:heard.wav"):
        tool(tmp_path, "play", "--sink", sink, "--factor", "0.01", "--reverse", brief, SHORT, env={**ENVIRONMENT, **tracing})
    lines = trace.read_text(errors="replace").splitlines()
    assert lines and not [line for line in lines if "object-alive, " in line and "new format string" not in line]


def test_a_missing_sound_device_is_reported_in_a_sentence(tmp_path):
    result = tool(tmp_path, "play", SAMPLE, status=1, env={**ENVIRONMENT, **NO_DEVICE})
    assert result.stdout == ""
    assert result.stderr == "retrograde: No sound device was found; choose another sink, such as one that writes a file.\n"


def test_it_plays_a_folder_by_name(tmp_path, brief):
    for name in ("track 10.wav", "track 9.wav"):
        shutil.copy(brief, tmp_path / name)
    (tmp_path / "empty.wav").touch()
    (tmp_path / "notes.txt").write_text("no audio")
    (tmp_path / "track 9b.mp3").write_text("no audio, but the name says so")
    played = tool(tmp_path, "play", *FAST, ".", status=1)
    assert played.stderr.startswith("retrograde: ./track 9b.mp3: ") and played.stderr.count("\n") == 1
    lines = played.stdout.splitlines()
    assert [line.split("  ")[-1] for line in lines if "ended" in line] == ["track 9.wav", "track 10.wav"]


def test_it_plays_standard_input_into_a_file(tmp_path, brief):
    with brief.open("rb") as file:
        tool(tmp_path, "play", "--sink", "file:heard.wav", "--reverse", "-", stdin=file)
    assert np.array_equal(samples(tmp_path / "heard.wav"), samples(brief)[::-1])


def test_a_recording_that_is_ended_by_a_signal_is_a_whole_file(tmp_path):
    with play(tmp_path, "--sink", "file:heard.wav", "--factor", "0.1", SAMPLE) as terminal:
        terminal.wait(terminal.position, lambda seconds: seconds >= 0.4)
        terminal.signal(signal.SIGTERM)
        assert terminal.status() == -signal.SIGTERM
    assert len(samples(tmp_path / "heard.wav")) >= 0.04 * 44100


def heard(folder, *arguments):
    """Plays into a file, without a clock. Returns its samples."""
    sink = "audioconvert ! audio/x-raw,format=F32LE ! wavenc ! filesink location=heard.wav"
    tool(folder, "play", "--sink", sink, *arguments)
    return samples(folder / "heard.wav")


def test_it_starts_at_the_given_time_and_volume(tmp_path):
    # 1/8 is the cube of the volume 0.5
    sound = heard(tmp_path, "--start", "0:00.5", "--volume", "50", SHORT)
    assert np.abs(sound - samples(SHORT)[22050:] / 8).max() <= 1 / 32768


def test_the_channels_that_are_asked_for_are_played(tmp_path, brief):
    sound, before = heard(tmp_path, "--channels", "first", brief), samples(brief)
    assert np.abs(sound - before[:, :1]).max() < 1e-6
    merged = heard(tmp_path, "--channels", "merged", brief)
    assert np.abs(merged[:, 0] - before.mean(axis=1)).max() < 1e-4


LOOP, STEP, CLICK = (44100, 66150), 5, 55125  # frames of the loop, percent, the frame of a click


def test_a_ladder_is_faster_from_one_pass_to_the_next(tmp_path):
    """Each pass begins where the ones before it end, so the click of pass n comes after the sum of
    their lengths."""
    sound = np.zeros(4 * 44100, "<i2")
    sound[CLICK : CLICK + 40] = np.random.default_rng(5).integers(-25000, 25000, 40)
    sound.tofile(tmp_path / "click.raw")
    ffmpeg("-f", "s16le", "-ar", 44100, "-ac", 1, "-i", tmp_path / "click.raw", tmp_path / "click.wav")
    speeds = [min(60 + STEP * n, 100) / 100 for n in range(12)]
    starts = np.cumsum([0] + [(LOOP[1] - LOOP[0]) / speed for speed in speeds])
    sink = "audioconvert ! audio/x-raw,format=F32LE ! filesink buffer-mode=unbuffered location=heard.raw"
    words = ["play", "--loop", "1-1.5", "--ladder", "60:100:5", "--sink", sink, "click.wav"]
    with subprocess.Popen([TOOL, *words], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
        wait(lambda: (tmp_path / "heard.raw").exists() and (tmp_path / "heard.raw").stat().st_size, lambda size: size > 4 * starts[-1])
        process.terminate()
    heard = np.abs(np.fromfile(tmp_path / "heard.raw", "<f4"))
    for start, stop, speed in zip(starts, starts[1:], speeds):
        place = int(start) + heard[int(start) : int(stop)].argmax()
        late = place - start - (CLICK - LOOP[0]) / speed
        assert -0.0005 * 44100 < late < 40 / speed + 0.0005 * 44100  # the click lasts 40 frames
