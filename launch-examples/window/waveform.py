# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The waveform. A drag in it moves the sound; one in the strip above it sets the loop markers."""

import cairo
from gi.repository import Gtk
from widgets import named

PEAKS = 2000  # number of peaks of a file, at any width
STRIP = 26  # height in pixels


class Waveform(Gtk.DrawingArea):
    """Calls `on_drag` with a position in seconds, and whether the hand has let go. Calls
    `on_markers` after the markers changed."""

    def __init__(self, on_drag, on_markers):
        super().__init__(accessible_role="img", focusable=True, content_height=180)
        named(self, "Waveform")
        self.on_drag, self.on_markers = on_drag, on_markers
        self.show_file(0)
        self.set_draw_func(self.draw)
        drag = Gtk.GestureDrag()
        drag.connect("drag-begin", self.begin)
        drag.connect("drag-update", self.follow, False)
        drag.connect("drag-end", self.follow, True)
        self.add_controller(drag)

    def show_file(self, duration):
        self.duration, self.position, self.peaks, self.markers = duration, 0, [], None

    def seconds_at(self, x):
        return min(max(x / self.get_width(), 0), 1) * self.duration

    def x_at(self, seconds):
        return seconds / self.duration * self.get_width() if self.duration else 0

    def begin(self, gesture, x, y):
        self.grab_focus()
        self.start, self.is_strip = x, y < STRIP
        self.follow(gesture, 0, 0, False)

    def follow(self, _gesture, offset, _, is_end):
        """Moves the sound. In the strip, a drag sets both markers, and a click removes them."""
        if not self.is_strip:
            return self.on_drag(self.seconds_at(self.start + offset), is_end)
        ends = sorted(self.seconds_at(x) for x in (self.start, self.start + offset))
        self.markers = ends if abs(offset) > 3 and ends[1] - ends[0] > 0.01 else None
        self.on_markers()

    def draw(self, _area, context, width, height):
        style, head = self.get_style_context(), self.x_at(self.position)
        text, (_, accent) = style.get_color(), style.lookup_color("accent_bg_color")

        def fill(color, alpha, *rectangles):
            context.set_source_rgba(color.red, color.green, color.blue, alpha)
            for rectangle in rectangles:
                context.rectangle(*rectangle)
            context.fill()

        ink = cairo.LinearGradient(0, 0, width, 0)
        for color, alpha in ((accent, 1), (text, 0.4)):  # before the playhead, and after it
            ink.add_color_stop_rgba(head / width, color.red, color.green, color.blue, alpha)
        context.set_source(ink)
        middle, half, step = (STRIP + height) / 2, (height - STRIP) / 2, width / PEAKS
        upper = [((x + 0.5) * step, half * min(peak, 1) + 0.5) for x, peak in enumerate(self.peaks)]
        for x, y in upper + [(x, -y) for x, y in reversed(upper)]:
            context.line_to(x, middle - y)
        context.fill()
        fill(text, 0.07, (0, 0, width, STRIP))
        if self.markers:
            start, stop = map(self.x_at, self.markers)
            fill(accent, 0.18, (start, 0, stop - start, height))
            ends = (start - 1, 0, 2, height), (stop - 1, 0, 2, height)
            fill(accent, 1, (start, 0, stop - start, 6), *ends)
        context.arc(head, STRIP, 5, 0, 6.3)  # a full circle
        fill(text, 1, (head - 1, STRIP, 2, height))
