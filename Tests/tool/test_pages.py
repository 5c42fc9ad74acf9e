# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs every command and every program in the README, in docs, and in the articles of the libraries.
# Blocks of `sh` are run line by line, all blocks of a page in the same folder. Blocks of `c` and
# `python` are written to the file named in their first line. ArticleCodeTests.swift compiles the
# blocks of Swift.

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from toolrun import ENVIRONMENT, MEDIA, PLUGIN, ROOT, TOOL

pytestmark = pytest.mark.long

ARTICLES = sorted((ROOT / "Sources").glob("**/*.docc/*.md"))
PAGES = [ROOT / "README.md", ROOT / "launch-examples/README.md", *sorted((ROOT / "docs").glob("*.md")), *ARTICLES]

# Commands that are not run here, and the reason for each.
NOT_RUN = {
    r"make install": "it installs; Tests/tool/test_install.py does it below a prefix of its own",
    r"make demo": "Tests/examples/test_demo.py runs it",
    r"make check": "this is a part of it",
    r"make build": "the tests begin with it",
    r"swift run --package-path launch-examples/swift-package": "Tests/tool/test_package.py runs it",
    r"retrograde play --loop": "it plays until somebody presses q; Tests/tool/test_play.py does",
}

# Replacements for sound devices, and for commands that do not end on their own.
STAND_INS = {
    r"\bautoaudiosink\b": "fakesink sync=false",
    r"\bautoaudiosrc\b": "audiotestsrc num-buffers=100",
    r"\bplaybin\b(?= uri=)": "playbin audio-sink=fakesink",
    r"\bretrograde play\b(?!.* --sink )": "retrograde play --sink silent",
}

SHOWN_IN_PAGES = {"sh", "c", "python", "swift", "text", "js"}


@dataclass(frozen=True)
class Block:
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Returns the code blocks of a page, without the indentation of blocks in lists."""
    found = re.findall(r"^( *)```(\w*)\n(.*?)^ *```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [Block(language, re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)) for indent, language, text in found]


def commands(text: str) -> list[str]:
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def stand_in(text: str) -> str:
    for real, other in STAND_INS.items():
        text = re.sub(real, other, text)
    return text


def reason_not_to_run(command: str) -> str | None:
    return next((reason for pattern, reason in NOT_RUN.items() if re.match(pattern, command)), None)


@pytest.fixture(scope="module")
def sounds(tmp_path_factory):
    """Short versions of the sound files that the pages mention."""
    folder = tmp_path_factory.mktemp("sounds")
    film = "-f lavfi -i testsrc=duration=1:size=64x64:rate=10 -f lavfi -i sine=duration=1 -c:v mpeg4".split()
    every = {
        "song.wav": ["-t", "1.5", "-i", MEDIA / "sample.flac"],
        "song.flac": ["-t", "1.5", "-i", MEDIA / "sample.flac"],
        "song.mp3": ["-t", "1.5", "-i", MEDIA / "sample.flac"],
        "song.ogg": ["-t", "1.5", "-i", MEDIA / "sample.flac", "-c:a", "libvorbis"],
        "short.wav": ["-t", "1", "-i", MEDIA / "short.wav"],
        "talk.mp3": ["-i", MEDIA / "speech.wav", "-ar", "44100"],
        "hires.flac": ["-t", "1", "-i", MEDIA / "sample.flac", "-ar", "96000"],
        "film.mp4": film,
    }
    for name, words in every.items():
        subprocess.run(["ffmpeg", "-v", "error", *map(str, words), str(folder / name)], check=True)
    return folder


@pytest.fixture
def place(tmp_path, sounds):
    """A folder with the files that the pages mention, and an environment with the programs in
    PATH."""
    for sound in sounds.iterdir():
        os.link(sound, tmp_path / sound.name)
    programs = tmp_path / ".bin"
    programs.mkdir()
    (programs / "retrograde").symlink_to(TOOL)
    examples = ROOT / "launch-examples"
    path = [programs, examples, ROOT / "build/launch-examples", ENVIRONMENT["PATH"]]
    return tmp_path, ENVIRONMENT | {"PATH": os.pathsep.join(map(str, path)), "GST_PLUGIN_PATH_1_0": str(PLUGIN.parent)}


def write_program(folder: Path, block: Block) -> None:
    name = re.match(r"(?:/\*|#) (\S+\.\w+):", block.text)
    assert name, f"the first line names no file: {block.text.splitlines()[0]}"
    (folder / name[1]).write_text(stand_in(block.text).replace("sync=false", "sync=true"))


def check_outputs(folder: Path, command: str) -> None:
    """Asserts that the command has written its outputs: folders, or files above 1000 bytes."""
    names = re.findall(r"filesink location=(\S+)", command) + re.findall(r"(?<= -o )\S+", command)
    assert all((folder / name).exists() for name in names), command
    assert all((folder / name).is_dir() or (folder / name).stat().st_size > 1000 for name in names), command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_works(place, page):
    folder, environment = place
    shown = blocks(page)
    for block in shown:
        if block.language in ("c", "python"):
            write_program(folder, block)
    for command in [line for block in shown if block.language == "sh" for line in commands(block.text)]:
        if reason_not_to_run(command):
            continue
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", stand_in(command)],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
        assert "CRITICAL" not in result.stderr, f"{command}\n{result.stderr}"
        check_outputs(folder, command)


def test_the_pages_show_commands_and_every_block_says_what_it_is():
    shown = {page: blocks(page) for page in PAGES}
    assert sum(len(commands(block.text)) for of_page in shown.values() for block in of_page if block.language == "sh") > 30
    unknown = [(name, block) for name, of_page in shown.items() for block in of_page if block.language not in SHOWN_IN_PAGES]
    assert not unknown


def test_commands_that_are_not_run_are_still_shown():
    every = [line for page in PAGES for block in blocks(page) if block.language == "sh" for line in commands(block.text)]
    for pattern in NOT_RUN:
        assert any(re.match(pattern, command) for command in every), f"no page shows {pattern} any more"
