# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the player as a user sees and hears it: in a terminal, with keys, and with a sound device
# that is recorded.

import os
import pty
import random
import select
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from playrun import PATIENCE_S, RATE, Recording, SoundServer, Terminal, wait
from toolrun import ENVIRONMENT, MEDIA, TOOL, ffmpeg, samples, tool

SAMPLE = MEDIA / "sample.mp3"
SHORT = MEDIA / "short.wav"
BARS = "▁▂▃▄▅▆▇█"
NO_DEVICE = {"GST_PLUGIN_FEATURE_RANK": ",".join(f"{name}sink:NONE" for name in ("pulse", "alsa", "oss", "oss4", "openal", "jackaudio", "pipewire", "sndio"))}


@pytest.fixture
def terminal(tmp_path):
    with Terminal(tmp_path) as terminal:
        yield terminal


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = SoundServer(tmp_path_factory.mktemp("pulse"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def noise(tmp_path_factory):
    """A file with 3 s of noise, and the frames of that file. No part of the noise is repeated, so
    each position can be recognised."""
    frames = np.random.default_rng(7).integers(-9000, 9000, (3 * RATE, 2)).astype("<i2")
    frames[0] = frames[-1] = 1  # not silent, so that Recording.sound() keeps all frames
    path = tmp_path_factory.mktemp("noise") / "noise.wav"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "s16le", "-ar", str(RATE), "-ac", "2", "-i", "-", path],
        input=frames.tobytes(), check=True,
    )  # fmt: skip
    return path, frames


@pytest.fixture(scope="session")
def tagged(tmp_path_factory):
    """A minute of sound with non-ASCII characters in its artist, and an escape sequence of
    terminals in its title."""
    path = tmp_path_factory.mktemp("tagged") / "tagged.flac"
    tags = {"title": "Never odd or even \x1b[31m", "artist": "Näme 日本"}
    words = [word for name, value in tags.items() for word in ("-metadata", f"{name}={value}")]
    ffmpeg("-f", "lavfi", "-i", "sine=duration=60", *words, path)
    return path


# ---- the screen ----------------------------------------------------------------


def wave_rows(lines):
    return [line for line in lines if "│" in line]


def test_the_screen_shows_what_plays(terminal, tagged):
    terminal.play("--sink", "silent", tagged)
    text = terminal.shows("Never odd or even", "Näme 日本", "tagged.flac", "FLAC", " / 1:00.0", "forward", "speed 1", "no loop")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(wave_rows(lines)) == 15
    wait(terminal.lines, lambda lines: all(any(bar in line for bar in BARS) for line in wave_rows(lines)[-1:]))
    assert "\x1b[31m" not in text


def test_every_key_shows(terminal):
    terminal.play("--sink", "silent", SAMPLE)
    terminal.press("Space")
    terminal.shows("‖")
    terminal.press("r")
    terminal.shows("reverse")
    terminal.press("+", "+", "+")
    terminal.shows("speed 1.19  factor 0.84")
    terminal.press("0", "-")
    terminal.shows("speed 0.94  factor 1.06")
    terminal.press("m")
    terminal.shows("first channel")
    terminal.press("i")
    terminal.shows("nearest")
    terminal.press("Home", "Right", "Right", "[", "Right", "Right", "]", "l")
    terminal.shows("repeat 0:00.5–0:01.0", "[", "]")
    terminal.press("l")
    terminal.shows("ping-pong 0:00.5–0:01.0")
    terminal.press("l")
    terminal.shows("markers 0:00.5–0:01.0")
    terminal.press("x")
    terminal.shows("no loop")
    terminal.press("Down", "Down")
    terminal.shows("volume 90 %")
    terminal.press("Home", "PageUp")
    terminal.shows("‖ 0:01.5")
    terminal.press("Enter")
    terminal.shows("This is the last file.")
    terminal.press("?")
    terminal.shows("direction", "interpolation", "set markers", "volume")
    terminal.press("Escape")
    terminal.lacks("direction")
    terminal.press("n")
    terminal.shows("This is the last file.")
    terminal.press("q")
    assert terminal.status() == 0


