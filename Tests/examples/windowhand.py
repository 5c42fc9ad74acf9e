# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operates the window of launch-examples on a virtual display: through the accessible names of its
widgets (AT-SPI), and by mouse and keys.

Must be run in `dbus-run-session`. Each wait has a time limit of a minute, to suit busy machines."""

import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

WINDOW = Path(__file__).resolve().parents[2] / "launch-examples/window/retrograde-window.py"
TIMEOUT_S = 60


def until(is_so, what):
    """Calls `is_so()` until its value is true, and returns that value."""
    end = time.monotonic() + TIMEOUT_S
    while not (result := is_so()):
        assert time.monotonic() < end, f"{what}: not within {TIMEOUT_S} s"
        time.sleep(0.05)
    return result


@contextmanager
def display(width=2200, height=1400):
    """Starts a virtual display for this process alone."""
    command = ["Xvfb", "-displayfd", "1", "-nolisten", "tcp", "-screen", "0", f"{width}x{height}x24"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    os.environ["DISPLAY"] = f":{server.stdout.readline().decode().strip()}"
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def descendants(node):
    yield node
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child:
            yield from descendants(child)


class Hand:
    """A running window. `home` is used instead of the user's home folder."""

    def __init__(self, *arguments, home, size=(960, 760), scheme="light", **environment):
        settings = Path(home, ".config/gtk-4.0/settings.ini")
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text("[Settings]\ngtk-enable-animations=0\n")
        desktop = {"GSK_RENDERER": "cairo", "GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "memory", "GTK_A11Y": "atspi"}
        desktop |= {"HOME": str(home), "XDG_CONFIG_HOME": f"{home}/.config", "ADW_DEBUG_COLOR_SCHEME": f"prefer-{scheme}"}
        command = ["/usr/bin/python3", str(WINDOW), *map(str, arguments)]
        self.process = subprocess.Popen(command, env=os.environ | desktop | environment)
        self.reader = until(self.application, "the window tells of itself")
        until(lambda: "Retrograde" in self.frames(), "the window is there")
        self.window = until(lambda: self.x_windows().get("Retrograde"), "the window is on the display")
        self.do("windowsize", self.window, *map(str, size))
        self.do("windowmove", self.window, "0", "0")
        self.do("windowfocus", self.window)

    def x_windows(self):
        """Returns the titles of the visible windows, with their X ids. Safe while a window closes,
        unlike AT-SPI (see application())."""
        assert self.process.poll() is None, f"the window has ended with {self.process.returncode}"
        return {self.x("getwindowname", window): window for window in self.x("search", "--onlyvisible", "--pid", self.process.pid).split()}

    def x(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S).stdout.strip()

    def do(self, *words):
        subprocess.run(["xdotool", *words], check=True, timeout=TIMEOUT_S)

    # ---- reading the window ----

    def application(self):
        """Looks up the AT-SPI object of the application. Call only once: GTK 4.8 fails if the
        objects of an application are enumerated while a window closes."""
        desktop = Atspi.get_desktop(0)
        found = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
        ours = next((one for one in found if one and one.get_process_id() == self.process.pid), None)
        if ours:
            ours.set_cache_mask(Atspi.Cache.NONE)
        return ours

    def frames(self):
        """Returns the window and its dialogs by their titles."""
        assert self.process.poll() is None, f"the window has ended with {self.process.returncode}"
        found = [self.reader.get_child_at_index(index) for index in range(self.reader.get_child_count())]
        return {frame.get_name(): frame for frame in found if frame}

    def frame(self, title="Retrograde"):
        """Returns the window or dialog with this title. Waits for it, because AT-SPI leaves out a
        frame that does not answer in time."""
        return until(lambda: self.frames().get(title), f"the frame {title} answers")

    def each(self, pattern, role=None, within=None):
        for node in descendants(within or self.frame()):
            if re.fullmatch(pattern, node.get_name() or "") and role in (None, node.get_role_name()):
                yield node

    def all(self, *what):
        try:
            return list(self.each(*what))
        except GLib.Error:
            # a part of the window was closed in the meantime; the caller tries again
            return []

    def first(self, *what):
        try:
            return next(self.each(*what), None)
        except GLib.Error:
            return None

    def find(self, pattern, role=None, within=None):
        return until(lambda: self.first(pattern, role, within), f"{role or 'something'} “{pattern}”")

    def text(self, pattern, within=None):
        """Waits for a label that matches the pattern. Returns its text."""
        return self.find(pattern, "label", within).get_name()

    def value(self, name, role):
        return self.find(name, role).get_value_iface().get_current_value()

    def entered(self, name):
        entry = self.find(name, "text")
        return Atspi.Text.get_text(entry, 0, Atspi.Text.get_character_count(entry))

    def is_on(self, name, role="push button"):
        states = self.find(name, role).get_state_set()
        return states.contains(Atspi.StateType.CHECKED) or states.contains(Atspi.StateType.PRESSED)

    # ---- actions ----

    def press(self, pattern, role="push button", within=None):
        self.find(pattern, role, within).get_action_iface().do_action(0)

    def flip(self, name):
        """Presses a toggle button and waits for its new state, which GTK sets only after a quarter
        of a second."""
        was = self.is_on(name)
        self.press(name)
        until(lambda: self.is_on(name) != was, f"{name} has changed")

    def switch(self, name, on):
        if self.is_on(name, "check box") != on:
            self.find(name, "check box").get_action_iface().do_action(0)
        until(lambda: self.is_on(name, "check box") == on, f"{name} is {on}")

    def set(self, name, value, role="spin button"):
        self.find(name, role).get_value_iface().set_current_value(value)
        until(lambda: abs(self.value(name, role) - value) < 1e-6, f"{name} is {value}")

    def enter(self, name, text):
        """Types a text into an entry, in place of what is there."""
        self.click(self.find(name, "text"))
        self.do("key", "ctrl+a", "type", text)
        self.key("Return")

    def choose(self, name, choices, wanted):
        """Chooses `wanted` from a menu with `choices`, by keys, because the position of the open
        menu on the display is unknown."""
        self.click(self.find(name, "combo box"))
        until(lambda: len(self.all(choices[-1], "label", self.find(name, "combo box"))) > 0, f"the menu {name} is open")
        self.key("Home", *["Down"] * choices.index(wanted), "Return")
        until(lambda: self.chosen(name) == wanted and len(self.x_windows()) == 1, f"{name} is {wanted}")

    def chosen(self, name):
        labels = self.all(".+", "label", self.find(name, "combo box"))
        return labels[1].get_name()

    def key(self, *keys):
        self.do("key", *keys)

    def place(self, node, x=0.5, y=0.5):
        """Returns the position of a point of a widget on the display. The window is in the corner
        of the display. `x` and `y` are fractions of the widget's size."""
        inside = self.frame().get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        border = (self.width_and_height()[0] - inside.width) / 2
        here = node.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        return [str(round(border + start + part * length)) for start, part, length in ((here.x, x, here.width), (here.y, y, here.height))]

    def click(self, node):
        self.do("mousemove", *self.place(node), "click", "1")

    def drag(self, node, *points):
        """Drags along points of a widget, given as in place(), without releasing the mouse
        button."""
        first, *others = points
        self.do("mousemove", *self.place(node, *first), "mousedown", "1")
        self.move(node, *others)

    def move(self, node, *points):
        for point in points:
            self.do("mousemove", *self.place(node, *point))

    def release(self):
        self.do("mouseup", "1")

    def drop(self, files, pattern):
        """Drags `files` from another window to this one, repeatedly until a button that matches
        `pattern` appears: GTK cancels a drag that is faster than the messages between the
        windows."""
        command = ["/usr/bin/python3", str(Path(__file__).with_name("window_drag.py")), *map(str, files)]
        other = subprocess.Popen(command, env=os.environ | {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none"})
        try:
            until(lambda: self.x("search", "--onlyvisible", "--pid", other.pid), "the files to drag are there")
            self.do("windowmove", self.x("search", "--onlyvisible", "--pid", other.pid), "1200", "0")
            until(lambda: self.is_dropped(pattern), "the files are dropped")
        finally:
            other.kill()
            other.wait()

    def is_dropped(self, pattern):
        self.do("mousemove", "1300", "100", "mousedown", "1")
        for x in (1290, 1250, 900, 600, 500, 490):
            self.do("mousemove", str(x), "300", "sleep", "0.1")
        self.release()
        end = time.monotonic() + 3
        while not (found := self.first(pattern, "push button")) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def dialog(self, word):
        until(lambda: word in self.x_windows(), f"the dialog {word}")
        return self.frame(word)

    def gone(self, word):
        until(lambda: word not in self.x_windows(), f"the dialog {word} has gone")

    def accept(self, word, path):
        """Enters the name of a file in the dialog with the title `word`, accepts it, and agrees to
        replace an existing file."""
        dialog = self.dialog(word)
        if word == "Open":  # the key shows an entry for names
            self.do("windowfocus", self.x_windows()[word])
            self.key("ctrl+l")
        until(lambda: self.is_accepted(word, path, dialog), "it takes the name")
        if word in self.x_windows():
            self.press(".*Replace", within=self.frame(""))
        self.gone(word)
        self.do("windowfocus", self.window)

    def is_accepted(self, word, path, dialog):
        """Enters the name and presses the button. Returns whether the dialog has accepted the name.
        While the dialog reads a folder, it does not accept a name, and the caller must try
        again."""
        self.find("Name:|GtkFileChooserEntry", "text", dialog).get_editable_text_iface().set_text_contents(str(path))
        self.press(f"{word} {word}", within=dialog)  # the accessible name repeats the label
        end = time.monotonic() + 3
        while (windows := self.x_windows()) and word in windows and "" not in windows and time.monotonic() < end:
            time.sleep(0.05)
        return word not in windows or "" in windows

    def close(self):
        self.press("Close")
        self.process.wait(timeout=TIMEOUT_S)

    def width_and_height(self):
        return [int(number) for number in re.findall(r"(?:WIDTH|HEIGHT)=(\d+)", self.x("getwindowgeometry", "--shell", self.window))]

    def screenshot(self, path):
        size = "x".join(map(str, self.width_and_height()))
        command = ["ffmpeg", "-v", "error", "-y", "-f", "x11grab", "-draw_mouse", "0", "-video_size", size]
        subprocess.run([*command, "-i", os.environ["DISPLAY"], "-frames:v", "1", path], check=True)


if __name__ == "__main__":
    sys.exit(__doc__)
