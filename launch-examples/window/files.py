# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The list of files. Each row has the buttons to play, reverse and scale its file."""

from functools import partial
from pathlib import Path

from gi.repository import GLib, Gtk
from widgets import box, button, clock, named, show_playing


class Row(Gtk.ListBoxRow):
    """A file, with the answer of `retrograde info`. `acts` gets the row: to play, reverse and scale it."""

    def __init__(self, information, acts):
        super().__init__()
        self.information, self.path, tags = information, Path(information["input"]), information["tags"]
        name = GLib.filename_display_basename(str(self.path))
        self.heading, self.artist = tags.get("title", name), tags.get("artist", "")
        facts = [self.artist, clock(information["duration"]), name if "title" in tags else self.path.suffix[1:].upper()]
        words = box(orientation="vertical", hexpand=True, margin_top=6, margin_bottom=6)
        for text, styles in ((self.heading, ["heading"]), (" · ".join(filter(None, facts)), ["caption", "dim-label"])):
            words.append(Gtk.Label(label=text, css_classes=styles, xalign=0, ellipsize="end"))
        play, reverse, scale = (partial(act, self) for act in acts)
        self.play = button("Play or pause", play, css_classes=["circular", "flat"])
        turned = button("Write a reversed file, and verify it", reverse, label="Reverse…", css_classes=["caption"])
        scaled = button("Write a file of the length that the factor sets", scale, label="Scale…", css_classes=["caption"])
        named(turned, f"Reverse {self.heading}")
        named(scaled, f"Scale {self.heading}")
        words.append(box(turned, scaled, spacing=6, margin_top=6))
        self.set_child(box(self.play, words, spacing=8))
        self.show_playing(False)

    def show_playing(self, is_playing):
        show_playing(self.play, is_playing, self.heading)


class Files(Gtk.ListBox):
    def __init__(self, on_open, acts):
        super().__init__(css_classes=["navigation-sidebar"])
        self.rows, self.acts = {}, acts
        self.connect("row-activated", lambda _list, row: on_open(row))

    def add(self, information):
        """The new row; of a file that is there already, in the place that it had."""
        row = Row(information, self.acts)
        old = self.rows.get(row.path)
        self.insert(row, old.get_index() if old else -1)
        if old:
            self.remove(old)
        self.rows[row.path] = row
        return row

    def is_listed(self, path, spared):
        """Whether it is one of the files here, also through links, except for those of `spared`."""
        return path.exists() and any(path.samefile(one) for one in self.rows.keys() - spared if one.exists())
