#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: drive_window.py FILE… FOLDER

Drives the window of launch-examples by the mouse, on the display that is there, and
writes what came of it to FOLDER: the exported files, a screenshot, and what was seen as
JSON. The FILEs lie in FOLDER. Each step waits for what it has to bring about, and fails after a time-out."""

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

WINDOW = Path(__file__).resolve().parents[2] / "launch-examples/window/retrograde-window.py"
TIMEOUT_S = 40

sys.path.insert(0, str(WINDOW.parent))
spec = importlib.util.spec_from_file_location("window", WINDOW)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
Gio, GLib, Gtk = module.Gio, module.GLib, module.Gtk
RULER = module.RULER / 2 / 220  # the middle of the strip above the waveform, by its height


def until(is_so, what):
    """Lets the application work until it is so."""
    context, end = GLib.MainContext.default(), time.monotonic() + TIMEOUT_S
    ticking = GLib.timeout_add(10, lambda: True)  # wakes the context to look again
    try:
        while not is_so():
            assert time.monotonic() < end, f"{what}: not within {TIMEOUT_S} s"
            context.iteration(True)
    finally:
        GLib.source_remove(ticking)


class Hand:
    """The mouse, in coordinates of the window's widgets."""

    def __init__(self, window):
        self.window = window

    def place(self, widget, x=0.5, y=0.5):
        """A point of a widget, in fractions of its size, on the screen. There is no
        window manager: the window stands in the corner of the screen."""
        _, bounds = widget.compute_bounds(self.window)
        left, top = self.window.get_surface_transform()
        point = bounds.get_x() + x * bounds.get_width() + left, bounds.get_y() + y * bounds.get_height() + top
        return [str(round(value)) for value in point]

    def do(self, *words):
        self.window.get_display().sync()  # a window that was closed is no longer in the way
        process = subprocess.Popen(["xdotool", *words])
        until(lambda: process.poll() is not None, f"xdotool {words}")
        assert process.returncode == 0

    def click(self, widget):
        self.do("mousemove", *self.place(widget), "click", "1")

    def drag(self, widget, start, stop):
        """From one point to another, with a stop in between as a hand makes it; it keeps holding."""
        between = [(a + b) / 2 for a, b in zip(start, stop)]
        self.do("mousemove", *self.place(widget, *start), "mousedown", "1")
        self.do("mousemove", *self.place(widget, *between))
        self.do("mousemove", *self.place(widget, *stop))

    def release(self):
        self.do("mouseup", "1")


def open_files(application, files):
    """The first one as a command line names it, the others dropped."""
    application.register(None)
    window = module.Window(application, "fakesink sync=true", files[:1])
    window.present()
    until(lambda: window.player and not window.player.seeking, "the file is open")
    window.drop.emit("drop", module.Gdk.FileList.new_from_list(files[1:]), 1, 1)
    until(lambda: window.files.get_row_at_index(len(files) - 1), "the others are in the list")
    until(lambda: len(window.wave.peaks) >= module.COLUMNS - 2, "the waveform is there")
    until(lambda: window.get_surface().get_mapped() and window.wave.get_width() > 0, "the window is there")
    return window


def durations(window):
    rows = []
    while row := window.files.get_row_at_index(len(rows)):
        rows.append(row)
    return [(module.name_of(row.uri), row.duration) for row in rows]


def refuse(window, folder):
    """What it says of a file without sound."""
    text = folder / "text.wav"
    text.write_text("This is not audio.\n" * 100)
    window.add([Gio.File.new_for_path(str(text))])
    until(lambda: window.status.get_label(), "it says something")
    return window.status.get_label()


def play_and_turn(window, hand):
    wave = window.wave
    hand.click(window.play)
    until(lambda: wave.position > 0.5, "it plays")
    turned = wave.position
    hand.click(window.turn)
    until(lambda: wave.position < turned - 0.3, "it plays backwards")


def let_go(window, hand):
    """It plays from there. On a slow machine it may have ended before the drag began."""
    hand.release()
    if not window.play.get_active():
        hand.click(window.play)


def scrub(window, hand):
    wave = window.wave
    hand.drag(wave, (0.3, 0.7), (0.8, 0.7))
    until(lambda: wave.position > 0.7 * wave.duration, "it follows the hand")
    let_go(window, hand)
    until(lambda: wave.position < 0.7 * wave.duration, "it goes on backwards")


def loop(window, hand):
    """What was heard between the markers, through two passes."""
    wave, places = window.wave, []
    hand.drag(wave, (0.26, RULER), (0.46, RULER))
    hand.release()
    until(lambda: wave.markers and abs(wave.markers[1] - 0.46 * wave.duration) < 0.1, "the markers are set")
    hand.drag(wave, (0.42, 0.7), (0.4, 0.7))
    let_go(window, hand)
    until(lambda: places.append(wave.position) or rises(places) >= 2, "it repeats")
    start, stop = wave.markers
    inside = next(index for index, place in enumerate(places) if start <= place <= stop)
    return places[inside:]


