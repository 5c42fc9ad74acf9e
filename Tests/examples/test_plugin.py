# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the plugin file, and what GStreamer's own tools report about it.

import re
from xml.etree import ElementTree

import pytest
from support import ENVIRONMENT, EXAMPLES, MEDIA, PLUGIN, ROOT, run, run_traced

PROGRAMS = {
    EXAMPLES / "edit-timeline.py": ["out.wav", "2"],
    EXAMPLES / "reverse-player.py": [],
    ROOT / "build/launch-examples/reverse-player": [],
    ROOT / "build/launch-examples/reverse-playback": ["fakesink"],
}


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_example_says_where_it_has_looked_for_the_plugin(tmp_path, program):
    nowhere = ENVIRONMENT | {"GST_PLUGIN_PATH_1_0": str(tmp_path / "none"), "GST_REGISTRY_1_0": str(tmp_path / "registry.bin")}
    told = run(program, MEDIA / "short.wav", *PROGRAMS[program], status=1, cwd=tmp_path, env=nowhere).stderr
    assert f"The plugin is neither in {tmp_path}/none nor among the installed ones; run make build" in told
    assert "Traceback" not in told


def test_the_plugin_is_hardened():
    """The plugin binds all symbols when it is loaded and then makes the relocation tables
    read-only; its code uses stack protection, and no function that cannot know its buffer."""
    assert re.search(r"\(FLAGS\) .*BIND_NOW", run("readelf", "-dW", PLUGIN).stdout)
    segments = run("readelf", "-lW", PLUGIN).stdout
    assert re.search(r"^ +GNU_RELRO ", segments, re.MULTILINE)
    assert re.search(r"^ +GNU_STACK .* RW +0x", segments, re.MULTILINE)
    functions = names_in(PLUGIN, "--undefined-only")
    assert "__stack_chk_fail" in functions
    assert not functions & {"strcpy", "strcat", "sprintf", "vsprintf", "gets"}


def test_an_older_c_library_will_do():
    """The plugin must run with glibc 2.31 (Debian 11, Ubuntu 20.04), which is older than that of
    the build machine."""
    versions = re.findall(r"GLIBC_([0-9.]+)", run("readelf", "--version-info", PLUGIN).stdout)
    assert versions
    assert max([int(part) for part in version.split(".")] for version in versions) <= [2, 31]


def names_in(file, which):
    lines = run("nm", "-D", which, file).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def test_inexact_functions_of_libm_are_not_used():
    """Results of libm depend on the processor, because it uses FMA if available. Only square roots
    are exact by IEEE 754."""
    libm = next(line.split()[2] for line in run("ldd", PLUGIN).stdout.splitlines() if "libm.so" in line)
    functions = names_in(libm, "--defined-only")
    assert {"sin", "exp2"} <= functions
    assert names_in(PLUGIN, "--undefined-only") & functions <= {"sqrt", "sqrtf"}


def versions_of_functions():
    """Returns for each function of GStreamer the version that introduced it, "1.0" if that is not
    documented."""
    identifier = "{http://www.gtk.org/introspection/c/1.0}identifier"
    libraries = [f"/usr/share/gir-1.0/{name}-1.0.gir" for name in ("Gst", "GstBase", "GstAudio")]
    elements = [element for file in libraries for element in ElementTree.parse(file).iter() if identifier in element.attrib]
    return {element.get(identifier): element.get("version", "1.0") for element in elements}


def test_an_older_gstreamer_will_do():
    """The plugin must not need functions that GStreamer 1.20 lacks, even if it was built with a
    later version."""
    symbols = run("nm", "-D", "--undefined-only", PLUGIN).stdout.split("\n")
    versions = versions_of_functions()
    needed = {line.split()[-1]: versions.get(line.split()[-1], "1.0") for line in symbols if " gst_" in line}
    assert "gst_audio_make_raw_caps" in needed
    assert {name: version for name, version in needed.items() if int(version.split(".")[1]) > 20} == {}


@pytest.mark.parametrize(
    "setting",
    ["timescale factor=0", "timescale factor=nan", "timescale rate=101", "timescale interpolation=best", "revbuf mode=other"],
)
def test_a_value_that_makes_no_sense_is_no_crash(setting):
    """GStreamer may refuse the value or keep the default, but the process must not end by a
    signal."""
    pipeline = f"audiotestsrc num-buffers=2 ! {setting} ! fakesink".split()
    result = run("gst-launch-1.0", "--no-fault", "-q", *pipeline, status=None)
    assert 0 <= result.returncode < 128 or result.returncode == 255


@pytest.mark.long
def test_the_leaks_tracer_finds_leaks(tmp_path):
    """The examples are tested with the leaks tracer, so the tracer must find an element that is
    still referenced."""
    program = "from gi.repository import Gst; Gst.init([]); sink = Gst.ElementFactory.make('fakesink'); Gst.deinit()"
    with pytest.raises(AssertionError, match="object-alive, type-name=.string.GstFakeSink"):
        run_traced(tmp_path, "/usr/bin/python3", "-c", program, status=None)
