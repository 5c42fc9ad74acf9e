#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: retrograde-window.py [--sink=ELEMENTS] [FILE…]

A player that changes direction, scrubs, loops and scales while it plays, and writes the output to a file.
FILEs may be folders. ELEMENTS are as for gst-launch-1.0 (default: autoaudiosink)."""

import os
import sys
from pathlib import Path

try:
    import cairo  # noqa: F401
    import gi

    for name, version in (("Adw", "1"), ("Gdk", "4.0"), ("Gst", "1.0"), ("Gtk", "4.0"), ("PangoCairo", "1.0")):
        gi.require_version(name, version)
    from gi.repository import Adw, Gdk, Gio, GLib, Gst, Gtk
except (ImportError, ValueError) as error:
    sys.exit(f"retrograde-window.py: {error}: install gir1.2-adw-1, gir1.2-gstreamer-1.0, python3-gi and python3-gi-cairo")

# avdec_mp3 dithers what is loud: it decodes a file another way each time
os.environ.setdefault("GST_PLUGIN_FEATURE_RANK", "mpg123audiodec:PRIMARY")
BUILT = Path(__file__).resolve().parents[2] / "build/gst-plugin"
if BUILT.exists():
    os.environ.setdefault("GST_PLUGIN_PATH_1_0", str(BUILT))
Gst.init([])
import sound  # noqa: E402
import tool  # noqa: E402
from controls import LOOPS, Controls  # noqa: E402
from files import Files  # noqa: E402
from waveform import Waveform  # noqa: E402
from widgets import VERTICAL, box, button, clock, named, text  # noqa: E402

REFRESH_MS = 40
SKIP_S = 5


class Window(Adw.ApplicationWindow):
    """Every control changes one setting, which the player gets immediately."""

    def __init__(self, application, sink):
        super().__init__(application=application, title="Retrograde", default_width=960, default_height=740)
        self.sink, self.row, self.player, self.peaks, self.is_playing = sink, None, None, None, False
        self.runs, self.written, self.way = set(), set(), "forward"
        self.wave = Waveform(self.scrub, self.on_markers)
        self.controls = Controls(self.apply)
        self.files = Files(self.open_row, self.act)
        self.build()
        drop, keys = Gtk.DropTarget.new(Gdk.FileList, Gdk.DragAction.COPY), Gtk.EventControllerKey()
        drop.connect("drop", lambda _target, files, *_: self.add([file.get_path() for file in files.get_files()]))
        keys.connect("key-pressed", self.on_key)
        keys.set_propagation_phase(Gtk.PropagationPhase.CAPTURE)
        self.add_controller(drop)
        self.add_controller(keys)
        self.set_focus_visible(False)
        self.show_playing()
        GLib.timeout_add(REFRESH_MS, self.refresh)
        self.connect("close-request", lambda _window: self.close_all())

    # ---- what it looks like ----

    def build(self):
        self.heading, self.sidebar = Adw.WindowTitle(title="Retrograde"), Gtk.ToggleButton(icon_name="view-list-symbolic")
        header = Adw.HeaderBar(title_widget=self.heading)
        self.sidebar.set_properties(tooltip_text="List of files", focus_on_click=False)
        header.pack_start(named(self.sidebar, "List of files"))
        header.pack_start(button("Open (Ctrl+O)", self.choose_files, icon_name="document-open-symbolic"))
        self.exporter = button("Export the sound as it plays", self.export, icon_name="document-save-as-symbolic", sensitive=False)
        header.pack_end(self.exporter)
        opener = button("Open files", self.choose_files, halign=Gtk.Align.CENTER, label="Open…", css_classes=["pill", "suggested-action"])
        empty = Adw.StatusPage(icon_name="media-playback-start-symbolic", title="Play a sound backwards", child=opener)
        empty.set_description("Open files, or drop them here")
        self.pages = Gtk.Stack(hexpand=True, width_request=340)
        self.pages.add_named(empty, "empty")
        self.pages.add_named(self.build_player(), "player")
        shelf = Gtk.ScrolledWindow(child=self.files, width_request=290, hscrollbar_policy=Gtk.PolicyType.NEVER, css_classes=["background"])
        self.flap = Adw.Flap(flap=shelf, content=self.pages, separator=Gtk.Separator(), reveal_flap=False, vexpand=True)
        self.flap.bind_property("reveal-flap", self.sidebar, "active", 3)  # both ways, and now
        self.toasts = Adw.ToastOverlay(child=self.flap)
        self.set_content(box(header, self.toasts, orientation=VERTICAL))

    def build_player(self):
        self.time, self.progress = Gtk.Label(css_classes=["numeric"]), Gtk.Box(orientation=VERTICAL)
        below = box(self.time, self.build_transport(), self.controls, orientation=VERTICAL, spacing=12)
        whole = box(self.wave, Adw.Clamp(child=below, maximum_size=900), orientation=VERTICAL, spacing=12)
        whole.set_properties(margin_top=12, margin_bottom=12, margin_start=12, margin_end=12)
        scrolled = Gtk.ScrolledWindow(child=whole, hscrollbar_policy=Gtk.PolicyType.NEVER, vexpand=True)
        return box(scrolled, self.progress, orientation=VERTICAL)

    def build_transport(self):
        self.play = button("Play (Space)", self.toggle, halign=Gtk.Align.CENTER, css_classes=["circular", "suggested-action"])
        self.play.set_properties(width_request=56, height_request=56, margin_start=6, margin_end=6)
        self.backward = button("Play backward (R)", lambda: self.turn("reverse"), Gtk.ToggleButton, label="Backward")
        self.forward = button("Play forward (R)", lambda: self.turn("forward"), Gtk.ToggleButton, label="Forward", active=True)
        self.backward.set_group(self.forward)
        self.volume = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 1, 0.05)
        self.volume.set_properties(width_request=70, hexpand=True, tooltip_text="Volume")
        self.volume.set_value(1)
        self.volume.connect("value-changed", lambda _scale: self.apply("volume"))
        ways = box(self.backward, self.forward, css_classes=["linked"], valign=Gtk.Align.CENTER)
        loudness = box(Gtk.Image.new_from_icon_name("audio-volume-high-symbolic"), named(self.volume, "Volume"))
        transport = Gtk.CenterBox()
        transport.set_start_widget(ways)
        transport.set_center_widget(self.play)
        transport.set_end_widget(loudness)
        return transport

    def say(self, sentence, label=None, on_click=None):
        words = Gtk.Label(label=sentence, wrap=True, xalign=0)  # a title would be one line, and markup
        toast = Adw.Toast(timeout=8, custom_title=words, button_label=label, priority=Adw.ToastPriority.HIGH)
        if label:
            toast.connect("button-clicked", lambda _toast: on_click())
        self.toasts.add_toast(toast)

    # ---- files ----

    def choose(self, action, word, on_accept, folder=None, name=None):
        def on_response(dialog, response):
            if response == Gtk.ResponseType.ACCEPT:
                on_accept([Path(file.get_path()) for file in dialog.get_files()])
            dialog.destroy()

        self.dialog = Gtk.FileChooserNative.new(word, self, action, word, "Cancel")
        self.dialog.set_select_multiple(action == Gtk.FileChooserAction.OPEN)
        if name:
            self.dialog.set_current_folder(Gio.File.new_for_path(str(folder)))
            self.dialog.set_current_name(name)
        self.dialog.connect("response", on_response)
        self.dialog.show()

    def choose_files(self):
        self.choose(Gtk.FileChooserAction.OPEN, "Open", self.add)

    def add(self, paths):
        self.start(tool.look, map(os.path.abspath, filter(None, paths)), self.on_found, self.say)
        return True

    def start(self, job, *arguments):
        """The tool at work, which is ended with the window; None where there is none."""
        try:
            run = job(*arguments)
        except GLib.Error as error:
            return self.say(f"{error.message} Build the tool with make tool, or install it.")
        self.runs.add(run)
        return run

    def on_found(self, information):
        row = self.files.add(information)
        self.flap.set_reveal_flap(not self.flap.get_folded())
        if not self.row:
            self.open_row(row)

    def open_row(self, row, is_playing=None):
        self.close_file()
        self.row, information = row, row.information
        self.files.select_row(row)
        self.pages.set_visible_child_name("player")
        self.heading.set_properties(title=row.title, subtitle=row.artist or "")
        self.exporter.set_sensitive(True)
        try:
            self.peaks = sound.Peaks(row.path, row.duration, information["rate"], self.wave.queue_draw, self.say)
            self.player = sound.Player(row.path, information["channels"], self.sink, self.on_end, self.say)
        except (OSError, GLib.Error) as error:
            self.close_file()
            return self.say(f"{row.name}: {getattr(error, 'strerror', None) or error.message}")
        self.wave.show_file(row.duration, self.peaks.values, self.peaks.count)
        self.player.turn(self.way)
        for setting in ("scale", "channels", "volume", "loop"):
            self.apply(setting)
        self.player.shown = self.start_of_play()
        self.set_playing(self.is_playing if is_playing is None else is_playing)

    def close_file(self):
        for pipeline in filter(None, (self.player, self.peaks)):
            pipeline.close()
        self.player = self.peaks = None

    def close_all(self):
        self.close_file()
        for run in self.runs:
            run.cancel()

    # ---- playing ----

    def toggle(self):
        self.set_playing(not self.is_playing)

    def set_playing(self, is_playing):
        self.is_playing = is_playing and self.player is not None
        if self.player:
            if is_playing and self.player.has_nothing_left(self.way, self.row.duration):
                self.player.seek(self.start_of_play())
            self.player.play(is_playing)
        self.show_playing()

    def show_playing(self):
        self.play.set_icon_name(f"media-playback-{'pause' if self.is_playing else 'start'}-symbolic")
        named(self.play, "Pause" if self.is_playing else "Play")
        for row in self.files.rows:
            row.show_playing(self.is_playing and row is self.row)

    def start_of_play(self):
        start, stop = self.loop_ends()
        return stop if self.way == "reverse" else start

    def on_end(self):
        self.set_playing(False)

    def turn(self, way):
        self.way = way
        if self.player:
            self.player.turn(way)
            if self.player.ended:
                self.player.seek(self.start_of_play())

    def loop_ends(self):
        is_part = self.controls.loop_kind() == "markers" and self.wave.markers
        return self.wave.markers if is_part else (0, self.wave.duration)

    def apply(self, setting):
        if not self.player:
            return
        if setting == "scale":
            self.player.set_scale(self.controls.scale())
            self.controls.lasts.set_label(f"Lasts {clock(self.row.duration * self.controls.scale()['factor'])}")
        elif setting == "channels":
            self.player.set_channels(self.controls.channel_choice())
        elif setting == "volume":
            self.player.set_volume(self.volume.get_value())
        else:
            self.apply_loop()

    def apply_loop(self):
        kind, (start, stop) = self.controls.loop_kind(), self.loop_ends()
        if kind == "markers" and not self.wave.markers:
            self.say("Drag in the strip above the waveform to set the markers.")
        name = "none" if kind == "off" else "ping-pong" if self.controls.ping_pong.get_active() else "repeat"
        self.player.set_loop(name, start, stop if kind == "markers" and self.wave.markers else None)
        if kind == "markers" and not start <= self.player.position() <= stop:
            self.player.seek(self.start_of_play())

    def on_markers(self):
        """Who sets markers wants them heard."""
        wanted = LOOPS.index("markers" if self.wave.markers else "off")
        if self.controls.loop.get_selected() == wanted:
            return self.apply("loop")
        self.controls.loop.set_selected(wanted)

    def scrub(self, seconds):
        if self.player:
            self.player.seek(min(max(seconds, 0), self.row.duration))

    def on_key(self, _keys, key, _code, state):
        """Who types a number, or goes from control to control by Tab, needs the keys there."""
        focus, name = self.get_focus(), Gdk.keyval_name(key).lower()
        if state & Gdk.ModifierType.CONTROL_MASK:
            return name == "o" and (self.choose_files() or True)
        is_visited = self.get_focus_visible() and focus is not self.wave
        if isinstance(focus, Gtk.Text) or (is_visited and name not in ("r", "l")):
            return False
        actions = {
            "space": self.toggle,
            "left": lambda: self.scrub(self.wave.position - SKIP_S),
            "right": lambda: self.scrub(self.wave.position + SKIP_S),
            "r": lambda: (self.forward if self.way == "reverse" else self.backward).emit("clicked"),
            "l": lambda: self.controls.loop.set_selected((self.controls.loop.get_selected() + 1) % len(LOOPS)),
        }
        return name in actions and (actions[name]() or True)

    def refresh(self):
        if self.player:
            self.wave.position = min(max(self.player.position(), 0), self.row.duration)
            self.wave.queue_draw()
            self.time.set_label(f"{clock(self.wave.position)} / {clock(self.row.duration)}")
        return GLib.SOURCE_CONTINUE

    # ---- writing ----

    def act(self, row, what):
        """The buttons of a row."""
        if what == "play":
            return self.toggle() if row is self.row and self.player else self.open_row(row, True)
        channels = [f"--channels={self.controls.channel_choice()}"]
        edit = ["reverse", "--verify", *channels] if what == "reverse" else ["scale", *self.controls.options()]
        self.choose_target(row, edit, "reversed" if what == "reverse" else "scaled")

    def export(self):
        ends = self.loop_ends()
        part = [] if ends == (0, self.row.duration) else [f"--region={ends[0]:.9f}-{ends[1]:.9f}"]
        command = "reverse" if self.way == "reverse" else "scale"
        self.choose_target(self.row, [command, *self.controls.options(), *part], "new")

    def choose_target(self, row, edit, word):
        name = f"{row.path.stem}-{word}{row.path.suffix}"
        self.choose(Gtk.FileChooserAction.SAVE, "Export", lambda paths: self.write(row, edit, paths[0]), row.path.parent, name)

    def write(self, row, edit, target):
        if self.files.is_listed(target, self.written - {self.row.path}):
            return self.say(f"{target.name} is open here: choose another name.")
        bar = Gtk.ProgressBar(hexpand=True, valign=Gtk.Align.CENTER)

        def on_end(event, sentence):
            self.progress.remove(line)
            if event.get("event") == "finished":
                self.written.add(target)
                self.add([target])
                self.say(sentence, "Show folder", lambda: self.show_folder(target))
            else:
                self.say(sentence)

        run = self.start(tool.write, row.path, target, edit, bar.set_fraction, on_end)
        if run:
            line = box(text(target.name), named(bar, f"Writing {target.name}"), button("Cancel", run.cancel, label="Cancel"), spacing=12)
            line.set_properties(margin_top=6, margin_bottom=6, margin_start=12, margin_end=12)
            self.progress.append(line)

    def show_folder(self, target):
        try:
            Gio.AppInfo.launch_default_for_uri(target.parent.as_uri())
        except GLib.Error as error:
            self.say(error.message)


def main():
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    if any(not word.startswith("--sink=") for word in options):
        sys.exit(__doc__)
    if not Gst.ElementFactory.find("revbuf"):
        sys.exit("retrograde-window.py: GStreamer cannot find the plugin: install it, or set GST_PLUGIN_PATH_1_0 to its folder.")
    if not Gdk.Display.get_default():
        sys.exit("retrograde-window.py: there is no display: run it in a graphical session.")
    sink = options[-1].removeprefix("--sink=") if options else "autoaudiosink"
    files = [word for word in sys.argv[1:] if word not in options]

    def on_activate(application):
        window = Window(application, sink)
        window.present()
        if files:
            window.add(files)

    application = Adw.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.connect("activate", on_activate)
    return application.run()


if __name__ == "__main__":
    sys.exit(main())
