#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A player that changes direction, scrubs, loops and scales while it plays, and writes files."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path

try:
    import gi

    for name, version in (("Adw", "1"), ("Gdk", "4.0"), ("Gst", "1.0"), ("Gtk", "4.0")):
        gi.require_version(name, version)
    import tool
    from gi.repository import Adw, Gdk, Gio, GLib, Gst, Gtk
    from remote import Remote
    from sound import Player
    from tape import Tape
    from waveform import Waveform
    from widgets import BOTH_WAYS, Row, box, button, clock, marker_entry, menu, named, options
    from widgets import setting, shortcuts, show_playing, slider
except (ImportError, ValueError) as error:
    sys.exit(f"retrograde-window.py: {error}: install the packages that its README.md lists.")

class Window(Adw.ApplicationWindow):
    def __init__(self, app, player, paths):
        super().__init__(application=app, title="Retrograde", default_width=960, default_height=860)
        self.player, self.rows, self.row = player, {}, None
        player.on_end, player.on_error = self.on_end, self.on_error
        self.revbuf, self.timescale = player["revbuf"], player["timescale"]
        self.timescale.set_property("keep-pitch", True)
        self.tape, self.remote = Tape(self), Remote(self)
        self.keys = (
            ("space", "Play, pause", self.toggle),
            ("r", "Change direction", lambda: self.ways[self.is_backward()].emit("clicked")),
            ("Left", "5 seconds back", lambda: self.scrub(self.wave.position - 5)),
            ("Right", "5 seconds forward", lambda: self.scrub(self.wave.position + 5)),
            ("comma", "Pause 40 ms back, a picture of a video", partial(self.tape.step, -0.04)),
            ("period", "Pause 40 ms forward", partial(self.tape.step, 0.04)),
            ("<Shift>l", "Loop: none, repeat, ping-pong", self.next_loop),
            ("a", "Loop from here", lambda: self.wave.mark(0, self.wave.position)),
            ("b", "Loop up to here", lambda: self.wave.mark(1, self.wave.position)),
            ("<Shift>a", "Loop from 10 ms earlier", lambda: self.wave.nudge(0, -0.01)),
            ("<Control>a", "Loop from 10 ms later", lambda: self.wave.nudge(0, 0.01)),
            ("<Shift>b", "Loop up to 10 ms earlier", lambda: self.wave.nudge(1, -0.01)),
            ("<Control>b", "Loop up to 10 ms later", lambda: self.wave.nudge(1, 0.01)),
            ("Escape", "Remove the loop markers", lambda: self.wave.set_markers(None)),
            ("<Control>plus", "Zoom in (or scroll in the waveform)", lambda: self.wave.zoom(0.5)),
            ("<Control>minus", "Zoom out", lambda: self.wave.zoom(2)),
            ("<Control>o", "Open files", self.choose_files),
            ("Delete", "Remove the selected file from the list", self.remove),
            ("<Control>question", "Show this list", lambda: shortcuts(self, self.keys).present()),
        )
        self.build()
        keys = Gtk.ShortcutController()  # after the control in focus: a slider keeps its arrows
        for key, _, act in self.keys:
            press = Gtk.CallbackAction.new(lambda *_, act=act: (act(), True)[1])
            keys.add_shortcut(Gtk.Shortcut.new(Gtk.ShortcutTrigger.parse_string(key), press))
        self.add_controller(keys)
        drop = Gtk.DropTarget.new(Gdk.FileList, Gdk.DragAction.COPY)
        drop.connect("drop", lambda _drop, files, *_: self.add(files.get_files()))
        self.add_controller(drop)
        GLib.timeout_add(40, self.refresh)  # ms
        self.add(map(Gio.File.new_for_commandline_arg, paths))

    def build(self):
        listed = button("Files", lambda: None, Gtk.ToggleButton, icon_name="view-list-symbolic")
        opener = button("Open (Ctrl+O)", self.choose_files, icon_name="document-open-symbolic")
        self.heading = Adw.WindowTitle(title="Retrograde")
        header = Adw.HeaderBar(title_widget=self.heading)
        skip, goes_on = "media-skip-forward-symbolic", "Play the next file at the end"
        self.goes_on = button(goes_on, lambda: None, Gtk.ToggleButton, icon_name=skip, active=True)
        for widget in (listed, opener, self.goes_on):
            header.pack_start(widget)
        self.files = Gtk.ListBox(css_classes=["navigation-sidebar"])
        self.files.set_placeholder(Gtk.Label(label="Open files, or drop them here"))
        self.files.connect("row-activated", lambda _list, row: self.open_row(row))
        shelf = Gtk.ScrolledWindow(child=self.files, width_request=360, css_classes=["background"])
        self.wave, self.progress = Waveform(self.tape.drag, self.on_markers), box()
        self.time = Gtk.Label(css_classes=["numeric"], hexpand=True, height_request=34)
        self.ends = [marker_entry(which, self.wave.mark, self.say) for which in (0, 1)]
        times = box(self.ends[0], self.time, self.ends[1], orientation="horizontal")
        player = box(self.wave, times, self.build_transport(), spacing=12)
        player.set_properties(margin_top=12, margin_start=12, margin_end=12)
        self.deck = box(player, self.build_settings(), self.progress, sensitive=False)
        self.flap = Adw.Flap(flap=shelf, content=self.deck, separator=Gtk.Separator())
        self.flap.bind_property("reveal-flap", listed, "active", BOTH_WAYS)
        self.toasts = Adw.ToastOverlay(child=self.flap, vexpand=True)
        self.set_content(box(header, self.toasts))

    def build_transport(self):
        self.play = Gtk.ToggleButton(css_classes=["circular", "suggested-action"], margin_start=6)
        self.play.connect("toggled", lambda _button: self.on_play())
        self.play.set_properties(width_request=56, height_request=56, focus_on_click=False)
        show_playing(self.play, False)
        turn = partial(partial, self.turn)
        backward = button("Play backward (R)", turn("reverse"), Gtk.ToggleButton, label="Backward")
        forward = button("Play forward (R)", turn("forward"), Gtk.ToggleButton, label="Forward")
        forward.set_properties(group=backward, active=True)
        self.ways, self.is_backward = (backward, forward), backward.get_active
        volume, root = Gtk.Adjustment(upper=1, step_increment=0.05), lambda _, it: it ** (1 / 3)
        fader, cube = self.player["volume"], lambda _, it: it**3  # as loudness is perceived
        fader.bind_property("volume", volume, "value", BOTH_WAYS, root, cube)
        loudness = Adw.Squeezer(homogeneous=False)  # shows the widest one that fits
        for width in (160, 36):
            scale = Gtk.Scale(adjustment=volume, width_request=width, focus_on_click=False)
            loudness.add(named(scale, "Volume"))
        writer = button("Export the sound as it plays", lambda: self.write("Change", self.row))
        writer.set_icon_name("document-save-as-symbolic")
        linked = box(*self.ways, orientation="horizontal", css_classes=["linked"], valign="center")
        transport = Gtk.CenterBox()
        transport.set_start_widget(linked)
        transport.set_center_widget(self.play)
        icon = Gtk.Image(icon_name="audio-volume-high-symbolic")
        transport.set_end_widget(box(icon, loudness, writer, orientation="horizontal"))
        return transport

    def turn(self, direction):
        # only another value is a request, and a ping-pong turns without one
        if self.revbuf.get_property("direction") != self.revbuf.get_property("current-direction"):
            other = "forward" if direction == "reverse" else "reverse"
            self.revbuf.set_property("direction", other)
        self.revbuf.set_property("direction", direction)

    def build_settings(self):
        names = ("rate", "keep-pitch", "formants", "semitones", "interpolation")
        self.speed, keep_pitch, *others = [setting(self.timescale, name) for name in names]
        self.loop, choices = setting(self.revbuf, "loop"), ["all", "first", "merged"]
        channels, mix = menu("Channels", choices), self.player.mix
        channels.connect("notify::selected", lambda row, _: mix(choices[row.get_selected()]))
        hint = "Drag in the strip above the waveform to loop a part. Ctrl+? shows the keys."
        page, group = Adw.PreferencesPage(vexpand=True), Adw.PreferencesGroup(description=hint)
        for row in (self.speed, slider(self.timescale), keep_pitch, self.loop, channels, *others):
            group.add(row)
        page.add(group)
        return page

    def say(self, sentence, label=None, on_click=None):
        words = Gtk.Label(label=sentence, wrap=True, xalign=0)  # a plain title would not wrap
        toast = Adw.Toast(timeout=20, custom_title=words, button_label=label, priority="high")
        toast.connect("button-clicked", lambda _toast: on_click())
        self.toasts.add_toast(toast)

    def choose(self, action, word, on_accept, path=None):
        """Shows a file dialog. `path` is the suggested name of a new file; None opens files."""
        self.dialog = Gtk.FileChooserNative.new(word, self, action, word, "Cancel")
        self.dialog.set_select_multiple(path is None)
        if path:
            self.dialog.set_current_folder(Gio.File.new_for_path(str(path.parent)))
            self.dialog.set_current_name(path.name)
        accept = Gtk.ResponseType.ACCEPT
        self.dialog.connect("response", lambda it, how: how == accept and on_accept(it.get_files()))
        self.dialog.show()

    def choose_files(self):
        self.choose(Gtk.FileChooserAction.OPEN, "Open", self.add)

    def add(self, files):
        """Adds files, and all files in folders, to the list. Returns whether there are any."""
        problems, paths = [], [file.get_path() for file in files if file.get_path()]
        if paths:
            command = ["info", "--json", "--", *paths]
            tool.run(command, partial(self.on_found, problems), lambda: self.say_all(problems))
        return bool(paths)

    def say_all(self, problems):
        names = ", ".join(problem.partition(": ")[0] for problem in problems)
        many = f"{len(problems)} files can't be played: {names}. " if len(problems) > 1 else ""
        if problems:
            self.say(many + problems[0])

    def on_found(self, problems, event):
        if "duration" not in event:
            return problems.append(event.get("message", "The duration of a file is not known."))
        row = Row(event, self.play_row, self.write)
        if row.path in self.rows:
            self.files.remove(self.rows[row.path])
        self.files.append(row)
        self.rows[row.path] = row
        self.flap.set_reveal_flap(not self.flap.get_folded())
        if not self.row:
            self.open_row(row)

    def open_row(self, row):
        self.row = row
        self.files.select_row(row)
        self.heading.set_properties(title=row.heading, subtitle=row.artist)
        self.deck.set_sensitive(True)
        self.wave.show_file(row.duration)
        self.wave.grab_focus()
        self.player.open(row.path, row.channels, self.start_of_play())
        self.on_markers()
        self.on_play()
        if row.fault:
            self.say(row.fault)
        count = min(max(2000, int(row.duration * 20)), 100_000)  # of 50 ms, but not for hours
        command = ["info", "--json", f"--peaks={count}", "--", row.path]
        tool.run(command, partial(self.on_peaks, row))

    def on_peaks(self, row, event):
        if row is self.row:
            self.wave.duration = row.duration = event.get("duration", row.duration)  # if it is cut
            self.wave.look_at(self.wave.first, self.wave.length)
            self.wave.peaks = event.get("peaks", [])
            self.wave.queue_draw()

    def remove(self):
        """Removes a file from the list: the one in focus, or the one that is open."""
        row = self.get_focus() if isinstance(self.get_focus(), Row) else self.row
        if self.rows.pop(row and row.path, None):
            self.files.remove(row)
        if row is self.row:
            self.play.set_active(False)
            self.player.close()
            self.row, left = None, list(self.rows.values())
            self.deck.set_sensitive(False)
            self.heading.set_properties(title="Retrograde", subtitle="")
            if left:
                self.open_row(left[0])

    def on_end(self, is_whole):
        self.play.set_active(False)
        if is_whole and self.goes_on.get_active():
            self.go(1)

    def neighbour(self, steps):
        rows = list(self.rows.values())
        place = rows.index(self.row) + steps if self.row in rows else -1
        return rows[place] if 0 <= place < len(rows) else None

    def go(self, steps):
        """Plays the next file, or the previous one, if there is one."""
        if row := self.neighbour(steps):
            self.play_row(row)

    def on_error(self, sentence, is_warning=False):
        if not (is_warning and self.row and self.row.fault):  # which was said before
            self.say(f"{self.row.path.name}: {sentence}" if self.row else sentence)

    def next_loop(self):
        self.loop.set_selected((self.loop.get_selected() + 1) % 3)

    def play_row(self, row):
        if row is self.row:
            return self.toggle()
        self.open_row(row)
        self.play.set_active(True)

    def toggle(self):
        if self.row:
            self.play.set_active(not self.play.get_active())

    def on_play(self):
        is_playing, end = self.play.get_active(), (self.row.duration, 0)[self.is_backward()]
        if is_playing and (self.player.ended or self.wave.position == end):
            self.player.seek(self.start_of_play())
        self.player.play(is_playing)
        show_playing(self.play, is_playing)
        for row in self.rows.values():
            show_playing(row.play, is_playing and row is self.row, row.heading)

    def start_of_play(self):
        return (self.wave.markers or (0, self.row.duration))[self.is_backward()]

    def scrub(self, seconds):
        self.player.seek(min(max(seconds, 0), self.wave.duration))

    def on_markers(self):
        """Loops the part between the markers. They turn a loop on, and without them it is off."""
        ends = [round(seconds * Gst.SECOND) for seconds in self.wave.markers or ()]
        for entry, seconds in zip(self.ends, self.wave.markers or (0, 0)):
            entry.set_properties(text=clock(seconds, 3), visible=bool(ends))
        if not ends and self.revbuf.get_property("loop-stop") != Gst.CLOCK_TIME_NONE:
            self.loop.set_selected(0)  # first, because a new loop begins at its start
        start, stop = ends or (0, Gst.CLOCK_TIME_NONE)
        self.revbuf.set_properties(loop_start=start, loop_stop=stop)
        if ends and not self.loop.get_selected():
            self.loop.set_selected(1)
        if not start <= self.player.position() * Gst.SECOND <= stop:
            self.player.seek(self.start_of_play())

    def refresh(self):
        self.wave.go_to(self.player.position())
        shown = f"{clock(self.wave.position)} / {clock(self.wave.duration)}{self.tape.pace()}"
        self.time.set_label(shown)
        lasts = self.wave.duration * self.timescale.get_property("factor")
        self.speed.set_subtitle(f"Lasts {clock(lasts)}")
        self.remote.tell()
        return GLib.SOURCE_CONTINUE

    def write(self, what, row):
        """Asks for a name, and writes the file (Reverse, Scale) or the played sound (Change)."""
        settings, markers = options(self.timescale), self.wave.markers
        part = ["--region={:.9f}-{:.9f}".format(*markers)] if markers else []
        word = "Export from A to B" if part and what == "Change" else "Export"
        played = ["reverse" if self.is_backward() else "scale", *settings, *part]
        edit = {"Reverse": ["reverse"], "Scale": ["scale", *settings], "Change": played}[what]
        path = row.path.with_stem(f"{row.path.stem}-{what.lower()}d")
        self.choose(Gtk.FileChooserAction.SAVE, word, partial(self.write_to, row, edit), path)

    def write_to(self, row, edit, files):
        target, folder = Path(files[0].get_path()), files[0].get_parent().get_uri()
        if target.exists() and self.row.path.exists() and target.samefile(self.row.path):
            return self.say(f"{target.name} is open here: choose another name.")

        def on_event(event):
            bar.set_fraction(event.get("fraction", 0))
            bar.set_text(f"{target.name}: {bar.get_fraction():.0%}")
            if event.get("event") == "finished":
                self.add(files)
                facts = [f"{target.name}: written.", *event["losses"], *event["notes"]]
                self.say(" ".join(facts), "Show folder", partial(Gtk.show_uri, self, folder, 0))
            elif "message" in event:
                self.say(event["message"])

        bar = Gtk.ProgressBar(show_text=True, hexpand=True, valign="center")
        settings = ["--json", "--force", f"--channels={self.player.mixed}"]
        command = [*edit, *settings, "-o", target, "--", row.path]
        run = tool.run(command, on_event, lambda: self.progress.remove(line))
        cancel = button("Cancel", run.terminate, label="Cancel")
        line = box(named(bar, f"Writing {target.name}"), cancel, orientation="horizontal")
        line.add_css_class("toolbar")
        self.progress.append(line)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--sink", default="autoaudiosink", help="elements as for gst-launch-1.0")
parser.add_argument("files", nargs="*", help="files, and folders of files")
words = parser.parse_args()
# do not use avdec_mp3: it dithers loud audio, so each decode returns different samples
os.environ.setdefault("GST_PLUGIN_FEATURE_RANK", "mpg123audiodec:PRIMARY")
if (built := Path(__file__).resolve().parents[2] / "build/gst-plugin").exists():
    os.environ.setdefault("GST_PLUGIN_PATH_1_0", str(built))
Gst.init([])
if not tool.PROGRAM:
    parser.exit(1, f"The tool is neither in {tool.BUILT} nor in PATH: run make tool.\n")
try:
    player = Player(words.sink)
except GLib.Error as error:
    folder = os.environ.get("GST_PLUGIN_PATH_1_0", built)
    where = f"neither in {folder} nor among the installed ones"
    parser.exit(1, f"{error.message}, {where}: run make build, or set GST_PLUGIN_PATH_1_0.\n")
app = Adw.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
app.connect("activate", lambda app: Window(app, player, words.files).present())
app.connect("shutdown", lambda _app: player.close())
sys.exit(app.run())
