# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The settings: what can be chosen, and what is."""

import math

from gi.repository import Adw, Gst, Gtk
from widgets import VERTICAL, box, button, named, text

CHANNELS = {"all": "All", "first": "First alone", "merged": "Single, mixed"}
LOOPS = ["off", "file", "markers"]


def card(*rows):
    made = Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE, css_classes=["boxed-list"], valign=Gtk.Align.START)
    for row in rows:
        made.append(row)
    return made


def interpolations():
    """The names that the element has, and its default."""
    spec = Gst.ElementFactory.make("timescale").find_property("interpolation")
    return [value.value_nick for value in spec.enum_class.__enum_values__.values()], spec.default_value.value_nick


class Controls(Gtk.Box):
    """`on_change` gets the name of the setting that was changed: scale, loop or channels."""

    def __init__(self, on_change):
        super().__init__(orientation=VERTICAL, spacing=12)
        self.on_change = on_change
        self.names, default = interpolations()
        self.factor, self.lasts = Gtk.SpinButton.new_with_range(0.1, 10, 0.05), text("", "caption", "dim-label")
        self.semitones = Gtk.SpinButton.new_with_range(-24, 24, 1)
        self.semitones.set_properties(digits=1, value=0, valign=Gtk.Align.CENTER)
        self.semitones.connect("value-changed", lambda _spin: on_change("scale"))
        semitones = Adw.ActionRow(title="Semitones", subtitle="Higher or lower")
        semitones.add_suffix(named(self.semitones, "Semitones"))
        self.keep, keep = self.switch("Keep pitch", "Only the length changes")
        self.formants, formants = self.switch("Keep formants", "The voice stays the same")
        self.loop = self.menu("Loop", [name.capitalize() for name in LOOPS], "loop")
        self.ping_pong = button("Ping-pong (change direction at the ends of the loop)", self.on_ping_pong, Gtk.ToggleButton)
        self.ping_pong.set_properties(icon_name="object-flip-horizontal-symbolic", css_classes=["flat"])
        self.loop.add_suffix(self.ping_pong)
        self.channels = self.menu("Channels", list(CHANNELS.values()), "channels")
        self.interpolation = self.menu("Interpolation", [name.capitalize() for name in self.names], "scale")
        self.interpolation.set_selected(self.names.index(default))
        columns = Gtk.FlowBox(selection_mode=Gtk.SelectionMode.NONE, max_children_per_line=2, homogeneous=True)
        columns.set_properties(column_spacing=12, row_spacing=12)
        for column in (card(keep, formants, semitones), card(self.loop, self.channels, self.interpolation)):
            column.set_size_request(250, -1)
            columns.append(Gtk.FlowBoxChild(child=column, focusable=False))
        self.append(card(self.build_factor()))
        self.append(columns)

    def build_factor(self):
        """The number, and a slider in powers of ten: half and double lie at the same distance from 1."""
        self.factor.set_properties(digits=3, value=1, valign=Gtk.Align.CENTER)
        self.slider = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, -1, 1, 0.01)
        self.slider.set_value(0)
        for mark in (0.1, 0.2, 0.5, 1, 2, 5, 10):
            self.slider.add_mark(math.log10(mark), Gtk.PositionType.BOTTOM, f"{mark:g}")
        self.slider.connect("value-changed", lambda slider: self.factor.set_value(10 ** slider.get_value()))
        self.factor.connect("value-changed", self.on_factor)
        words = box(text("Factor"), self.lasts, orientation=VERTICAL, hexpand=True)
        top = box(words, named(self.factor, "Factor"))
        whole = box(top, named(self.slider, "Factor slider"), orientation=VERTICAL, spacing=6)
        whole.set_properties(margin_top=8, margin_bottom=8, margin_start=12, margin_end=12)
        return Gtk.ListBoxRow(child=whole, activatable=False, focusable=False)

    def switch(self, title, subtitle):
        switch = Gtk.Switch(valign=Gtk.Align.CENTER, focus_on_click=False)
        switch.connect("notify::active", lambda *_: self.on_change("scale"))
        row = Adw.ActionRow(title=title, subtitle=subtitle, activatable_widget=switch)
        row.add_suffix(switch)  # which has the name of the row
        return switch, row

    def menu(self, title, names, change):
        row = Adw.ComboRow(title=title, model=Gtk.StringList.new(names))
        row.connect("notify::selected", lambda *_: self.on_change(change))
        return row

    def on_factor(self, spin):
        place = math.log10(spin.get_value())
        if abs(self.slider.get_value() - place) > 0.0025:  # it is no finer than the number
            self.slider.set_value(place)
        self.on_change("scale")

    def on_ping_pong(self):
        if self.ping_pong.get_active() and self.loop_kind() == "off":
            return self.loop.set_selected(LOOPS.index("file"))
        self.on_change("loop")

    def loop_kind(self):
        return LOOPS[self.loop.get_selected()]

    def channel_choice(self):
        return list(CHANNELS)[self.channels.get_selected()]

    def scale(self):
        """As properties of the element."""
        return {
            "factor": round(self.factor.get_value(), 3),
            "keep-pitch": self.keep.get_active(),
            "semitones": round(self.semitones.get_value(), 1),
            "formants": "keep" if self.formants.get_active() else "follow",
            "interpolation": self.names[self.interpolation.get_selected()],
        }

    def options(self):
        """The same as options of the tool, and the channels."""
        scale = self.scale() | {"channels": self.channel_choice()}
        keep_pitch = ["--keep-pitch"] if scale.pop("keep-pitch") else []
        return [*(f"--{name}={value}" for name, value in scale.items()), *keep_pitch]
