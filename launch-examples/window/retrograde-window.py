#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: retrograde-window.py [--sink=ELEMENTS] [FILE…]

A small player: open or drop files, play them, turn around, drag in the waveform to
scrub and in the strip above it to set loop markers, change the speed with or without
the pitch, and write what is heard to a file. ELEMENTS are as for gst-launch-1.0
(default: autoaudiosink)."""

import os
import sys
from pathlib import Path

try:
    import gi

    for name, version in (("Gtk", "4.0"), ("Gdk", "4.0"), ("Graphene", "1.0"), ("Gst", "1.0"), ("GstPbutils", "1.0")):
        gi.require_version(name, version)
    from gi.repository import Gdk, Gio, GLib, Graphene, Gst, GstPbutils, Gtk
except (ImportError, ValueError) as error:
    sys.exit(f"retrograde-window.py: {error}: install python3-gi, gir1.2-gtk-4.0 and gir1.2-gst-plugins-base-1.0")

# avdec_mp3 dithers what is loud: it decodes a file another way each time
os.environ.setdefault("GST_PLUGIN_FEATURE_RANK", "mpg123audiodec:PRIMARY")
Gst.init([])
import sound  # noqa: E402

REFRESH_MS = 40
COLUMNS = 600
RULER = 24


def clock(seconds):
    return f"{int(seconds // 60)}:{seconds % 60:04.1f}"


def name_of(uri):
    return Path(GLib.filename_from_uri(uri)[0]).name


def is_file(path, uri):
    """Whether both name one file, also through links."""
    opened = GLib.filename_from_uri(uri)[0]
    return os.path.exists(path) and os.path.exists(opened) and os.path.samefile(path, opened)


def colour(text):
    rgba = Gdk.RGBA()
    rgba.parse(text)
    return rgba


class Wave(Gtk.Widget):
    """The waveform. A drag in it scrubs; a drag in the strip above it sets the markers."""

    HEARD, AHEAD, HEAD = colour("#3584e4"), colour("#99c1f1"), colour("#e01b24")
    LOOP, STRIP = colour("rgba(246,211,45,0.35)"), colour("rgba(128,128,128,0.2)")

    def __init__(self, on_scrub, on_markers):
        super().__init__(hexpand=True, vexpand=True, width_request=560, height_request=220)
        self.on_scrub, self.on_markers = on_scrub, on_markers
        self.show_file(0.0, [])
        drag = Gtk.GestureDrag()
        drag.connect("drag-begin", self.on_drag)
        drag.connect("drag-update", self.on_drag)
        self.add_controller(drag)

    def show_file(self, duration, peaks):
        self.duration, self.peaks, self.position, self.markers = duration, peaks, 0.0, None

    def seconds_at(self, x):
        return min(max(x / self.get_width(), 0), 1) * self.duration

    def on_drag(self, gesture, *_):
        _, x, y = gesture.get_start_point()
        here = x + gesture.get_offset()[1]
        if y > RULER:
            self.on_scrub(self.seconds_at(here))
        else:
            ends = sorted((self.seconds_at(x), self.seconds_at(here)))
            self.markers = ends if abs(here - x) > 3 and self.duration else None
            self.on_markers()

    def do_snapshot(self, snapshot):
        def bar(rgba, x, y, bar_width, bar_height):
            snapshot.append_color(rgba, Graphene.Rect().init(x, y, bar_width, bar_height))

        width, height = self.get_width(), self.get_height()
        scale, step = width / (self.duration or 1), width / COLUMNS
        bar(self.STRIP, 0, 0, width, RULER)
        if self.markers:
            start, stop = self.markers
            bar(self.LOOP, start * scale, 0, (stop - start) * scale, height)
        for column, peak in enumerate(self.peaks[:COLUMNS]):
            half = max(peak * (height - RULER) / 2, 0.5)
            rgba = self.HEARD if column * step < self.position * scale else self.AHEAD
            bar(rgba, column * step, (RULER + height) / 2 - half, 0.8 * step, 2 * half)
        bar(self.HEAD, self.position * scale - 1, 0, 2, height)


class Window(Gtk.ApplicationWindow):
    """Every control changes one setting, and `apply` hands all of them to the player."""

    def __init__(self, application, sink, files):
        super().__init__(application=application, title="Retrograde", default_width=960)
        self.sink = sink
        self.player = self.peaks = self.dialog = self.uri = None
        self.uris, self.exports = set(), set()
        self.discoverer = GstPbutils.Discoverer.new(10 * Gst.SECOND)
        self.discoverer.connect("discovered", self.on_discovered)
        self.discoverer.start()
        self.build()
        self.drop = Gtk.DropTarget.new(Gdk.FileList, Gdk.DragAction.COPY)
        self.drop.connect("drop", lambda _target, files, *_: self.add(files.get_files()))
        self.add_controller(self.drop)
        GLib.timeout_add(REFRESH_MS, self.refresh)
        self.connect("close-request", lambda _window: self.close_all())
        self.add(files)

    def build(self):
        self.files = Gtk.ListBox()
        self.files.connect("row-activated", lambda _list, row: self.open_file(row))
        self.files.set_placeholder(Gtk.Label(label="Open or drop files"))
        self.wave = Wave(lambda seconds: self.player and self.player.seek(seconds), self.apply)
        self.status = Gtk.Label(xalign=0, ellipsize=3)
        side = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
        side.props.margin_top = side.props.margin_bottom = side.props.margin_start = side.props.margin_end = 8
        for part in (self.wave, self.build_controls(), self.status):
            side.append(part)
        shelf = Gtk.ScrolledWindow(child=self.files, width_request=240)
        self.set_child(Gtk.Paned(start_child=shelf, end_child=side, shrink_start_child=False, shrink_end_child=False))
        header = Gtk.HeaderBar()
        self.opener, self.exporter = Gtk.Button(label="Open…"), Gtk.Button(label="Export…")
        self.opener.connect("clicked", lambda _button: self.choose_files())
        self.exporter.connect("clicked", lambda _button: self.choose_target())
        header.pack_start(self.opener)
        header.pack_end(self.exporter)
        self.set_titlebar(header)

    def build_controls(self):
        self.play, self.turn = Gtk.ToggleButton(label="Play"), Gtk.ToggleButton(label="Backwards")
        self.keep, self.time = Gtk.ToggleButton(label="Keep pitch"), Gtk.Label(width_chars=15)
        self.loop = Gtk.DropDown.new_from_strings(["Loop: repeat", "Loop: ping-pong"])
        # octaves, so that half and double lie at the same distance from 1
        self.octaves = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, -2, 2, 0.01)
        self.octaves.set_properties(hexpand=True, draw_value=True, value_pos=Gtk.PositionType.RIGHT)
        self.octaves.set_format_value_func(lambda _scale, octaves: f"{2**octaves:.2f} ×")
        self.octaves.set_value(0)
        self.play.connect("toggled", lambda button: self.set_playing(button.get_active()))
        signals = {self.turn: "toggled", self.keep: "toggled", self.loop: "notify::selected", self.octaves: "value-changed"}
        for control, signal in signals.items():
            control.connect(signal, self.apply)
        controls = Gtk.Box(spacing=6)
        for part in (self.play, self.turn, self.loop, self.octaves, self.keep, self.time):
            controls.append(part)
        return controls

    def choose(self, action, word, on_accept):
        def on_response(dialog, response):
            if response == Gtk.ResponseType.ACCEPT:
                on_accept(list(dialog.get_files()))
            dialog.destroy()

        self.dialog = Gtk.FileChooserNative.new(word, self, action, word, "Cancel")
        self.dialog.connect("response", on_response)
        self.dialog.show()

    def choose_files(self):
        self.choose(Gtk.FileChooserAction.OPEN, "Open", self.add)
        self.dialog.set_select_multiple(True)

    def choose_target(self):
        if self.uri:
            self.choose(Gtk.FileChooserAction.SAVE, "Export", lambda files: self.write(files[0].get_path()))
            self.dialog.set_current_name(f"{Path(name_of(self.uri)).stem}-new.wav")

    def add(self, files):
        for file in files:
            self.discoverer.discover_uri_async(file.get_uri())
        return True

    def on_discovered(self, _discoverer, information, error):
        uri = information.get_uri()
        if error or not information.get_audio_streams():
            return self.say(f"{name_of(uri)}: {error.message if error else 'there is no sound in it.'}")
        row = Gtk.ListBoxRow(child=Gtk.Box(spacing=12))
        row.uri, row.duration = uri, information.get_duration() / Gst.SECOND
        row.get_child().append(Gtk.Label(label=name_of(uri), xalign=0, hexpand=True, ellipsize=3))
        row.get_child().append(Gtk.Label(label=clock(row.duration)))
        self.files.append(row)
        self.uris.add(uri)
        if not self.uri:
            self.files.select_row(row)
            self.open_file(row)

    def open_file(self, row):
        self.close_file()
        self.uri = row.uri
        self.player = sound.Player(row.uri, self.sink, lambda: self.play.set_active(False), self.say)
        self.peaks = sound.Peaks(row.uri, max(row.duration / COLUMNS, 0.001), self.wave.queue_draw, self.say)
        self.wave.show_file(row.duration, self.peaks.values)
        self.set_title(name_of(row.uri))
        self.apply()
        self.set_playing(self.play.get_active())

    def close_file(self):
        for pipeline in filter(None, (self.player, self.peaks)):
            pipeline.close()
        self.player = self.peaks = None

    def close_all(self):
        self.close_file()
        while self.exports:
            self.exports.pop().close()

    def set_playing(self, playing):
        if self.player:
            if playing and self.player.ended:
                self.player.seek(self.wave.duration if self.turn.get_active() else 0)
            self.player.bin.set_state(Gst.State.PLAYING if playing else Gst.State.PAUSED)

    def settings(self):
        """Direction, speed, whether the pitch is kept, and the markers."""
        direction = "reverse" if self.turn.get_active() else "forward"
        return direction, 2 ** self.octaves.get_value(), self.keep.get_active(), self.wave.markers

    def apply(self, *_):
        if self.player:
            direction, speed, keep_pitch, markers = self.settings()
            self.player.set_direction(direction)
            self.player.set_speed(speed, keep_pitch)
            kind = ["repeat", "ping-pong"][self.loop.get_selected()]
            self.player.set_loop(kind if markers else "none", markers or (0, self.wave.duration))

    def write(self, path):
        def on_done(sentence):
            self.exports.discard(export)
            self.say(sentence)

        if any(is_file(path, uri) for uri in self.uris):
            return self.say(f"{path} is open here: choose another name.")
        try:
            export = sound.Export(self.uri, path, self.settings(), on_done)
        except (OSError, ValueError, GLib.Error) as error:
            reason = getattr(error, "strerror", None) or getattr(error, "message", error)
            return self.say(f"{path}: {reason}")
        self.exports.add(export)
        self.say(f"Writing {path} …")

    def say(self, sentence):
        self.status.set_label(sentence)

    def refresh(self):
        if self.player:
            position = min(self.player.position(), self.wave.duration)
            if position != self.wave.position:
                self.wave.position = position
                self.wave.queue_draw()
                self.time.set_label(f"{clock(position)} / {clock(self.wave.duration)}")
        return GLib.SOURCE_CONTINUE


def main():
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    if any(not word.startswith("--sink=") for word in options):
        sys.exit(__doc__)
    if not Gst.ElementFactory.find("revbuf"):
        sys.exit("retrograde-window.py: GStreamer does not find the plugin: is GST_PLUGIN_PATH_1_0 set?")
    sink = options[-1].removeprefix("--sink=") if options else "autoaudiosink"
    files = [Gio.File.new_for_commandline_arg(word) for word in sys.argv[1:] if word not in options]
    application = Gtk.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.connect("activate", lambda application: Window(application, sink, files).present())
    return application.run()


if __name__ == "__main__":
    sys.exit(main())
