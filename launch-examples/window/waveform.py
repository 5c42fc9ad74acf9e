# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The waveform. A drag in it scrubs; a drag in the strip above it sets the loop markers."""

import math

import cairo
from gi.repository import Gtk
from widgets import named

RULER = 26  # the strip, in pixels
HINT = "Drag here to loop a part"
GRIP = 10  # how far from a marker a hand still takes it, in pixels


class Waveform(Gtk.DrawingArea):
    def __init__(self, on_scrub, on_markers):
        super().__init__(hexpand=True, vexpand=True, content_height=170, focusable=True, accessible_role=Gtk.AccessibleRole.IMG)
        named(self, "Waveform")
        self.on_scrub, self.on_markers = on_scrub, on_markers
        self.show_file(0.0, [], 1)
        self.set_draw_func(self.draw)
        drag = Gtk.GestureDrag()
        drag.connect("drag-begin", self.begin)
        drag.connect("drag-update", self.follow)
        drag.connect("drag-end", self.follow)
        self.add_controller(drag)

    def show_file(self, duration, peaks, count):
        """`peaks` grows to `count`."""
        self.duration, self.peaks, self.count = duration, peaks, count
        self.position, self.markers, self.mask_key = 0.0, None, None

    def show_position(self, seconds):
        self.position = min(max(seconds, 0), self.duration)
        self.queue_draw()

    def seconds_at(self, x):
        return min(max(x / self.get_width(), 0), 1) * self.duration

    def x_at(self, seconds):
        return seconds / self.duration * self.get_width() if self.duration else 0

    def begin(self, gesture, x, y):
        """A marker that the hand takes moves; the other one is held. Elsewhere, both begin here."""
        self.grab_focus()
        ends = [self.x_at(seconds) for seconds in self.markers or ()]
        near = [place for place in ends if abs(place - x) < GRIP]
        self.is_strip, self.moved, self.held = y < RULER, bool(near), sum(ends) - near[0] if near else x
        self.follow(gesture, 0, 0)

    def follow(self, gesture, offset, _):
        here = gesture.get_start_point()[1] + offset
        if not self.is_strip:
            return self.on_scrub(self.seconds_at(here))
        self.moved |= abs(here - self.held) > 3
        ends = sorted((self.seconds_at(self.held), self.seconds_at(here)))
        self.markers = ends if self.moved and ends[1] - ends[0] > 0.01 else None
        self.on_markers()

    def draw(self, _area, context, width, height):
        style, head = self.get_style_context(), self.x_at(self.position)
        text, (_, accent) = style.get_color(), style.lookup_color("accent_bg_color")

        def ink(rgba, alpha):
            context.set_source_rgba(rgba.red, rgba.green, rgba.blue, rgba.alpha * alpha)

        def fill(rgba, alpha, *rectangles):
            ink(rgba, alpha)
            for rectangle in rectangles:
                context.rectangle(*rectangle)
            context.fill()

        fill(text, 0.07, (0, 0, width, RULER))
        for rgba, alpha, left, right in ((accent, 1, 0, head), (text, 0.4, head, width)):
            context.save()
            context.rectangle(left, RULER, right - left, height)
            context.clip()
            ink(rgba, alpha)
            context.mask_surface(self.drawn_mask(width, height - RULER), 0, RULER)
            context.restore()
        if self.markers:
            start, stop = map(self.x_at, self.markers)
            fill(accent, 0.18, (start, 0, stop - start, height))
            fill(accent, 1, (start, 0, stop - start, 6), (start - 1, 0, 2, height), (stop - 1, 0, 2, height))
        elif self.duration:
            ink(text, 0.6)
            context.set_font_size(13)
            context.move_to((width - context.text_extents(HINT).width) / 2, 18)
            context.show_text(HINT)
        fill(text, 1, (head - 1, RULER, 2, height))
        context.arc(head, RULER, 5, 0, 2 * math.pi)
        context.fill()

    def drawn_mask(self, width, height):
        """Peaks, and more solid the power: drawn again only after a change."""
        scale = self.get_scale_factor()
        key = width, height, scale, len(self.peaks)
        if key != self.mask_key:
            self.mask_key, self.mask = key, cairo.ImageSurface(cairo.FORMAT_A8, width * scale, height * scale)
            self.mask.set_device_scale(scale, scale)
            context = cairo.Context(self.mask)
            for alpha, loudness in zip((0.5, 1), zip(*self.columns(width))):
                context.set_source_rgba(0, 0, 0, alpha)
                upper = [(x + 0.5, max(level * (height / 2 - 4), 0.5)) for x, level in enumerate(loudness)]
                for x, half in upper + [(x, -half) for x, half in reversed(upper)]:
                    context.line_to(x, height / 2 - half)
                context.fill()
        return self.mask

    def columns(self, width):
        """The loudest peak and power at each pixel, as far as the file has been looked at."""
        step = self.count / width
        parts = (self.peaks[int(x * step) : int(x * step + max(step, 1))] for x in range(width))
        return [[max(levels) for levels in zip(*part)] for part in parts if part]