def rises(places):
    """How often a place lies far behind the one before it: backwards, that is a new pass."""
    return sum(after - before > 0.5 for before, after in zip(places, places[1:]))


def slow_down(window, hand):
    hand.click(window.keep)
    track, width = window.octaves.get_range_rect(), window.octaves.get_width()
    ends = [((track.x + part * track.width) / width, 0.4) for part in (0.5, 0.3)]
    hand.drag(window.octaves, *ends)
    hand.release()
    until(lambda: 0.3 < window.settings()[1] < 0.7, "it is slower")
    until(lambda: window.settings()[2], "it keeps its pitch")


def undo(window, hand):
    hand.drag(window.wave, (0.5, RULER), (0.5, RULER))
    hand.release()
    until(lambda: window.wave.markers is None, "a click above the waveform takes the markers away")
    hand.click(window.keep)
    until(lambda: not window.settings()[2], "it does not keep its pitch")
    window.octaves.set_value(0)


def end(window, hand):
    hand.drag(window.wave, (0.2, 0.7), (0.02, 0.7))
    let_go(window, hand)
    until(lambda: window.player.ended and not window.play.get_active(), "it ends at the beginning")
    hand.click(window.play)
    until(lambda: window.wave.position > 0.5 * window.wave.duration, "it begins at the end again")


def run(files, folder):
    application = Gtk.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
    window = open_files(application, [Gio.File.new_for_path(str(file.resolve())) for file in files])
    os.chdir(folder)
    hand = Hand(window)
    seen = {"peaks": window.wave.peaks, "refusal": refuse(window, folder)}
    seen["durations"] = durations(window)
    play_and_turn(window, hand)
    scrub(window, hand)
    seen["heard"], seen["markers"] = loop(window, hand), window.wave.markers
    export(window, hand, folder / "loop.wav")
    slow_down(window, hand)
    screenshot(window, folder / "window.png")
    export(window, hand, folder / "slow.wav")
    seen["speed"] = window.settings()[1]  # after the click: all of the drag has arrived before it
    undo(window, hand)
    for name in ("whole.wav", "whole.flac", "whole.ogg", "whole.opus", "private.wav", "link.wav"):
        export(window, hand, folder / name)
    names = [*(file.name for file in files), "symbolic.wav", "hard.wav", "song.mp3", "song"]
    seen["refusals"] = {name: export(window, hand, folder / name) for name in names}
    end(window, hand)
    leave_while_writing(window, hand, folder / "left.wav")
    (folder / "seen.json").write_text(json.dumps(seen))


def export(window, hand, path):
    """What it says of it in the end."""
    accept(window, hand, path)
    until(lambda: not window.status.get_label().startswith("Writing"), f"{path.name} is written, or refused")
    return window.status.get_label()


def leave_while_writing(window, hand, path):
    hand.drag(window.octaves, (0.5, 0.4), (0.02, 0.4))  # it takes a while
    hand.release()
    accept(window, hand, path)
    assert window.status.get_label().startswith("Writing")
    window.close()


def accept(window, hand, path):
    """The button Export, the name in the dialog, and its own button. Its question whether to
    replace a file is one of the desktop, and answered with that."""
    hand.click(window.exporter)
    until(lambda: window.dialog and window.dialog.get_visible(), "the dialog is open")
    window.dialog.set_current_name(path.name)  # in the folder that is the current one
    until(lambda: chosen(window.dialog) == str(path), "the dialog has the name")
    window.dialog.emit("response", Gtk.ResponseType.ACCEPT)


def chosen(dialog):
    file = dialog.get_file()
    return file and file.get_path()


def screenshot(window, path):
    """By FFmpeg from the screen: GSK's nodes have no counterpart in Python."""
    surface = window.get_surface()
    window.say("")  # the name of a file that is there for the test alone
    place = window.wave.position
    until(lambda: window.wave.position != place, "it has drawn again")
    size = f"{surface.get_width()}x{surface.get_height()}"
    command = ["ffmpeg", "-v", "error", "-y", "-f", "x11grab", "-draw_mouse", "0", "-video_size", size]
    subprocess.run([*command, "-i", os.environ["DISPLAY"], "-frames:v", "1", path], check=True)


if __name__ == "__main__":
    # a callback of GTK or GStreamer that raises ends the process, too
    sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(1))
    *files, folder = (Path(word) for word in sys.argv[1:])
    run(files, folder.resolve())