def test_arrows_scrub_also_when_their_bytes_come_one_by_one(terminal, tagged):
    def markers_are_set():
        return "markers" in terminal.text().replace("[ ] markers", "")

    terminal.play("--sink", "silent", tagged)
    terminal.press("Space")
    terminal.shows("‖")
    slowest = 1.0
    # On a busy machine, the bytes may be too far apart: after half a second, the first one alone
    # counts as the Escape key. Repeat until they were sent in time.
    while slowest > 0.4:
        terminal.press("Home")  # goes to a known position, because the screen may still show an earlier position
        before = markers_are_set()
        slowest, sent = 0.0, time.monotonic()
        for number in ("1b", "5b", "43"):
            terminal.press_bytes(number)
            time.sleep(0.1)
            slowest, sent = max(slowest, time.monotonic() - sent), time.monotonic()
    wait(terminal.position, lambda position: abs(position - 3) < 0.11)  # a twentieth of the file
    terminal.press("Left")
    wait(terminal.position, lambda position: position < 0.11)
    assert markers_are_set() == before


def test_play_moves_the_playhead_either_way(terminal, tagged):
    def playhead():
        (column,) = {line.index("│") for line in wave_rows(terminal.lines())}
        return column

    terminal.play("--sink", "silent", "--factor", "0.1", tagged)
    wait(playhead, lambda column: column > 20)
    terminal.press("r")
    wait(playhead, lambda column: column < 15)


def test_at_the_end_it_waits_and_turns_back(terminal):
    terminal.play("--sink", "silent", "--factor", "0.4", SHORT)
    terminal.shows("■ 0:01.5")
    terminal.press("r")
    terminal.shows("■ 0:00.0", "reverse")
    terminal.press("r")
    terminal.shows("■ 0:01.5", "forward")


def test_many_keys_together_are_all_obeyed(terminal, tagged):
    terminal.play("--sink", "silent", "--factor", "5", tagged)
    terminal.press("Home", *["Right"] * 4, *["r"] * 21)  # 12 s
    terminal.press(*["Left", "+", "r", "Right", "m", "-"] * 15)
    terminal.shows("forward", "speed 0.2", "all channels")
    position = wait(terminal.position, lambda position: position > 12)
    assert position < 15
    wait(terminal.position, lambda position: position > 12.5)  # playback continues


@pytest.mark.parametrize("columns, rows", [(40, 10), (200, 60), (20, 5), (10, 2)])
def test_it_follows_the_size_of_the_terminal(terminal, columns, rows):
    terminal.play("--sink", "silent", "--factor", "100", SAMPLE)
    terminal.resize(columns, rows)
    waves = {10: 4, 60: 16, 5: 1, 2: 0}[rows]
    lines = wait(terminal.lines, lambda lines: len(wave_rows(lines)) == waves and any("0:0" in line for line in lines))
    assert len(lines) <= rows and max(map(len, lines)) <= columns
    terminal.resize(80, 24)
    wait(terminal.lines, lambda lines: len(wave_rows(lines)) == 15 and "space pause" in lines[-1])


def test_on_40_by_10_help_is_complete(tmp_path):
    with Terminal(tmp_path, 40, 10) as terminal:
        terminal.play("--sink", "silent", SAMPLE)
        terminal.press("?")
        terminal.shows("play, pause", "direction", "clear markers", "loop mode", "interpolation", "write to file", "quit")


@pytest.mark.parametrize("environment, colored", [({}, True), ({"NO_COLOR": "1"}, False)], ids=["colour", "NO_COLOR"])
def test_colours_are_there_unless_they_are_not_wanted(tmp_path, environment, colored):
    with Terminal(tmp_path, **environment) as terminal:
        terminal.play("--sink", "silent", SAMPLE)
        text = terminal.text("-e")
    assert any(f"[3{color}m" in text or f";3{color}m" in text for color in range(1, 8)) == colored
    assert "\x1b[1m" in text


def test_a_terminal_without_unicode_gets_ascii(tmp_path):
    with Terminal(tmp_path, LC_ALL="C") as terminal:
        terminal.play("--sink", "silent", SAMPLE)
        terminal.press("[")
        assert wait(terminal.text, lambda text: "#" in text and "[" in text).isascii()


def test_little_is_sent_while_it_plays(tagged):
    """While playing, the player must redraw only the time and the playhead, to suit slow lines."""
    child, descriptor = pty.fork()
    if child == 0:
        os.execve(TOOL, [TOOL, "play", "--sink", "silent", tagged], {**ENVIRONMENT, "TERM": "xterm"})

    def sent():
        """Returns the number of bytes that are sent in two seconds."""
        size, end = 0, time.monotonic() + 2
        while time.monotonic() < end:
            if select.select([descriptor], [], [], 0.1)[0]:
                size += len(os.read(descriptor, 1 << 16))
        return size

    # skip the first screen, which has more bytes
    wait(sent, lambda size: 100 < size < 2 * 1500)
    assert 100 < sent() < 2 * 1500
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    os.close(descriptor)


