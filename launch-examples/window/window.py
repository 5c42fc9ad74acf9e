# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The window, and what its controls do."""

import os
from pathlib import Path

import tool
from files import Files
from gi.repository import Adw, Gdk, Gio, GLib, Gtk
from settings import BOTH_WAYS, CHANNELS, LOOPS, Settings
from sound import Peaks, Player
from waveform import Waveform
from widgets import box, button, clock, named, show_playing

REFRESH_MS = 40
SKIP_S = 5


class Window(Adw.ApplicationWindow):
    """Every control changes one setting, which the player gets immediately."""

    def __init__(self, application, sink):
        super().__init__(application=application, title="Retrograde", default_width=960, default_height=740)
        self.row, self.is_playing, self.way = None, False, "forward"
        self.runs, self.written = set(), set()
        self.player = Player(sink, lambda: self.set_playing(False), self.say)
        self.wave = Waveform(self.scrub, self.on_markers)
        self.peaks = Peaks(self.wave.queue_draw, self.say)
        self.settings = Settings(self.player["timescale"], self.apply_loop, self.apply_channels)
        self.files = Files(self.open_row, (self.play_row, self.reverse_row, self.scale_row))
        self.build()
        self.add_keys()
        drop = Gtk.DropTarget.new(Gdk.FileList, Gdk.DragAction.COPY)
        drop.connect("drop", lambda _target, files, *_: self.add([file.get_path() for file in files.get_files()]) or True)
        self.add_controller(drop)
        self.set_playing(False)
        GLib.timeout_add(REFRESH_MS, self.refresh)
        self.connect("close-request", lambda _window: self.close_all())

    def add_keys(self):
        """A control that has the focus and uses the key gets it instead."""
        loop, keys = self.settings.loop, Gtk.ShortcutController()
        for key, act in (
            ("<Control>o", self.choose_files),
            ("space", self.toggle),
            ("Left", lambda: self.scrub(self.wave.position - SKIP_S)),
            ("Right", lambda: self.scrub(self.wave.position + SKIP_S)),
            ("r", lambda: self.turn("forward" if self.way == "reverse" else "reverse")),
            ("l", lambda: loop.set_selected((loop.get_selected() + 1) % len(LOOPS))),
        ):
            action = Gtk.CallbackAction.new(lambda _window, _, act: act() or True, act)
            keys.add_shortcut(Gtk.Shortcut.new(Gtk.ShortcutTrigger.parse_string(key), action))
        self.add_controller(keys)

    # ---- what it looks like ----

    def build(self):
        self.heading, sidebar = Adw.WindowTitle(title="Retrograde"), Gtk.ToggleButton(icon_name="view-list-symbolic")
        sidebar.set_properties(tooltip_text="List of files", focus_on_click=False)
        self.exporter = button("Export the sound as it plays", self.export, icon_name="document-save-as-symbolic", sensitive=False)
        header = Adw.HeaderBar(title_widget=self.heading)
        header.pack_start(named(sidebar, "List of files"))
        header.pack_start(button("Open (Ctrl+O)", self.choose_files, icon_name="document-open-symbolic"))
        header.pack_end(self.exporter)
        opener = button("Open files", self.choose_files, label="Open…", css_classes=["pill", "suggested-action"], halign="center")
        empty = Adw.StatusPage(icon_name="media-playback-start-symbolic", title="Play a sound backwards", child=opener)
        empty.set_description("Open files, or drop them here")
        self.pages = Gtk.Stack(hexpand=True, width_request=340)
        self.pages.add_named(empty, "empty")
        self.pages.add_named(self.build_player(), "player")
        shelf = Gtk.ScrolledWindow(child=self.files, width_request=290, hscrollbar_policy="never", css_classes=["background"])
        self.flap = Adw.Flap(flap=shelf, content=self.pages, separator=Gtk.Separator(), reveal_flap=False, vexpand=True)
        self.flap.bind_property("reveal-flap", sidebar, "active", BOTH_WAYS)
        self.toasts = Adw.ToastOverlay(child=self.flap)
        self.set_content(box(header, self.toasts, orientation="vertical"))

    def build_player(self):
        self.time, self.progress = Gtk.Label(css_classes=["numeric"]), Gtk.Box(orientation="vertical")
        below = box(self.time, self.build_transport(), self.settings, orientation="vertical", spacing=12)
        whole = box(self.wave, Adw.Clamp(child=below, maximum_size=900), orientation="vertical", spacing=12)
        whole.set_properties(margin_top=12, margin_bottom=12, margin_start=12, margin_end=12)
        scrolled = Gtk.ScrolledWindow(child=whole, hscrollbar_policy="never", vexpand=True)
        return box(scrolled, self.progress, orientation="vertical")

    def build_transport(self):
        self.play = button("Play (Space)", self.toggle, halign="center", css_classes=["circular", "suggested-action"])
        self.play.set_properties(width_request=56, height_request=56, margin_start=6, margin_end=6)
        backward = button("Play backward (R)", lambda: self.turn("reverse"), Gtk.ToggleButton, label="Backward")
        forward = button("Play forward (R)", lambda: self.turn("forward"), Gtk.ToggleButton, label="Forward", active=True)
        backward.set_group(forward)
        self.ways = {"reverse": backward, "forward": forward}
        volume = Gtk.Adjustment(upper=1, step_increment=0.05)  # as the ear has it
        self.player["fader"].bind_property("volume", volume, "value", BOTH_WAYS, lambda _, value: value ** (1 / 3), lambda _, value: value**3)
        slider = named(Gtk.Scale(adjustment=volume, width_request=70, hexpand=True, tooltip_text="Volume"), "Volume")
        transport = Gtk.CenterBox()
        transport.set_start_widget(box(backward, forward, css_classes=["linked"], valign="center"))
        transport.set_center_widget(self.play)
        transport.set_end_widget(box(Gtk.Image.new_from_icon_name("audio-volume-high-symbolic"), slider))
        return transport

    def say(self, sentence, label=None, on_click=None):
        words = Gtk.Label(label=sentence, wrap=True, xalign=0)  # a title would be one line, and markup
        toast = Adw.Toast(timeout=8, custom_title=words, button_label=label, priority="high")
        toast.connect("button-clicked", lambda _toast: on_click())
        self.toasts.add_toast(toast)

    # ---- files ----

    def choose(self, action, word, on_accept, path=None):
        """`path` is what a new file may be called."""

        def on_response(dialog, response):
            if response == Gtk.ResponseType.ACCEPT:
                on_accept([Path(file.get_path()) for file in dialog.get_files()])
            dialog.destroy()

        self.dialog = Gtk.FileChooserNative.new(word, self, action, word, "Cancel")
        self.dialog.set_select_multiple(path is None)
        if path:
            self.dialog.set_current_folder(Gio.File.new_for_path(str(path.parent)))
            self.dialog.set_current_name(path.name)
        self.dialog.connect("response", on_response)
        self.dialog.show()

    def choose_files(self):
        self.choose(Gtk.FileChooserAction.OPEN, "Open", self.add)

    def add(self, paths):
        """Files and folders."""
        self.runs.add(tool.look(map(os.path.abspath, filter(None, paths)), self.on_found, self.say))

    def on_found(self, information):
        row = self.files.add(information)
        self.flap.set_reveal_flap(not self.flap.get_folded())
        if not self.row:
            self.open_row(row)

    def open_row(self, row, is_playing=None):
        self.row, duration = row, row.information["duration"]
        self.files.select_row(row)
        self.pages.set_visible_child_name("player")
        self.heading.set_properties(title=row.heading, subtitle=row.artist)
        self.exporter.set_sensitive(True)
        self.peaks.open(row.path, duration, row.information["rate"])
        self.player.open(row.path, row.information["channels"])
        self.wave.show_file(duration, self.peaks.values, self.peaks.count)
        self.wave.grab_focus()
        self.apply_channels()
        self.apply_loop()
        self.player.shown = self.start_of_play()
        self.set_playing(self.is_playing if is_playing is None else is_playing)

    def close_all(self):
        for job in (self.player, self.peaks, *self.runs):
            job.close()

    # ---- playing ----

    def toggle(self):
        self.set_playing(not self.is_playing)

    def set_playing(self, is_playing):
        self.is_playing = is_playing and self.row is not None
        if self.row:
            way_end = 0 if self.way == "reverse" else self.wave.duration
            if is_playing and (self.player.ended or self.wave.position == way_end):
                self.player.seek(self.start_of_play())
            self.player.play(is_playing)
        show_playing(self.play, self.is_playing)
        for row in self.files.rows.values():
            row.show_playing(self.is_playing and row is self.row)

    def start_of_play(self):
        start, stop = self.part() or (0, self.wave.duration)
        return stop if self.way == "reverse" else start

    def turn(self, way):
        self.way = way
        self.ways[way].set_active(True)
        self.player.turn(way)

    def scrub(self, seconds):
        if self.row:
            self.player.seek(min(max(seconds, 0), self.wave.duration))

    def refresh(self):
        if self.row:
            self.wave.show_position(self.player.position())
            self.time.set_label(f"{clock(self.wave.position)} / {clock(self.wave.duration)}")
            self.settings.show_duration(self.wave.duration)
        return GLib.SOURCE_CONTINUE

    def apply_channels(self):
        if self.row:
            self.player.set_channels(list(CHANNELS)[self.settings.channels.get_selected()])

    def part(self):
        """What is between the markers, if that loops."""
        return self.wave.markers if self.settings.loop_kind() == "markers" else None

    def apply_loop(self):
        kind, part, turns = self.settings.loop_kind(), self.part(), self.settings.ping_pong.get_active()
        if kind == "markers" and not part:
            self.say("Drag in the strip above the waveform to set the markers.")
        self.player.set_loop("none" if kind == "off" else "ping-pong" if turns else "repeat", part)
        if part and not part[0] <= self.player.position() <= part[1]:
            self.player.seek(self.start_of_play())

    def on_markers(self):
        """Who sets markers wants them heard."""
        wanted = LOOPS.index("markers" if self.wave.markers else "off")
        if self.settings.loop.get_selected() == wanted:
            return self.apply_loop()
        self.settings.loop.set_selected(wanted)

    # ---- writing ----

    def play_row(self, row):
        self.toggle() if row is self.row else self.open_row(row, True)

    def reverse_row(self, row):
        self.write(row, "reversed", ["reverse", "--verify", self.settings.channel_option()])

    def scale_row(self, row):
        self.write(row, "scaled", ["scale", *self.settings.scale_options()])

    def export(self):
        region = ["--region={:.9f}-{:.9f}".format(*self.part())] if self.part() else []
        command = "reverse" if self.way == "reverse" else "scale"
        self.write(self.row, "new", [command, *self.settings.scale_options(), *region])

    def write(self, row, word, edit):
        """To a name that is asked for."""
        path = row.path.with_stem(f"{row.path.stem}-{word}")
        self.choose(Gtk.FileChooserAction.SAVE, "Export", lambda paths: self.write_to(paths[0], row, edit), path)

    def write_to(self, target, row, edit):
        if self.files.is_listed(target, self.written - {self.row.path}):
            return self.say(f"{target.name} is open here: choose another name.")

        def on_end(is_written, sentence):
            self.progress.remove(line)
            if not is_written:
                return self.say(sentence)
            self.written.add(target)
            self.add([target])
            self.say(sentence, "Show folder", lambda: self.show_folder(target))

        bar = Gtk.ProgressBar(text=target.name, show_text=True, ellipsize="middle", hexpand=True, valign="center")
        run = tool.write(row.path, target, edit, bar.set_fraction, on_end)
        self.runs.add(run)
        line = box(named(bar, f"Writing {target.name}"), button("Cancel", run.close, label="Cancel"), css_classes=["toolbar"])
        self.progress.append(line)

    def show_folder(self, target):
        try:
            Gio.AppInfo.launch_default_for_uri(target.parent.as_uri())
        except GLib.Error as error:
            self.say(error.message)
