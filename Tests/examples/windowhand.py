# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uses the window of launch-examples as a blind user would: through the names of its buttons (AT-SPI), and by
mouse and keys, on a virtual display.

Must be run in `dbus-run-session`. Each wait lasts up to a minute, so that no test fails because the machine
is busy."""

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
    """Waits until the condition is true. Returns its last value."""
    end = time.monotonic() + TIMEOUT_S
    while not (result := is_so()):
        assert time.monotonic() < end, f"{what}: not within {TIMEOUT_S} s"
        time.sleep(0.05)
    return result


@contextmanager
def display(width=2200, height=1400):
    """Provides a separate display, which other tests do not use."""
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
    """Starts the window. `home` is a folder without the user's files."""

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
        """Returns the titles of the visible windows, with their X ids. While a window closes,
        AT-SPI must not be used to find it: see application()."""
        assert self.process.poll() is None, f"the window has ended with {self.process.returncode}"
        return {self.x("getwindowname", window): window for window in self.x("search", "--onlyvisible", "--pid", self.process.pid).split()}

    def x(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S).stdout.strip()

    def do(self, *words):
        subprocess.run(["xdotool", *words], check=True, timeout=TIMEOUT_S)

    # ---- reading the window ----

    def application(self):
        """Returns the AT-SPI object of the application. It is looked up only once, because GTK 4.8
        fails if all objects of an application are requested while a window closes."""
        desktop = Atspi.get_desktop(0)
        found = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
        ours = next((one for one in found if one and one.get_process_id() == self.process.pid), None)
        if ours:
            ours.set_cache_mask(Atspi.Cache.NONE)
        return ours

    def frames(self):
        """The window and its dialogs."""
        assert self.process.poll() is None, f"the window has ended with {self.process.returncode}"
        found = [self.reader.get_child_at_index(index) for index in range(self.reader.get_child_count())]
        return {frame.get_name(): frame for frame in found if frame}

    def frame(self, title="Retrograde"):
        """Waits for the frame: on a busy machine, AT-SPI leaves out a frame that does not answer in
        time."""
        return until(lambda: self.frames().get(title), f"the frame {title} answers")

    def each(self, pattern, role=None, within=None):
        for node in descendants(within or self.frame()):
            if re.fullmatch(pattern, node.get_name() or "") and role in (None, node.get_role_name()):
                yield node

    def all(self, *what):
        try:
            return list(self.each(*what))
        except GLib.Error:
            # A part of the window has been closed in the meantime. The caller tries again.
            return []

    def first(self, *what):
        try:
            return next(self.each(*what), None)
        except GLib.Error:
            return None

    def find(self, pattern, role=None, within=None):
        return until(lambda: self.first(pattern, role, within), f"{role or 'something'} “{pattern}”")

    def text(self, pattern, within=None):
        """The text of the label that matches this pattern."""
        return self.find(pattern, "label", within).get_name()

    def value(self, name, role):
        return self.find(name, role).get_value_iface().get_current_value()

    def is_on(self, name, role="push button"):
        states = self.find(name, role).get_state_set()
        return states.contains(Atspi.StateType.CHECKED) or states.contains(Atspi.StateType.PRESSED)

    # ---- actions ----

    def press(self, pattern, role="push button", within=None):
        self.find(pattern, role, within).get_action_iface().do_action(0)

    def flip(self, name):
        """Presses a toggle button, and waits until its state has changed. GTK first shows for a
        quarter of a second that the button is pressed."""
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

    def choose(self, name, choices, wanted):
        """Chooses from a menu with keys, because the position of the menu on the screen is not
        known."""
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
        """Returns the position of a point on the display. x and y are fractions of the size of
        `node`, which is a part of the window. The window is in the corner of the display."""
        inside = self.frame().get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        border = (self.width_and_height()[0] - inside.width) / 2
        here = node.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        return [str(round(border + start + part * length)) for start, part, length in ((here.x, x, here.width), (here.y, y, here.height))]

    def click(self, node):
        self.do("mousemove", *self.place(node), "click", "1")

    def drag(self, node, *points):
        """Drags along these points, and keeps the mouse button pressed."""
        first, *others = points
        self.do("mousemove", *self.place(node, *first), "mousedown", "1")
        for point in others:
            self.do("mousemove", *self.place(node, *point))

    def release(self):
        self.do("mouseup", "1")

    def drop(self, files, pattern):
        """Drags `files` from another window to this one. If a drag is faster than the communication
        between the windows, GTK cancels it. So the drag is repeated until a button that matches
        `pattern` appears."""
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
        """Types the name of a file in the dialog `word`, and accepts it. If the file exists, a
        window without a title asks whether to replace it."""
        dialog = self.dialog(word)
        if word == "Open":  # this key makes the dialog show an entry for names
            self.do("windowfocus", self.x_windows()[word])
            self.key("ctrl+l")
        until(lambda: self.is_accepted(word, path, dialog), "it takes the name")
        if word in self.x_windows():
            self.press(".*Replace", within=self.frame(""))
        self.gone(word)
        self.do("windowfocus", self.window)

    def is_accepted(self, word, path, dialog):
        """Types the name, and returns whether the dialog accepts it. While the dialog is still
        reading a folder, it discards the name, and the caller tries again."""
        self.find("Name:|GtkFileChooserEntry", "text", dialog).get_editable_text_iface().set_text_contents(str(path))
        self.press(f"{word} {word}", within=dialog)  # the second word is the label of the button
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
