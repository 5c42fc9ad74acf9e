# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The waveform. A drag in it moves the sound; one in the strip above it sets the loop markers."""

import cairo
from gi.repository import Gdk, Gtk
from widgets import clock, named

STRIP = 26  # height in pixels
SHORTEST = 0.05  # seconds in view
STYLE = b"""
.waveform:focus-visible { outline: 2px solid @accent_color; outline-offset: 2px; }
"""


class Waveform(Gtk.DrawingArea):
    """Calls `on_drag(seconds, whether the hand has let go)`, and `on_markers()` if they change."""

    def __init__(self, on_drag, on_markers):
        super().__init__(accessible_role="slider", focusable=True, content_height=180)
        named(self, "Waveform")
        self.add_css_class("waveform")
        style = Gtk.CssProvider()
        style.load_from_data(STYLE)
        Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), style, 600)
        self.on_drag, self.on_markers, self.pointer = on_drag, on_markers, 0
        self.show_file(0)
        self.set_draw_func(self.draw)
        drag = Gtk.GestureDrag()
        drag.connect("drag-begin", self.begin)
        drag.connect("drag-update", self.follow, False)
        drag.connect("drag-end", self.follow, True)
        scroll = Gtk.EventControllerScroll(flags=Gtk.EventControllerScrollFlags.BOTH_AXES)
        scroll.connect("scroll", self.scroll)
        motion = Gtk.EventControllerMotion()
        motion.connect("motion", lambda _motion, x, _y: setattr(self, "pointer", x))
        for controller in (drag, scroll, motion):
            self.add_controller(controller)

    def show_file(self, duration):
        self.duration, self.position, self.peaks, self.markers = duration, 0, None, None
        self.first, self.length, self.told, self.columns = 0, duration, -1, (None, [])

    def go_to(self, seconds):
        """Shows the playhead at a place, and tells a screen reader each second."""
        is_outside = not self.first <= seconds <= self.first + self.length
        if is_outside and seconds != self.position and self.duration:
            self.look_at(seconds - self.length / 10, self.length)
        self.position = seconds
        if int(seconds) != self.told:
            self.told, kinds = int(seconds), Gtk.AccessibleProperty
            values = [float(seconds), 0.0, float(self.duration), clock(seconds)]
            names = (kinds.VALUE_NOW, kinds.VALUE_MIN, kinds.VALUE_MAX, kinds.VALUE_TEXT)
            self.update_property(names, values)
        self.queue_draw()

    # ---- the part in view ----

    def look_at(self, first, length):
        self.length = min(max(length, SHORTEST), self.duration)
        self.first = min(max(first, 0), self.duration - self.length)

    def zoom(self, factor, x=None):
        """Shows a longer or a shorter part around a place: the pointer's, or the playhead."""
        seconds = self.position if x is None else self.seconds_at(x)
        before = self.length
        self.look_at(self.first, before * factor)
        self.look_at(seconds - (seconds - self.first) * self.length / (before or 1), self.length)

    def scroll(self, _scroll, aside, up):
        if aside:
            self.look_at(self.first + self.length * aside / 10, self.length)
        else:
            self.zoom(1.25**up, self.pointer)
        return True

    def seconds_at(self, x):
        return self.first + min(max(x / self.get_width(), 0), 1) * self.length

    def x_at(self, seconds):
        return (seconds - self.first) / self.length * self.get_width() if self.length else 0

    # ---- markers ----

    def set_markers(self, markers):
        self.markers = markers
        self.on_markers()

    def mark(self, which, seconds):
        """Sets the first (0) or the second (1) marker. The other one stays, or goes to the end."""
        ends = list(self.markers or (0, self.duration))
        ends[which] = min(max(seconds, 0), self.duration)
        if ends[1] <= ends[0]:
            ends[1 - which] = (self.duration, 0)[which]
        if ends[1] - ends[0] > 0.01:
            self.set_markers(ends)

    def nudge(self, which, seconds):
        if self.markers:
            self.mark(which, self.markers[which] + seconds)

    def begin(self, gesture, x, y):
        self.grab_focus()
        self.start, self.is_strip = x, y < STRIP
        self.follow(gesture, 0, 0, False)

    def follow(self, _gesture, offset, _, is_end):
        """Moves the sound. In the strip, a drag sets both markers, and a click removes them."""
        if not self.is_strip:
            return self.on_drag(self.seconds_at(self.start + offset), is_end)
        ends = sorted(self.seconds_at(x) for x in (self.start, self.start + offset))
        self.set_markers(ends if abs(offset) > 3 and ends[1] - ends[0] > 0.01 else None)

    # ---- drawing ----

    def visible(self, width):
        """Returns (x, peak) for each column of pixels, or for each peak if there are fewer."""
        key = (self.first, self.length, width, len(self.peaks))
        if self.columns[0] != key:
            rate = len(self.peaks) / self.duration
            begin, count = int(self.first * rate), max(int(self.length * rate), 1)
            steps = min(width, count)
            cuts = [begin + step * count // steps for step in range(steps + 1)]
            tops = [max(self.peaks[one:two], default=0) for one, two in zip(cuts, cuts[1:])]
            self.columns = key, [((x + 0.5) * width / steps, top) for x, top in enumerate(tops)]
        return self.columns[1]

    def draw(self, _area, context, width, height):
        style, head = self.get_style_context(), self.x_at(self.position)
        text, (_, accent) = style.get_color(), style.lookup_color("accent_bg_color")

        def fill(color, alpha, *rectangles):
            context.set_source_rgba(color.red, color.green, color.blue, alpha)
            for rectangle in rectangles:
                context.rectangle(*rectangle)
            context.fill()

        def write(words, x, y):
            context.set_source_rgba(text.red, text.green, text.blue, 0.7)
            context.move_to(x, y)
            context.show_text(words)
            context.new_path()

        middle, half = (STRIP + height) / 2, (height - STRIP) / 2
        if self.duration and self.peaks is None:
            write("Reading the waveform …", 12, middle)
        if self.peaks:
            # before the playhead, and after it
            ink, at = cairo.LinearGradient(0, 0, width, 0), min(max(head / width, 0), 1)
            for color, alpha in ((accent, 1), (text, 0.4)):
                ink.add_color_stop_rgba(at, color.red, color.green, color.blue, alpha)
            context.set_source(ink)
            upper = [(x, half * min(peak, 1) + 0.5) for x, peak in self.visible(width)]
            for x, y in upper + [(x, -y) for x, y in reversed(upper)]:
                context.line_to(x, middle - y)
            context.fill()
        fill(text, 0.07, (0, 0, width, STRIP))
        for seconds in self.ticks(width):
            x = self.x_at(seconds)
            fill(text, 0.4, (x, STRIP - 6, 1, 6))
            write(clock(seconds), x + 4, STRIP - 8)
        if self.markers:
            start, stop = map(self.x_at, self.markers)
            fill(accent, 0.18, (start, 0, stop - start, height))
            ends = (start - 1, 0, 2, height), (stop - 1, 0, 2, height)
            fill(accent, 1, (start, 0, stop - start, 6), *ends)
            for name, x in zip("AB", (start, stop)):
                write(name, x + 4, height - 4)
        context.arc(head, STRIP, 5, 0, 6.3)  # a full circle
        fill(text, 1, (head - 1, STRIP, 2, height))

    def ticks(self, width):
        """Returns the times of the ruler, at least 90 pixels apart."""
        if not self.length:
            return []
        least = self.length * 90 / width
        steps = (0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
        step = next((step for step in steps if step >= least), 7200)
        first = int(self.first / step) + 1
        return [step * tick for tick in range(first, int((self.first + self.length) / step) + 1)]
