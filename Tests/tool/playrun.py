# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Helpers for the tests of the player: a terminal to press keys in and to read the screen of, and a
# virtual sound device to record.

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
import unicodedata

import numpy as np
from toolrun import ENVIRONMENT, TOOL

PATIENCE_S = 60  # time limit for events that take well under a second on an idle machine
RATE = 44100


def wait(what, is_there, seconds=PATIENCE_S):
    """Calls `what()` until `is_there()` accepts its value. Returns that value."""
    end = time.monotonic() + seconds
    while not is_there(value := what()):
        assert time.monotonic() < end, f"waited in vain; the last was:\n{value}"
        time.sleep(0.02)
    return value


class Screen:
    """What a terminal shows that has received the sequences that the player sends. Others are an error."""

    SEQUENCE = re.compile(rb"\x1b\[([?0-9;]*)([A-Za-z])")

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.modes, self.colors, self.left = set(), set(), b""
        self.is_outdated = False
        self.clear()

    def resize(self, columns, rows):
        """Until the program clears the screen, it may still draw for the size that the screen had."""
        self.columns, self.rows, self.is_outdated = columns, rows, True
        self.clear()

    def clear(self):
        self.cells = [[" "] * self.columns for _ in range(self.rows)]
        self.row = self.column = 0

    def feed(self, data):
        data, self.left = self.left + data, b""
        while data:
            if data[0] == 0x1B:
                if not (found := self.SEQUENCE.match(data)):
                    assert len(data) < 16 and data[1:2] in (b"", b"["), data
                    break
                self.control(found[1].decode(), found[2].decode())
                data = data[found.end() :]
                continue
            end = data.find(b"\x1b") if b"\x1b" in data else len(data)
            try:
                text = data[:end].decode()
            except UnicodeDecodeError as error:  # the rest of a character comes later
                assert len(data) - error.start < 4, data
                text, end = data[: error.start].decode(), error.start
            for character in text:
                self.put(character)
            data = data[end:]
            if 0 < len(data) < 4 and data[0] != 0x1B:
                break
        self.left = data

    def control(self, numbers, letter):
        if letter == "H":
            self.row, self.column = (int(number) - 1 for number in numbers.split(";"))
        elif letter == "J":
            self.is_outdated = False
            self.clear()
        elif letter == "m":
            self.colors |= set(numbers.split(";"))
        elif letter == "h":
            self.modes.add(numbers)
            if numbers == "?1049":
                self.clear()
        elif letter == "l":
            self.modes.discard(numbers)
            if numbers == "?1049":
                self.clear()
        else:
            raise ValueError(f"ESC [ {numbers} {letter}")

    def put(self, character):
        if character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif character == "\r":
            self.column = 0
        elif self.row < self.rows:
            width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            if self.is_outdated and self.column + width > self.columns:
                return
            assert character >= " " and self.column + width <= self.columns, (character, self.row, self.column)
            self.cells[self.row][self.column : self.column + width] = [character] + [""] * (width - 1)
            self.column += width

    def lines(self):
        lines = ["".join(cells).rstrip() for cells in self.cells]
        while lines and not lines[-1]:
            lines.pop()
        return lines


KEYS = {
    **{"Space": b" ", "Enter": b"\r", "Escape": b"\x1b", "C-c": b"\x03", "C-z": b"\x1a", "C-a": b"\x01", "C-b": b"\x02", "C-\\": b"\x1c"},
    **{"Up": b"\x1b[A", "Down": b"\x1b[B", "Right": b"\x1b[C", "Left": b"\x1b[D", "Home": b"\x1b[H", "End": b"\x1b[F"},
    **{"PageUp": b"\x1b[5~", "PageDown": b"\x1b[6~", "S-Right": b"\x1b[1;2C", "S-Left": b"\x1b[1;2D"},
}


# Runs a program in the foreground of the terminal, as a shell does, and writes its exit status to a
# descriptor. A program that was stopped continues when Enter is pressed. Stays until it is killed, so
# that the terminal is not reset when the program ends.
SHELL = """
import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[2], sys.argv[2:])
while os.WIFSTOPPED(status := os.waitpid(child, os.WUNTRACED)[1]):
    os.tcsetpgrp(0, os.getpgrp())
    print("stopped", flush=True)
    sys.stdin.readline()
    os.tcsetpgrp(0, child)
    os.kill(child, signal.SIGCONT)
os.tcsetpgrp(0, os.getpgrp())
os.write(int(sys.argv[1]), b"%d" % os.waitstatus_to_exitcode(status))
signal.pause()
"""


