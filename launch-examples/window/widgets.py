# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Buttons, and rows for files and for settings, which are properties of elements."""

import math
import os
import re
from functools import partial, reduce
from pathlib import Path

from gi.repository import Adw, GLib, GObject, Gtk

BOTH_WAYS = GObject.BindingFlags.SYNC_CREATE | GObject.BindingFlags.BIDIRECTIONAL
NUMBERS = {"rate": (0.1, 10, 0.05, 3), "semitones": (-24, 24, 1, 1)}
TITLES = {"rate": "Speed"}  # other rows have the nick of their property


def named(widget, name):
    """Names a widget for screen readers and for tests."""
    widget.update_property([Gtk.AccessibleProperty.LABEL], [name])
    return widget


def button(name, on_click, kind=Gtk.Button, **properties):
    """Makes a button. `name` is also its tooltip; keys in brackets are only in the tooltip."""
    made = kind(tooltip_text=name, focus_on_click=False, valign="center", **properties)
    made.connect("clicked", lambda _button: on_click())
    return named(made, name.split(" (")[0])


def show_playing(play, is_playing, title=""):
    """Makes a button show its next action: pause while playing, otherwise play."""
    play.set_icon_name(f"media-playback-{'pause' if is_playing else 'start'}-symbolic")
    named(play, f"{'Pause' if is_playing else 'Play'} {title}".strip())


def box(*children, orientation="vertical", **properties):
    made = Gtk.Box(orientation=orientation, **properties)
    for child in children:
        made.append(child)
    return made


def clock(seconds, digits=1):
    whole, part = divmod(int(seconds * 10**digits + 1e-6), 10**digits)
    return f"{whole // 60}:{whole % 60:02}.{part:0{digits}}"


def marker_entry(which, mark, say):
    """Makes an entry for the time of marker 0 or 1. It calls `mark`, or `say` with a sentence."""

    def enter(entry):
        text = entry.get_text()
        try:
            mark(which, reduce(lambda sum, it: 60 * sum + float(it), text.split(":"), 0))
        except ValueError:
            say(f"“{text}” is no time: write minutes and seconds, such as 1:15.5.")

    name = f"Marker {'AB'[which]}"
    made = Gtk.Entry(width_chars=8, max_width_chars=8, tooltip_text=name)
    made.connect("activate", enter)
    return named(made, name)


def path_of(text):
    """Returns a path that the tool has told. Bytes that are not UTF-8 are \\xNN there."""
    return Path(text) if "\\x" not in text or Path(text).exists() else Path(os.fsdecode(
        re.sub(rb"\\x(..)", lambda byte: bytes.fromhex(byte[1].decode()), text.encode())))


class Row(Adw.ActionRow):
    """A row for a file that `retrograde info` describes. Calls `play(row)`, `write(verb, row)`."""

    def __init__(self, information, play, write):
        super().__init__(activatable=True, use_markup=False)
        self.path, self.duration = path_of(information["input"]), information["duration"]
        self.channels, tags = information["channels"], information["tags"]
        self.fault = information.get("message")
        name = GLib.filename_display_basename(str(self.path))
        self.heading, self.artist = tags.get("title", name), tags.get("artist", "")
        facts = (self.artist, clock(self.duration), name if "title" in tags else None)
        self.set_properties(title=self.heading, subtitle=" · ".join(filter(None, facts)))
        self.set_properties(title_lines=2, subtitle_lines=1, tooltip_text=name)
        self.play = button("Play", partial(play, self), css_classes=["circular", "flat"])
        show_playing(self.play, False, self.heading)
        self.add_prefix(self.play)
        writers = box(spacing=3, valign="center", margin_top=6, margin_bottom=6)
        for verb in ("Reverse", "Scale"):
            act = partial(write, verb, self)
            writers.append(button(f"{verb} {self.heading}", act, label=f"{verb}…"))
        self.add_suffix(writers)


def menu(title, choices):
    names = Gtk.StringList.new([choice.capitalize() for choice in choices])
    return Adw.ComboRow(title=title, model=names, focus_on_click=False)


def setting(element, name):
    """Makes a row for a property, titled by its nick: a menu, a number or a switch."""
    spec = element.find_property(name)
    if spec.value_type.fundamental == GObject.TYPE_ENUM:
        choices = spec.enum_class.__enum_values__.values()
        row = menu(spec.nick, [choice.value_nick for choice in choices])
        element.bind_property(name, row, "selected", BOTH_WAYS)
        return row
    if name in NUMBERS:
        lower, upper, step, digits = NUMBERS[name]
        numbers = Gtk.Adjustment(lower=lower, upper=upper, step_increment=step)
        control, value = Gtk.SpinButton(adjustment=numbers, digits=digits), "value"
    else:
        control, value = Gtk.Switch(focus_on_click=False), "active"
    control.set_valign(Gtk.Align.CENTER)
    element.bind_property(name, control, value, BOTH_WAYS)
    title = TITLES.get(name, spec.nick)
    row = Adw.ActionRow(title=title, activatable_widget=control)  # names the control, too
    row.add_suffix(control)
    return row


def slider(timescale):
    """Makes a logarithmic slider for the speed: 1/2 and 2 are equally far from 1."""
    place = Gtk.Adjustment(lower=-1, upper=1, step_increment=0.01)
    there, back = lambda _, it: math.log10(it), lambda _, it: round(10**it, 3)
    timescale.bind_property("rate", place, "value", BOTH_WAYS, there, back)
    made = Gtk.Scale(adjustment=place, focus_on_click=False, margin_start=12, margin_end=12)
    for mark in (0.1, 0.2, 0.5, 1, 2, 5, 10):
        made.add_mark(math.log10(mark), Gtk.PositionType.BOTTOM, f"{mark:g}")
    return Adw.PreferencesRow(child=named(made, "Speed slider"), activatable=False)


def options(timescale):
    """Returns the settings of `timescale` as options of the tool."""
    names = ("factor", "semitones", "formants", "interpolation")
    values = [(name, timescale.get_property(name)) for name in names]
    keep_pitch = ["--keep-pitch"] * timescale.get_property("keep-pitch")
    return [f"--{name}={getattr(it, 'value_nick', it)}" for name, it in values] + keep_pitch


def shortcuts(window, keys):
    """Makes the window that lists the keys."""
    hand = ("j", "Backward, again: faster"), ("l", "Forward, again: faster"), ("k", "Pause")
    made = Adw.PreferencesWindow(title="Keys", transient_for=window, modal=True, default_height=800)
    page, group = Adw.PreferencesPage(), Adw.PreferencesGroup()
    for key, title, *_ in [*keys, *hand]:
        row = Adw.ActionRow(title=title)
        row.add_suffix(Gtk.ShortcutLabel(accelerator=key, valign="center"))
        group.add(row)
    page.add(group)
    made.add(page)
    return made
