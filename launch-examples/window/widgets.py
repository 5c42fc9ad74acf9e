# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Widgets that are made in many places."""

from gi.repository import Gtk


def named(widget, name):
    """For those who listen to the window, and for tests."""
    widget.update_property([Gtk.AccessibleProperty.LABEL], [name])
    return widget


def button(name, on_click, kind=Gtk.Button, **properties):
    """Its tooltip is its name; keys in brackets are for the tooltip alone."""
    made = kind(tooltip_text=name, focus_on_click=False, valign="center", **properties)
    made.connect("clicked", lambda _button: on_click())
    return named(made, name.split(" (")[0])


def show_playing(play, is_playing, title=""):
    """What the next click on this button does."""
    play.set_icon_name(f"media-playback-{'pause' if is_playing else 'start'}-symbolic")
    named(play, f"{'Pause' if is_playing else 'Play'} {title}".strip())


def box(*children, kind=Gtk.Box, **properties):
    made = kind(**properties)
    for child in children:
        made.append(child)
    return made


def clock(seconds):
    tenths = int(seconds * 10 + 1e-6)
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}"
