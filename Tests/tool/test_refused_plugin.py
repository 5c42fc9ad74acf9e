# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the error message if the plugin exists but GStreamer refuses to load it.

import shlex
import shutil
import subprocess

import pytest
from toolrun import ALONE, MEDIA, PLUGIN, RELEASE, ROOT

pytestmark = pytest.mark.long

TOO_NEW = """
#include <gst/gst.h>
#undef GST_VERSION_MINOR
#define GST_VERSION_MINOR 98
#define PACKAGE "retrograde"
static gboolean init (GstPlugin * plugin) { return TRUE; }
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, retrograde, "", init,
    "1", "LGPL", "retrograde", "here")
"""


def make_too_new(file):
    """Compiles a plugin that claims to need GStreamer 1.98."""
    source = file.with_suffix(".c")
    source.write_text(TOO_NEW)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gstreamer-1.0"], check=True, capture_output=True, text=True)
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", file, *shlex.split(flags.stdout)], check=True)
    source.unlink()


def make_garbage(file):
    file.write_bytes(b"not a plugin")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "app/bin").mkdir(parents=True)
    (tmp_path / "app/lib/gstreamer-1.0").mkdir(parents=True)
    (tmp_path / "named").mkdir()
    subprocess.run(["make", "-s", "-C", ROOT, "tool"], check=True, capture_output=True)
    shutil.copy(RELEASE, tmp_path / "app/bin")
    return tmp_path


def sentence(folder, **more):
    environment = ALONE | {"GST_REGISTRY_1_0": str(folder / "registry.bin")} | more
    command = [folder / "app/bin/retrograde", "reverse", MEDIA / "short.wav", "-o", folder / "new.wav"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    assert not (folder / "new.wav").exists()
    return result.stderr


@pytest.mark.parametrize("place", ["app/lib/gstreamer-1.0", "named"])
@pytest.mark.parametrize("make, reason", [(make_too_new, "reinstall a Retrograde that was built for this GStreamer 1."), (make_garbage, "file too short")])
def test_the_file_and_the_reason_are_named(folder, place, make, reason):
    file = folder / place / PLUGIN.name
    make(file)
    said = sentence(folder, GST_PLUGIN_PATH_1_0=str(folder / "named"))
    assert str(file) in said
    assert reason in said
    assert "not found" not in said


def test_where_there_is_none_the_tool_says_so(folder):
    assert f"{PLUGIN.name} was not found" in sentence(folder)
