# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests how the plugin is found and loaded, and that nothing of it is left when a program ends.

import os
import shutil
import subprocess

import pytest
from support import ENVIRONMENT, EXAMPLES, MEDIA, PLUGIN, ROOT, mostly_long, run, run_traced

REVERSE = (
    f"filesrc location={MEDIA / 'speech.wav'} ! wavparse ! revbuf direction=reverse ! timescale factor=1.1 ! fakesink"
).split()


@pytest.fixture
def folder(tmp_path):
    """A folder with the plugin, and an environment in which GStreamer finds it only there."""
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    shutil.copy(PLUGIN, plugins)
    return plugins, ENVIRONMENT | {"GST_PLUGIN_PATH_1_0": str(plugins), "GST_REGISTRY_1_0": str(tmp_path / "registry.bin")}


def launch(environment, *words, **options):
    return run("gst-launch-1.0", "-q", *(words or REVERSE), env=environment, **options)


@pytest.mark.long
def test_a_registry_of_another_build_is_renewed(folder):
    plugins, environment = folder
    (plugins / PLUGIN.name).write_bytes(b"not a plugin")
    # the registry now lists the file as a broken plugin
    launch(environment, "fakesrc", "num-buffers=1", "!", "fakesink")
    run("gst-inspect-1.0", "revbuf", env=environment, status=255)
    (plugins / PLUGIN.name).unlink()
    shutil.copy(PLUGIN, plugins)
    os.utime(plugins / PLUGIN.name, (1, 1))  # the file is now older than its entry in the registry
    launch(environment)


@pytest.mark.long
def test_a_registry_that_is_garbage_is_renewed(folder):
    _, environment = folder
    launch(environment)
    data = bytearray(open(environment["GST_REGISTRY_1_0"], "rb").read())
    for place in range(64, len(data), 1000):
        data[place] ^= 0xFF
    open(environment["GST_REGISTRY_1_0"], "wb").write(data[: len(data) // 2])
    launch(environment)


@pytest.mark.long
def test_a_plugin_that_has_moved_is_found(folder, tmp_path):
    plugins, environment = folder
    launch(environment)
    plugins.rename(tmp_path / "elsewhere")
    launch(environment | {"GST_PLUGIN_PATH_1_0": str(tmp_path / "elsewhere")})


@pytest.mark.long
def test_nothing_is_written_where_the_plugin_is(folder):
    plugins, environment = folder
    mounted = f"mount --bind {plugins} {plugins} && mount -o remount,ro,bind {plugins} && exec "
    command = mounted + " ".join(["gst-launch-1.0", "-q", *REVERSE])
    if subprocess.run(["unshare", "-m", "true"]).returncode != 0:
        plugins.chmod(0o555)
        command = " ".join(["gst-launch-1.0", "-q", *REVERSE])
        run("sh", "-c", command, env=environment)
    else:
        run("unshare", "-m", "sh", "-c", command, env=environment)
    assert [path.name for path in plugins.iterdir()] == [PLUGIN.name]


def test_the_scripts_take_the_built_plugin_whatever_is_set(tmp_path):
    """Variables with _1_0 in their names have precedence in GStreamer, so the scripts must set
    those."""
    (tmp_path / "elsewhere").mkdir()
    theirs = {"GST_PLUGIN_PATH_1_0": str(tmp_path / "elsewhere"), "GST_REGISTRY_1_0": str(tmp_path / "registry.bin")}
    run(EXAMPLES / "reverse-file.sh", MEDIA / "short.wav", tmp_path / "new.wav", env=ENVIRONMENT | theirs, cwd=tmp_path)
    assert (tmp_path / "new.wav").stat().st_size > 1000
    assert not (tmp_path / "registry.bin").exists()


@pytest.mark.parametrize("mode", mostly_long(["seek", "collect", "chunk"], "seek"))
def test_everything_may_be_logged(folder, mode):
    """Arguments of log messages are evaluated only if logging is on, so errors in the arguments
    occur only with logging."""
    _, environment = folder
    log = f"{environment['GST_REGISTRY_1_0']}.log"
    words = " ".join(REVERSE).replace("direction=reverse", f"direction=reverse mode={mode}").split()
    launch(environment | {"GST_DEBUG": "*:9", "GST_DEBUG_FILE": log}, *words)
    text = open(log, errors="replace").read()
    assert "revbuf" in text and "timescale" in text


@pytest.mark.parametrize("mode", mostly_long(["seek", "collect", "chunk"], "seek"))
def test_no_warning_of_glib(folder, mode):
    """G_DEBUG makes the first warning of GLib fatal."""
    _, environment = folder
    launch(environment)
    words = " ".join(REVERSE).replace("direction=reverse", f"direction=reverse mode={mode}").split()
    launch(environment | {"G_DEBUG": "fatal-warnings"}, *words)


def test_the_player_in_c_leaves_nothing(tmp_path):
    player = ROOT / "build/launch-examples/reverse-player"
    commands = "reverse\nseek 1\nping-pong 0.2 0.5\nrate 2\nquit\n"
    result = run_traced(tmp_path, player, MEDIA / "speech.wav", "fakesink sync=true", input=commands)
    assert not result.stderr


IN_PYTHON = """
import gc, os, runpy, sys
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(sys.argv[0])  # as for a program
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
for _ in range(3):
    gc.collect()
from gi.repository import Gst
Gst.deinit()
"""


def elements_left_by_the_timeline(folder):
    traces = folder / "trace"
    tracing = {"GST_TRACERS": "leaks(filters=GstTimeScale)", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_FILE": str(traces)}
    command = ["/usr/bin/python3", "-c", IN_PYTHON, EXAMPLES / "edit-timeline.py", MEDIA / "speech.wav", "out.wav", "2"]
    run(*command, env=ENVIRONMENT | tracing, cwd=folder)
    lines = traces.read_text(errors="replace").splitlines()
    return [line for line in lines if "object-alive, " in line and "new format string" not in line]


@pytest.mark.long
def test_the_timeline_leaves_none_of_our_elements(tmp_path):
    """Repeated, because on a busy machine GES sometimes keeps any effect until the process ends,
    even audioecho. A leak of our own would occur every time."""
    assert any(not elements_left_by_the_timeline(tmp_path) for _ in range(5))