# ---- the terminal after the player has ended ---------------------------------------

ENDS = {
    "q": (lambda terminal: terminal.press("q"), 0),
    "Ctrl-C": (lambda terminal: terminal.press("C-c"), 130),
    "Ctrl-\\": (lambda terminal: terminal.press("C-\\"), 131),
    **{
        number.name: (lambda terminal, number=number: terminal.signal(number), 128 + number)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT)
    },
}


@pytest.mark.parametrize("end", ENDS)
def test_the_terminal_is_left_as_it_was(terminal, end):
    terminal.run("echo before")
    before = terminal.settings()
    terminal.play("--sink", "silent", SAMPLE)
    assert terminal.flag("alternate_on") == "1"
    act, status = ENDS[end]
    act(terminal)
    assert terminal.status() == status
    assert terminal.flag("alternate_on") == "0"
    assert terminal.flag("cursor_flag") == "1"
    assert terminal.flag("wrap_flag") == "1"
    assert "before" in terminal.text()
    assert terminal.settings() == before


def test_it_is_suspended_and_resumed(terminal):
    before = terminal.settings()
    terminal.play("--sink", "silent", "--factor", "20", SAMPLE)
    terminal.press("C-z")
    terminal.shows("Stopped")
    # the shell writes the status after the word
    assert terminal.status() == 128 + signal.SIGTSTP
    assert terminal.flag("alternate_on") == "0"
    assert terminal.settings() == before
    terminal.press("-l", "fg")
    terminal.press("Enter")
    terminal.shows("q quit", "forward")
    assert terminal.flag("alternate_on") == "1"
    terminal.press("r")
    terminal.shows("reverse")


def test_an_unplayable_file_leaves_the_terminal_alone(terminal):
    before = terminal.settings()
    assert terminal.run(f"{TOOL} play --sink silent missing.mp3 {MEDIA}/README.md") == 1
    text = terminal.text()
    assert "missing.mp3: there is no such file" in text and "README.md: " in text
    assert terminal.settings() == before


def test_a_file_that_fails_does_not_keep_the_others_from_playing(terminal):
    terminal.play("--sink", "silent", "missing.mp3", SHORT, "gone.mp3")
    terminal.shows("short.wav", "2/3")
    terminal.shows("gone.mp3: there is no such file")
    terminal.press("p")
    terminal.shows("short.wav", "2/3", "▶")
    terminal.press("q")
    assert terminal.status() == 1
    terminal.shows("missing.mp3: there is no such file")


# ---- without a terminal ------------------------------------------------------------


def test_without_a_terminal_it_prints_positions(tmp_path):
    lines = tool(tmp_path, "play", "--sink", "silent", "--reverse", "--factor", "0.5", SHORT, MEDIA / "short.aiff", stdin=subprocess.DEVNULL).stdout.splitlines()
    assert "\x1b" not in "".join(lines)
    for name in ("short.wav", "short.aiff"):
        own = [line.split("  ") for line in lines if line.endswith(name)]
        positions = [float(line[0].split(" / ")[0].split(":")[1]) for line in own]
        assert positions == sorted(positions, reverse=True) and positions[0] > 1.4 and positions[-1] == 0
        assert {line[1] for line in own} == {"reverse", "ended"}


def test_nothing_of_gstreamer_is_left_alive(tmp_path):
    trace = tmp_path / "trace"
    tracing = {"GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_FILE": str(trace), "GST_DEBUG_NO_COLOR": "1"}
    for sink in ("silent", "file:heard.wav"):
        tool(tmp_path, "play", "--sink", sink, "--factor", "0.2", "--reverse", SHORT, SAMPLE, env={**ENVIRONMENT, **tracing})
    lines = trace.read_text(errors="replace").splitlines()
    assert lines and not [line for line in lines if "object-alive, " in line and "new format string" not in line]


def test_a_dumb_terminal_gets_lines(tmp_path):
    with Terminal(tmp_path, TERM="dumb") as terminal:
        assert terminal.run(f"TERM=dumb {TOOL} play --sink silent {SHORT}") == 0
        assert "ended" in terminal.text() and terminal.flag("alternate_on") == "0"


