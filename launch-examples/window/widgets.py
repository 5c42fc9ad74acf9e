# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Widgets that are made in many places."""

from gi.repository import Gtk, Pango

VERTICAL = Gtk.Orientation.VERTICAL


def named(widget, name):
    """For those who listen to the window, and for tests."""
    widget.update_property([Gtk.AccessibleProperty.LABEL], [name])
    return widget


def button(name, on_click, kind=Gtk.Button, **properties):
    """Its tooltip is its name; keys in brackets are for the tooltip alone."""
    made = kind(tooltip_text=name, focus_on_click=False, valign=Gtk.Align.CENTER, **properties)
    made.connect("clicked", lambda _button: on_click())
    return named(made, name.split(" (")[0])


def box(*children, **properties):
    made = Gtk.Box(**properties)
    for child in children:
        made.append(child)
    return made


def text(words="", *styles, **properties):
    return Gtk.Label(label=words, xalign=0, css_classes=styles, ellipsize=Pango.EllipsizeMode.END, **properties)


def clock(seconds):
    tenths = int(seconds * 10 + 1e-6)
    return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}"
