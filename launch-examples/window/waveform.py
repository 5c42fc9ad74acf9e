# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The waveform. A drag in it scrubs; a drag in the strip above it sets the loop markers."""

import math

import cairo
from gi.repository import Gtk, Pango, PangoCairo

RULER = 26  # the strip, in pixels
GRIP = 10  # how far from a marker a hand still takes it, in pixels


class Waveform(Gtk.DrawingArea):
    def __init__(self, on_scrub, on_markers):
        super().__init__(hexpand=True, vexpand=True, content_height=170, focusable=True, accessible_role=Gtk.AccessibleRole.IMG)
        self.update_property([Gtk.AccessibleProperty.LABEL], ["Waveform"])
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
        self.position, self.markers, self.shape_key = 0.0, None, None

    def seconds_at(self, x):
        return min(max(x / self.get_width(), 0), 1) * self.duration

    def x_at(self, seconds):
        return seconds / self.duration * self.get_width() if self.duration else 0

    def begin(self, gesture, x, y):
        """A marker that the hand takes moves; the other one is held. Elsewhere, both begin here."""
        self.grab_focus()
        self.is_strip, self.held = y < RULER, x
        ends = [self.x_at(seconds) for seconds in self.markers or ()]
        near = [place for place in ends if abs(place - x) < GRIP]
        if near:
            self.held = sum(ends) - near[0]
        self.moved = bool(near)
        self.follow(gesture, 0, 0)

    def follow(self, gesture, offset, _):
        here = gesture.get_start_point()[1] + offset
        if not self.is_strip:
            return self.on_scrub(self.seconds_at(here))
        self.moved |= abs(here - self.held) > 3
        ends = sorted((self.seconds_at(self.held), self.seconds_at(here)))
        self.markers = ends if self.moved and self.duration and ends[1] - ends[0] > 0.01 else None
        self.on_markers()

    def draw(self, _area, context, width, height):
        style = self.get_style_context()
        text, (_, accent) = style.get_color(), style.lookup_color("accent_bg_color")

        def ink(rgba, alpha=1.0):
            context.set_source_rgba(rgba.red, rgba.green, rgba.blue, rgba.alpha * alpha)

        self.draw_strip(context, width, lambda alpha: ink(text, alpha))
        head = self.x_at(self.position)
        shape = self.drawn_shape(width, height - RULER)
        for rgba, alpha, left, right in ((accent, 1, 0, head), (text, 0.4, head, width)):
            context.save()
            context.rectangle(left, RULER, right - left, height - RULER)
            context.clip()
            ink(rgba, alpha)
            context.mask_surface(shape, 0, RULER)
            context.restore()
        if self.markers:
            start, stop = (self.x_at(seconds) for seconds in self.markers)
            ink(accent, 0.18)
            context.rectangle(start, 0, stop - start, height)
            context.fill()
            ink(accent)
            context.rectangle(start, 0, stop - start, 6)
            for place in (start, stop):
                context.rectangle(place - 1, 0, 2, height)
            context.fill()
        ink(text)
        context.rectangle(head - 1, RULER, 2, height - RULER)
        context.arc(head, RULER, 5, 0, 2 * math.pi)
        context.fill()

    def draw_strip(self, context, width, ink):
        ink(0.07)
        context.rectangle(0, 0, width, RULER)
        context.fill()
        if self.markers or not self.duration:
            return
        layout = self.create_pango_layout("Drag here to loop a part")
        layout.set_width(width * Pango.SCALE)
        layout.set_alignment(Pango.Alignment.CENTER)
        ink(0.6)
        context.move_to(0, (RULER - layout.get_pixel_size()[1]) / 2)
        PangoCairo.show_layout(context, layout)

    def drawn_shape(self, width, height):
        """Peaks, and more solid the power, as a mask: drawn again only after a change."""
        scale, count = self.get_scale_factor(), len(self.peaks)
        if self.shape_key != (width, height, scale, count):
            self.shape_key = width, height, scale, count
            self.shape = cairo.ImageSurface(cairo.FORMAT_A8, width * scale, height * scale)
            self.shape.set_device_scale(scale, scale)
            context = cairo.Context(self.shape)
            columns = self.columns(width)
            for kind, alpha in ((0, 0.5), (1, 1.0)):
                halves = [max(column[kind] * (height / 2 - 4), 0.5) for column in columns]
                context.set_source_rgba(0, 0, 0, alpha)
                for x, half in enumerate(halves):
                    context.line_to(x + 0.5, height / 2 - half)
                for x, half in reversed(list(enumerate(halves))):
                    context.line_to(x + 0.5, height / 2 + half)
                context.set_operator(cairo.OPERATOR_OVER)
                context.fill()
        return self.shape

    def columns(self, width):
        """For each pixel, what is loudest there; only as far as the file has been looked at."""
        columns = []
        for x in range(width):
            first, end = (int((x + side) * self.count / width) for side in (0, 1))
            part = self.peaks[first : max(end, first + 1)]
            if not part:
                break
            columns.append((max(peak for peak, _ in part), max(power for _, power in part)))
        return columns
