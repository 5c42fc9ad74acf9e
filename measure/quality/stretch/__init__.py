# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures of a time stretch that keeps the pitch.

A *factor* is the duration of the output divided by that of the input. Signals are arrays of float64
at 48 kHz, of shape (frames,) or (frames, channels). They are rendered from a score, so the ideal
output for each factor is known: the score rendered at the new tempo. In tables, the ideal is the
program called *oracle*.

Functions that measure return a dictionary of figures; their docstrings list its keys.
"""
