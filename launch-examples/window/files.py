# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The list of files. Each row has the buttons to play, reverse and scale its file."""

from pathlib import Path

from gi.repository import GLib, Gtk
from widgets import VERTICAL, box, button, clock, named, text


class Row(Gtk.ListBoxRow):
    """A file, with the answer of `retrograde info`. `act` gets the row, and play, reverse or scale."""

    def __init__(self, information, act):
        super().__init__()
        self.path, self.information, self.duration = Path(information["input"]), information, information["duration"]
        self.name = GLib.filename_display_basename(str(self.path))
        self.title, self.artist = (information["tags"].get(tag) for tag in ("title", "artist"))
        self.title = self.title or self.name
        self.play = button(f"Play {self.title}", lambda: act(self, "play"), css_classes=["circular", "flat"])
        kind = self.path.suffix[1:].upper() if self.title == self.name else self.name
        facts = " · ".join(filter(None, [self.artist, clock(self.duration), kind]))
        words = box(text(self.title, "heading"), text(facts, "caption", "dim-label"), orientation=VERTICAL, hexpand=True)
        reverse = button("Write a reversed file, and verify it", lambda: act(self, "reverse"), label="Reverse…")
        scale = button("Write a file of the length that the factor sets", lambda: act(self, "scale"), label="Scale…")
        for part, verb in ((reverse, "Reverse"), (scale, "Scale")):
            part.add_css_class("caption")
            named(part, f"{verb} {self.title}")
        rest = box(words, box(reverse, scale, spacing=6), orientation=VERTICAL, spacing=6, margin_top=6, margin_bottom=6)
        self.set_child(box(self.play, rest, spacing=8))
        self.show_playing(False)

    def show_playing(self, is_playing):
        self.play.set_icon_name(f"media-playback-{'pause' if is_playing else 'start'}-symbolic")
        named(self.play, f"{'Pause' if is_playing else 'Play'} {self.title}")


class Files(Gtk.ListBox):
    def __init__(self, on_open, act):
        super().__init__(css_classes=["navigation-sidebar"])
        self.rows, self.act = [], act
        self.connect("row-activated", lambda _list, row: on_open(row))

    def add(self, information):
        """The new row; of a file that is there already, in the place that it had."""
        row = Row(information, self.act)
        place = next((place for place, old in enumerate(self.rows) if old.path == row.path), len(self.rows))
        for old in self.rows[place : place + 1]:
            self.remove(old)
        self.rows[place : place + 1] = [row]
        self.insert(row, place)
        return row

    def is_listed(self, path, spared):
        """Whether it is one of the files here, also through links, except for those of `spared`."""
        opened = [row.path for row in self.rows if row.path not in spared and row.path.exists()]
        return path.exists() and any(path.samefile(one) for one in opened)
