# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the Python examples do before Gst.init()."""

import os
from pathlib import Path

BUILT = Path(__file__).resolve().parents[1] / "build/gst-plugin"


def prepare() -> None:
    """Uses the plugin built next to the examples, unless the environment names a folder."""
    if BUILT.exists():
        os.environ.setdefault("GST_PLUGIN_PATH_1_0", str(BUILT))
    # don't use avdec_mp3, because it dithers loud audio and each decode returns different samples
    os.environ.setdefault("GST_PLUGIN_FEATURE_RANK", "mpg123audiodec:PRIMARY")


def missing() -> str:
    """Returns a sentence that says where we looked for the plugin."""
    folder = os.environ.get("GST_PLUGIN_PATH_1_0", BUILT)
    return f"The plugin is neither in {folder} nor among the installed ones; run make build, or set GST_PLUGIN_PATH_1_0."
