# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests what `make install` writes below a DESTDIR, and that it works without Swift's toolchain.

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
MEDIA = ROOT / "launch-examples/media"
SAMPLE = MEDIA / "sample.mp3"
PLUGIN = ROOT / "build/gst-plugin/libgstretrograde.so"
PREFIX = "opt/an app"
TYPES = json.loads((ROOT / "docs/plugins/gst_plugins_cache.json").read_text())["retrograde"]["other-types"]
INTERPOLATIONS = {value["name"] for value in TYPES["GstTimeScaleInterpolation"]["values"]}
FILES = {
    "bin/retrograde",
    "lib/gstreamer-1.0/libgstretrograde.so",
    "share/man/man1/retrograde.1",
    "share/bash-completion/completions/retrograde",
    "share/zsh/site-functions/_retrograde",
    "share/fish/vendor_completions.d/retrograde.fish",
}
COMMANDS = ["reverse", "scale", "info", "play"]


def make(target, folder):
    words = ["make", "-s", "-C", ROOT, target, f"DESTDIR={folder}", f"prefix=/{PREFIX}", "libdir=lib"]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=900)


def files(folder):
    return {str(path.relative_to(folder / PREFIX)) for path in folder.rglob("*") if not path.is_dir()}


@pytest.fixture(scope="module", autouse=True)
def places_of_the_build():
    """Restores prefix and libdir of the build folder, which `make install` changes."""
    options = json.loads(subprocess.run(["meson", "introspect", ROOT / "build", "--buildoptions"], check=True, capture_output=True).stdout)
    before = [f"-D{option['name']}={option['value']}" for option in options if option["name"] in ("prefix", "libdir")]
    yield
    subprocess.run(["meson", "configure", ROOT / "build", *before], check=True, capture_output=True)


@pytest.fixture(scope="module")
def installed_text(places_of_the_build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("a root")
    return folder, make("install", folder).stdout


@pytest.fixture(scope="module")
def installed(installed_text):
    return installed_text[0]


@pytest.fixture(scope="module")
def tool(installed, tmp_path_factory):
    """A function that runs the installed tool in an environment that does not mention the build
    folder."""

    def run(*words, **environment):
        system = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path_factory.mktemp("home")), "LC_ALL": "C.UTF-8"}
        command = [installed / PREFIX / "bin/retrograde", *words]
        return subprocess.run(command, env=system | environment, capture_output=True, text=True, timeout=60)

    return run


def test_everything_is_installed_below_the_prefix(installed):
    assert files(installed) == FILES


@pytest.mark.parametrize("word, root", [("prefix=/opt/it", "/opt/it"), ("PREFIX=/opt/it", "/opt/it"), ("BUILD=build", "/usr")])
def test_the_prefix_may_be_written_in_capitals(word, root):
    """Otherwise, `make install PREFIX=…` would install into /usr without a message. PREFIX in the
    environment has no effect."""
    words = ["make", "-n", "-s", "-C", ROOT, "uninstall", word, "libdir=lib"]
    environment = {**os.environ, "PREFIX": "/opt/other"}
    text = subprocess.run(words, check=True, capture_output=True, text=True, env=environment).stdout
    assert f'rm -f "{root}/lib/gstreamer-1.0/libgstretrograde.so"' in text.splitlines()


def test_installed_files_are_listed(installed_text):
    """`make install` also prints how to set GST_PLUGIN_PATH_1_0, because GStreamer does not search
    the plugin's folder on its own."""
    folder, text = installed_text
    listed = {line[2:] for line in text.splitlines() if line.startswith(f"  {folder}")}
    assert listed == {str(folder / PREFIX / name) for name in FILES}
    assert f'  export GST_PLUGIN_PATH_1_0="{folder / PREFIX}/lib/gstreamer-1.0"' in text.splitlines()
    assert "Building the tool; the first time takes some minutes." in text


def test_gstreamer_shows_where_the_plugin_comes_from(installed):
    told = subprocess.run(["gst-inspect-1.0", installed / PREFIX / "lib/gstreamer-1.0" / PLUGIN.name], check=True, capture_output=True, text=True).stdout
    assert re.search(r"Origin URL +Retrograde$", told, re.MULTILINE)
    assert "freedesktop" not in told


def test_the_tool_needs_no_swift_at_run_time(installed):
    libraries = subprocess.run(["ldd", installed / PREFIX / "bin/retrograde"], check=True, capture_output=True, text=True)
    assert "libgstreamer-1.0" in libraries.stdout
    assert not re.search("swift|Foundation", libraries.stdout)


