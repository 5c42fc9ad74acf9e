# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests that scripts/check-words.py finds the words of scripts/words.txt in pages and comments only.

import pytest
from support import ROOT, run

CHECK = ROOT / "scripts/check-words.py"


def found(folder, name: str, text: str) -> list[str]:
    (folder / name).write_text(text)
    return run(CHECK, folder / name, status=None).stdout.splitlines()


@pytest.mark.parametrize(
    ("sentence", "replacement"),
    [
        ("Put a queue in front of it.", "before"),
        ("The seek waits\nfor ever.", "indefinitely"),
        ("Where the file ends, it stops.", "if …, …"),
        ("What leaves the element is audio.", "name the thing"),
        ("| a stream | Where it ends, it stops |", "if …, …"),
        ("- The end is told once.", "is reported; receives"),
        ("A queue behind the filter.", "after"),
    ],
)
def test_a_sentence_is_found_with_its_replacement(tmp_path, sentence, replacement):
    (line,) = found(tmp_path, "page.md", f"# Page\n\n{sentence}\n")
    assert line.startswith(f"{tmp_path}/page.md:3: ") and line.endswith(f'say "{replacement}"')


@pytest.mark.parametrize(
    "text",
    [
        "It is behind the others, and falls further behind the clock.",
        "It is `in front of` nothing.",
        '"sought" is a word.',
        "```sh\necho in front of  # for ever\n```",
        "## Where it fails, and how\n",
        "**Where it is ahead, or equal:** here.",
        "Where does it end, and why?",
        "The two can be told apart.",
    ],
)
def test_right_text_is_left_alone(tmp_path, text):
    assert found(tmp_path, "page.md", text) == []


def test_comments_are_searched_and_code_is_not(tmp_path):
    code = 'char *text = in front of;\n/* Put it\n * in front of it. */\n'
    assert [line.split(": ")[0] for line in found(tmp_path, "file.c", code)] == [f"{tmp_path}/file.c:3"]
    assert found(tmp_path, "file.swift", "#expect(sought == place)\n") == []
    assert len(found(tmp_path, "file.py", 'def some():\n    """It is put in front of it."""\n    return "in front of"\n')) == 1

