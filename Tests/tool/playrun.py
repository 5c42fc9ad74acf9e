# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Helpers for the tests of the player: a terminal to press keys in and to read the screen of, and a
# virtual sound device to record.

import os
import re
import signal
import subprocess
import threading
import time

import numpy as np
from toolrun import ENVIRONMENT, TOOL

PATIENCE_S = 30  # time limit for events that take well under a second on an idle machine
RATE = 44100


def wait(what, is_there, seconds=PATIENCE_S):
    """Calls `what()` until `is_there()` accepts its value. Returns that value."""
    end = time.monotonic() + seconds
    while not is_there(value := what()):
        assert time.monotonic() < end, f"waited in vain; the last was:\n{value}"
        time.sleep(0.02)
    return value


class Terminal:
    """An interactive shell in tmux."""

    def __init__(self, folder, columns=80, rows=24, **environment):
        self.folder = folder
        self.socket = folder / "tmux"
        self.environment = {**ENVIRONMENT, "TERM": "screen-256color", "PS1": "$ ", **environment}
        self._tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, "bash --norc --noprofile")
        # Without the trap, the shell would drop the commands after the interrupted one when Ctrl-C
        # is pressed.
        self.run("trap : INT; ulimit -c 0")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tmux("kill-server")

    def _tmux(self, *arguments):
        command = ["tmux", "-S", self.socket, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=self.environment, cwd=self.folder).stdout

    def press(self, *keys):
        """Presses keys, given by their names in tmux. Any other word is typed."""
        self._tmux("send-keys", *keys)

    def press_bytes(self, *numbers):
        self._tmux("send-keys", "-H", *numbers)

    def text(self, *options):
        return self._tmux("capture-pane", "-p", *options)

    def lines(self):
        return self.text().splitlines()

    def shows(self, *words):
        """Waits until all these words are on the screen."""
        return wait(self.text, lambda text: all(word in text for word in words))

    def lacks(self, word):
        return wait(self.text, lambda text: word not in text)

    def resize(self, columns, rows):
        self._tmux("resize-window", "-x", columns, "-y", rows)

    def flag(self, name):
        return self._tmux("display-message", "-p", f"#{{{name}}}").strip()

    def run(self, command):
        """Types a command and returns its exit status."""
        self.start(command)
        return self.status()

    def start(self, command):
        (self.folder / "status").unlink(missing_ok=True)
        self.press("-l", f"{command}; echo $? > part; mv part status")
        self.press("Enter")

    def status(self):
        wait((self.folder / "status").exists, bool)
        return int((self.folder / "status").read_text())

    def settings(self):
        assert self.run("stty -a > settings") == 0
        return (self.folder / "settings").read_text()

    def play(self, *arguments):
        """Starts the player and waits for its first screen."""
        words = " ".join(f"'{word}'" for word in arguments)
        self.start(f"{TOOL} play {words}")
        self.shows("q quit")

    def process(self):
        """The process id of the player, found by its name among the children of the shell."""
        shell = self.flag("pane_pid")
        return int(subprocess.run(["pgrep", "-P", shell, "retrograde"], check=True, capture_output=True, text=True).stdout)

    def signal(self, number):
        os.kill(self.process(), number)

    def position(self):
        """The position in seconds, as the screen shows it."""
        minutes, seconds = re.search(r"(\d+):(\d\d\.\d) / ", self.text()).groups()
        return 60 * int(minutes) + float(seconds)


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