def test_the_plugin_is_stripped(installed):
    sections = subprocess.run(["readelf", "-SW", installed / PREFIX / "lib/gstreamer-1.0" / PLUGIN.name], check=True, capture_output=True, text=True).stdout
    assert ".text" in sections
    assert ".debug_info" not in sections and ".symtab" not in sections


def test_the_tool_is_hardened(installed):
    """The executable is position-independent, binds all symbols at the start and then makes the
    relocation tables read-only; its stack is not executable."""
    command = ["readelf", "-hdlW", installed / PREFIX / "bin/retrograde"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert re.search(r"Type: +DYN ", said)
    assert re.search(r"\(FLAGS\) .*BIND_NOW", said)
    assert re.search(r"\(FLAGS_1\) .*NOW.*PIE|\(FLAGS_1\) .*PIE.*NOW", said)
    assert re.search(r"^ +GNU_RELRO ", said, re.MULTILINE)
    assert re.search(r"^ +GNU_STACK .* RW +0", said, re.MULTILINE)


def test_the_tool_is_small(installed):
    """Fails if something imports Foundation, which adds 44 MB of tables for languages."""
    assert (installed / PREFIX / "bin/retrograde").stat().st_size < 20_000_000


def test_the_tool_has_the_version_of_the_plugin(tool):
    inspect = subprocess.run(["gst-inspect-1.0", PLUGIN], check=True, capture_output=True, text=True)
    version = re.search(r"^ *Version +(\S+)$", inspect.stdout, re.MULTILINE).group(1)
    assert tool("--version").stdout == f"{version}\n" == (ROOT / "VERSION").read_text()


def test_the_tool_loads_the_plugin_that_was_installed_with_it(installed, tool, tmp_path):
    result = tool("reverse", SAMPLE, "-o", tmp_path / "new.wav", LD_DEBUG="files", LD_DEBUG_OUTPUT=str(tmp_path / "trace"))
    assert result.returncode == 0, result.stderr
    loaded = set(re.findall(r"file=(\S.*libgstretrograde\.so)", "".join(p.read_text() for p in tmp_path.glob("trace*"))))
    assert loaded == {str(installed / PREFIX / "lib/gstreamer-1.0/libgstretrograde.so")}
    assert (tmp_path / "new.wav").stat().st_size > 800_000


def test_the_manual_is_sound_and_names_every_command(installed):
    page = installed / PREFIX / "share/man/man1/retrograde.1"
    formatted = subprocess.run(["groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-P-cbou", page], capture_output=True, text=True)
    assert formatted.stderr == ""
    for command in COMMANDS:
        assert f"retrograde {command}" in formatted.stdout
    for word in ["NAME", "SYNOPSIS", "--factor", "--output, -o", "Examples:", "GST_PLUGIN_PATH_1_0", '"losses"']:
        assert word in formatted.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(tool, command):
    help = tool(command, "--help").stdout
    examples = re.search(r"EXAMPLES?:?\n(.*?)\n\n", help, re.DOTALL | re.IGNORECASE).group(1)
    assert f"retrograde {command} " in examples


def complete(installed, *words):
    """Returns the completions that bash offers for the last of the words."""
    script = f"""
        source '{installed / PREFIX}/share/bash-completion/completions/retrograde'
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${{#COMP_LINE}}
        COMP_LINE="$*"; COMP_POINT=${{#COMP_LINE}}; COMP_TYPE=9; COMP_KEY=9
        $(complete -p retrograde | sed 's/.*-F \\([^ ]*\\).*/\\1/') retrograde "${{@: -1}}" "${{@: -2:1}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environment = os.environ | {"PATH": f"{installed / PREFIX}/bin:{os.environ['PATH']}"}
    result = subprocess.run(["bash", "-c", script, "bash", *words], env=environment, capture_output=True, text=True, timeout=60)
    return {line.strip() for line in result.stdout.splitlines()}


def test_bash_completes_commands_files_options_and_values(installed):
    assert complete(installed, "retrograde", "re") == {"reverse"}
    assert complete(installed, "retrograde", "info", str(MEDIA / "short")) == {str(MEDIA / "short.wav"), str(MEDIA / "short.aiff")}
    assert "--factor" in complete(installed, "retrograde", "scale", "--")
    assert complete(installed, "retrograde", "scale", "--interpolation", "") == INTERPOLATIONS


def test_nothing_is_left_when_it_is_uninstalled(tmp_path):
    make("install", tmp_path)
    assert files(tmp_path) == FILES
    make("uninstall", tmp_path)
    assert files(tmp_path) == set()