def test_a_missing_sound_device_is_reported_in_a_sentence(tmp_path):
    result = tool(tmp_path, "play", SAMPLE, status=1, env={**ENVIRONMENT, **NO_DEVICE})
    assert result.stdout == ""
    assert result.stderr == "retrograde: No sound device was found; play silently with --sink silent, or into a file with --sink file:NAME.wav.\n"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--sink", "nosuchsink", SHORT], "nosuchsink"),
        (["--sink", "pulsesink server=unix:/nonexistent", SHORT], "sound cannot be played"),
        (["--sink", "file:/nonexistent/x.wav", SHORT], "cannot be written"),
        (["--sink", f"file:{SHORT}", SHORT], "already exists"),
        (["--factor", "0", SHORT], "factor"),
        (["--factor", "nan", SHORT], "factor"),
        (["--loop", "2-1", SHORT], "loop"),
        (["--loop", "20-30", SHORT], "short.wav: the file ends at 0:01.5, but is to start at 0:20.0; choose an earlier time."),
        (["--start", "20", SHORT], "short.wav: the file ends at 0:01.5, but is to start at 0:20.0; choose an earlier time."),
        (["missing.mp3"], "no such file"),
        (["."], "there is no audio file in this folder"),
        (["-", "-"], "name - once"),
        ([], "files"),
    ],
)
def test_impossible_requests_are_refused_in_a_sentence(tmp_path, arguments, words):
    result = tool(tmp_path, "play", *(["--sink", "silent"] if "--sink" not in arguments else []), *arguments, status=None)
    assert result.returncode in (1, 64)
    assert words in result.stderr
    assert len([line for line in result.stderr.splitlines() if line and not line.startswith(("Usage:", "  See", "Help:"))]) == 1


def test_it_plays_a_folder_by_name(tmp_path):
    for name in ("track 10.wav", "track 9.wav"):
        shutil.copy(SHORT, tmp_path / name)
    (tmp_path / "empty.wav").touch()
    (tmp_path / "notes.txt").write_text("no audio")
    lines = tool(tmp_path, "play", "--sink", "silent", "--factor", "0.1", ".").stdout.splitlines()
    assert [line.split("  ")[-1] for line in lines if "ended" in line] == ["track 9.wav", "track 10.wav"]


def test_it_plays_standard_input(tmp_path):
    with SHORT.open("rb") as file:
        tool(tmp_path, "play", "--sink", "file:heard.wav", "--reverse", "-", stdin=file)
    assert np.array_equal(samples(tmp_path / "heard.wav"), samples(SHORT)[::-1])


def test_it_can_play_into_a_file(tmp_path):
    tool(tmp_path, "play", "--sink", "file:heard.wav", "--reverse", SHORT)
    assert np.array_equal(samples(tmp_path / "heard.wav"), samples(SHORT)[::-1])


def test_it_starts_at_the_given_time_and_volume(tmp_path):
    tool(tmp_path, "play", "--sink", "file:heard.wav", "--start", "0:00.5", "--volume", "50", SHORT)
    # 1/8 is the cube of the volume 0.5
    assert np.abs(samples(tmp_path / "heard.wav") - samples(SHORT)[22050:] / 8).max() <= 1 / 32768


def test_a_speed_is_one_over_the_factor(tmp_path):
    for name, words in (("a.wav", ["--speed", "5/4"]), ("b.wav", ["--factor", "0.8"])):
        tool(tmp_path, "play", "--sink", f"file:{name}", *words, SHORT)
    assert np.array_equal(samples(tmp_path / "a.wav"), samples(tmp_path / "b.wav"))


def test_a_tempo_is_a_speed_at_the_pitch_there_was(tmp_path):
    for name, words in (("a.wav", ["--tempo", "5/4"]), ("b.wav", ["--speed", "5/4", "--keep-pitch"])):
        tool(tmp_path, "play", "--sink", f"file:{name}", *words, SHORT)
    assert np.array_equal(samples(tmp_path / "a.wav"), samples(tmp_path / "b.wav"))
    result = tool(tmp_path, "play", "--tempo", "2", "--speed", "2", SHORT, status=64)
    assert "--factor, --speed and --tempo all set the speed; use one of them." in result.stderr


def test_a_recording_that_is_ended_by_a_signal_is_a_whole_file(tmp_path):
    process = subprocess.Popen([TOOL, "play", "--sink", "file:heard.wav", SAMPLE], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE)
    places = (float(line.split()[0].split(b":")[1]) for line in process.stdout)
    assert any(seconds >= 2 for seconds in places)
    process.terminate()
    assert process.wait(PATIENCE_S) == -signal.SIGTERM
    assert len(samples(tmp_path / "heard.wav")) >= 2 * RATE


# ---- the output --------------------------------------------------------------------