class Terminal:
    """A program in a terminal."""

    def __init__(self, folder, *command, columns=80, rows=24, **environment):
        self.screen, self.changed = Screen(columns, rows), threading.Condition()
        self.screen.modes |= {"?7", "?25"}
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.screen.is_outdated = False
        self.before = self.settings()
        environment = {**ENVIRONMENT, "TERM": "xterm-256color", "PS1": "", **environment}
        self.ended, told = os.pipe()
        self.stop, self.stopper = os.pipe()
        self.shell = subprocess.Popen(
            ["/usr/bin/python3", "-c", SHELL, str(told), *map(str, command)], cwd=folder, env=environment,
            stdin=self.slave, stdout=self.slave, stderr=self.slave, start_new_session=True, pass_fds=[told],
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(told)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while self.stop not in select.select([self.master, self.stop], [], [])[0]:
            with contextlib.suppress(OSError):  # the shell has ended
                data = os.read(self.master, 1 << 16)
                with self.changed:
                    self.screen.feed(data)
                    self.changed.notify_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shell.kill()  # then the terminal sends SIGHUP to the program
        self.shell.wait()
        os.close(self.stopper)
        self.reader.join()
        for descriptor in (self.slave, self.ended, self.stop, self.master):
            os.close(descriptor)

    def signal(self, number):
        """Sends a signal to the program."""
        group = os.tcgetpgrp(self.master)
        assert group not in (0, os.getpgrp(), self.shell.pid), "the program does not run"
        os.killpg(group, number)

    def press(self, *keys):
        """Presses keys. A word that is no name of a key is typed."""
        os.write(self.master, b"".join(KEYS.get(key, key.encode()) for key in keys))

    def lines(self):
        return self.screen.lines()

    def text(self):
        return "\n".join(self.lines())

    def wait(self, what, is_so):
        """Waits until the value of `what()` fulfils a condition. Returns that value."""
        with self.changed:
            assert self.changed.wait_for(lambda: is_so(what()), PATIENCE_S), f"waited in vain; the screen is:\n{self.text()}"
            return what()

    def shows(self, *words):
        """Waits until all these words are on the screen."""
        return self.wait(self.text, lambda text: all(word in text for word in words))

    def lacks(self, word):
        return self.wait(self.text, lambda text: word not in text)

    def resize(self, columns, rows):
        with self.changed:
            self.screen.resize(columns, rows)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def settings(self):
        return termios.tcgetattr(self.slave)

    def status(self):
        """Waits for the end of the program. Returns its exit status."""
        assert select.select([self.ended], [], [], PATIENCE_S)[0], f"it does not end; the screen is:\n{self.text()}"
        return int(os.read(self.ended, 100))

    def assert_as_before(self):
        assert self.wait(lambda: self.screen.modes, lambda modes: modes == {"?7", "?25"})
        assert self.settings() == self.before

    def position(self):
        """The position in seconds, as the screen shows it."""
        found = re.search(r"(\d+):(\d\d\.\d) / ", self.text())
        return 60 * int(found[1]) + float(found[2]) if found else -1


def play(folder, *arguments, **options):
    """Starts the player in a terminal and waits for its first screen."""
    terminal = Terminal(folder, TOOL, "play", *arguments, **options)
    terminal.shows("q quit")
    return terminal


class SoundServer:
    """A PulseAudio server with a virtual output device that can be recorded."""

    def __init__(self, folder):
        self.address = f"unix:{folder}/native"
        home = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "PULSE_RUNTIME_PATH": str(folder)}
        self.environment = {**ENVIRONMENT, **home, "PULSE_SERVER": self.address}
        self.process = subprocess.Popen(
            [
                "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=yes",
                "-L", f"module-native-protocol-unix socket={folder}/native auth-anonymous=1",
                "-L", f"module-null-sink sink_name=heard rate={RATE} format=s16le channels=2",
            ],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait(self._is_up, bool)

    def _is_up(self):
        return subprocess.run(["pactl", "info"], env=self.environment, capture_output=True).returncode == 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)


class Recording:
    """Records the output of the device, and the time at which each part arrived."""

    def __init__(self, server):
        self.process = subprocess.Popen(
            ["parec", "-d", "heard.monitor", "--format=s16le", f"--rate={RATE}", "--channels=2", "--latency-msec=5"],
            env=server.environment, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.parts = []
        self.thread = threading.Thread(target=self._read)
        self.thread.start()
        wait(lambda: len(self.parts), bool)

    def _read(self):
        while part := self.process.stdout.read1(1 << 16):
            self.parts.append((time.monotonic(), part))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.thread.join()
        self.process.wait()

    def frames(self):
        """All frames that have been recorded so far."""
        data = b"".join(part for _, part in self.parts)
        return np.frombuffer(data[: len(data) // 4 * 4], "<i2").reshape(-1, 2)

    def sound(self):
        """The recording without the silence at its beginning and end."""
        frames = self.frames()
        (loud,) = np.nonzero(frames.any(axis=1))
        assert len(loud), "nothing was heard"
        return frames[loud[0] : loud[-1] + 1]

    def frames_until(self, moment):
        """Returns how many frames had been played at `moment`, a time of time.monotonic()."""
        moments, sizes = zip(*[(moment, len(part) // 4) for moment, part in self.parts])
        return int(np.interp(moment, moments, np.cumsum(sizes)))
