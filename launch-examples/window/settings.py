# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The settings. Those of the scaling are bound to properties of `timescale`, which keeps their values."""

import math

from gi.repository import Adw, GObject, Gtk
from widgets import box, button, clock, named

CHANNELS = {"all": "All", "first": "First alone", "merged": "Single, mixed"}
LOOPS = ["off", "file", "markers"]
BOTH_WAYS = GObject.BindingFlags.SYNC_CREATE | GObject.BindingFlags.BIDIRECTIONAL


def row(title, subtitle, control):
    """The row gives its name to the control."""
    control.set_valign(Gtk.Align.CENTER)
    made = Adw.ActionRow(title=title, subtitle=subtitle, activatable_widget=control)
    made.add_suffix(control)
    return made


def menu(title, names, on_change=lambda: None):
    made = Adw.ComboRow(title=title, model=Gtk.StringList.new(names), focus_on_click=False)
    made.connect("notify::selected", lambda *_: on_change())
    return made


def card(*rows):
    return box(*rows, kind=Gtk.ListBox, selection_mode="none", css_classes=["boxed-list"], valign="start")


def number(lower, upper, step, digits):
    return Gtk.SpinButton(adjustment=Gtk.Adjustment(lower=lower, upper=upper, step_increment=step), digits=digits)


def powers_of_ten(number):
    """A slider for it, where half and double lie at the same distance from 1."""
    place = Gtk.Adjustment(lower=-1, upper=1, step_increment=0.01)
    number.bind_property("value", place, "value", BOTH_WAYS, lambda _, value: math.log10(value), lambda _, place: 10**place)
    slider = Gtk.Scale(adjustment=place, margin_start=12, margin_end=12)
    for mark in (0.1, 0.2, 0.5, 1, 2, 5, 10):
        slider.add_mark(math.log10(mark), Gtk.PositionType.BOTTOM, f"{mark:g}")
    return slider


class Settings(Gtk.Box):
    """`on_loop` and `on_channels` are called after a change."""

    def __init__(self, timescale, on_loop, on_channels):
        super().__init__(orientation="vertical", spacing=12)
        self.timescale, self.on_loop = timescale, on_loop
        choices = timescale.find_property("interpolation").enum_class.__enum_values__.values()
        interpolation = menu("Interpolation", [choice.value_nick.capitalize() for choice in choices])
        factor, semitones = number(0.1, 10, 0.05, 3), number(-24, 24, 1, 1)
        keep, formants = Gtk.Switch(focus_on_click=False), Gtk.Switch(focus_on_click=False)
        for name, control, value, *changes in (
            ("factor", factor, "value", None, lambda _, value: round(value, 3)),
            ("semitones", semitones, "value", None, lambda _, value: round(value, 1)),
            ("keep-pitch", keep, "active"),
            ("formants", formants, "active", lambda _, choice: bool(choice), lambda _, is_on: int(is_on)),
            ("interpolation", interpolation, "selected"),
        ):
            timescale.bind_property(name, control, value, BOTH_WAYS, *changes)
        self.factor, slider = row("Factor", "", factor), named(powers_of_ten(factor), "Factor slider")
        self.loop = menu("Loop", [name.capitalize() for name in LOOPS], on_loop)
        self.ping_pong = button("Ping-pong (change direction at the ends of the loop)", self.on_ping_pong, Gtk.ToggleButton)
        self.ping_pong.set_properties(icon_name="object-flip-horizontal-symbolic", css_classes=["flat"])
        self.loop.add_suffix(self.ping_pong)
        self.channels = menu("Channels", list(CHANNELS.values()), on_channels)
        pitch = (
            row("Keep pitch", "Only the length changes", keep),
            row("Keep formants", "The voice stays the same", formants),
            row("Semitones", "Higher or lower", semitones),
        )
        columns = Gtk.FlowBox(selection_mode="none", max_children_per_line=2, homogeneous=True, column_spacing=12, row_spacing=12)
        for rows in (pitch, (self.loop, self.channels, interpolation)):
            columns.append(Gtk.FlowBoxChild(child=card(*rows), width_request=250, focusable=False))
        self.append(card(self.factor, Gtk.ListBoxRow(child=slider, activatable=False, focusable=False)))
        self.append(columns)

    def show_duration(self, seconds):
        self.factor.set_subtitle(f"Lasts {clock(seconds * self.timescale.get_property('factor'))}")

    def on_ping_pong(self):
        if self.ping_pong.get_active() and self.loop_kind() == "off":
            return self.loop.set_selected(LOOPS.index("file"))
        self.on_loop()

    def loop_kind(self):
        return LOOPS[self.loop.get_selected()]

    def channel_option(self):
        return f"--channels={list(CHANNELS)[self.channels.get_selected()]}"

    def scale_options(self):
        """The same as options of the tool."""
        value = self.timescale.get_property
        numbers = [f"--{name}={value(name)}" for name in ("factor", "semitones")]
        words = [f"--{name}={value(name).value_nick}" for name in ("formants", "interpolation")]
        return [*numbers, *words, *["--keep-pitch"] * value("keep-pitch"), self.channel_option()]