def hear(server, tmp_path, *arguments):
    with Recording(server) as recording:
        tool(tmp_path, "play", "--sink", "pulsesink", *arguments, env=server.environment)
        size = len(recording.frames())
        # wait until the device has played its buffer
        wait(lambda: len(recording.frames()), lambda now: now > size + RATE // 2)
    return recording.sound()


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


@pytest.mark.parametrize("options, turn", [([], 1), (["--reverse"], -1)], ids=["forward", "reverse"])
def test_the_output_is_the_file(server, tmp_path, noise, options, turn):
    path, frames = noise
    heard = hear(server, tmp_path, *options, path)
    assert abs(len(heard) - len(frames)) < RATE // 10
    assert likeness(heard, frames[::turn]) > 0.95
    assert likeness(heard, frames[::-turn]) < 0.1


def test_twice_as_fast_equals_sox(server, tmp_path):
    heard = hear(server, tmp_path, "--factor", "0.5", SAMPLE)
    ffmpeg("-i", SAMPLE, tmp_path / "sample.wav")
    subprocess.run(["sox", tmp_path / "sample.wav", tmp_path / "fast.wav", "speed", "2"], check=True, capture_output=True)
    expected = samples(tmp_path / "fast.wav")
    assert abs(len(heard) - len(expected)) < RATE // 10
    assert likeness(heard, expected) > 0.95


def test_by_key_the_output_changes_direction(server, tmp_path, noise):
    path, frames = noise
    with Terminal(tmp_path, PULSE_SERVER=server.address) as terminal, Recording(server) as recording:
        terminal.play("--sink", "pulsesink", path)
        wait(terminal.position, lambda position: position > 1.5)
        terminal.press("r")
        terminal.shows("■ 0:00.0")
        size = len(recording.frames())
        wait(lambda: len(recording.frames()), lambda now: now > size + RATE // 2)
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
    with Terminal(tmp_path, PULSE_SERVER=server.address) as terminal, Recording(server) as recording:
        terminal.play("--sink", "pulsesink", path)
        shown = []
        wait(terminal.position, lambda position: position > 0.5)
        while not shown or shown[-1][1] < 2:
            shown.append((time.monotonic(), terminal.position(), time.monotonic()))
            time.sleep(0.1)
    sound = recording.frames()[:, 0].astype(float)

    def heard(moment):
        end = recording.frames_until(moment)
        part = sound[end - 2048 : end]
        return (np.fft.irfft(np.fft.rfft(reference, size) * np.conj(np.fft.rfft(part, size)), size).argmax() + 2048) / RATE

    # Reading the screen takes time on a busy machine: the position was drawn before the end of the
    # reading, and may be older than its beginning. At least one of all positions must be current.
    assert max(position - heard(begun) for begun, position, _ in shown) > -0.15
    assert max(position - heard(done) for _, position, done in shown) < 0.05


@pytest.mark.parametrize("keys", [["Right"], ["Right", "Right", "Left", "r", "Space", "Home", "+", "-", "l"]], ids=["hold", "random"])
def test_keys_without_end_do_not_end_it(server, tmp_path, keys):
    """After each flush, the clock of the device is late for a short time; this must not add up."""
    chance = random.Random(1)
    with Terminal(tmp_path, PULSE_SERVER=server.address) as terminal:
        terminal.play("--sink", "pulsesink", MEDIA / "sample.ogg")
        for number in range(250):
            terminal.press("Home" if number % 19 == 0 else chance.choice(keys))
            time.sleep(0.01)
        terminal.press("q")
        assert terminal.status() == 0


# ---- what is written ------------------------------------------------------------------


def test_the_output_can_be_written_and_never_overwrites(terminal, tmp_path):
    terminal.play("--sink", "silent", "--reverse", "--loop", "0.5-1", SHORT)
    terminal.press("w")
    terminal.shows("Wrote short-part-reversed.wav.")
    written = samples(tmp_path / "short-part-reversed.wav")
    assert np.array_equal(written, samples(SHORT)[22050:44100][::-1])
    terminal.press("x", "r", "w")
    terminal.shows("Wrote short-copy.wav.")
    assert np.array_equal(samples(tmp_path / "short-copy.wav"), samples(SHORT))
    terminal.press("w")
    terminal.shows("Wrote short-copy-2.wav.")
    terminal.press("q")
    assert terminal.status() == 0


def test_files_follow_one_another_and_can_be_gone_through(terminal):
    terminal.play("--sink", "silent", SHORT, MEDIA / "short.aiff", MEDIA / "speech.wav")
    terminal.shows("short.aiff", "2/3", "▶")
    terminal.press("n")
    terminal.shows("speech.wav", "3/3")
    terminal.press("p", "p")
    terminal.shows("2/3")
