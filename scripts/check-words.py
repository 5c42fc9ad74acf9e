#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: check-words.py [FILE …]

Finds the words and constructions of scripts/words.txt in pages (*.md) and in comments of sources,
and prints a replacement for each. Without arguments, checks all pages and sources of the
repository. The exit status is 1 if any are found."""

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMENT = {
    **dict.fromkeys((".py", ".sh"), re.compile(r"^\s*#+(?!!)\s?(.*)$")),
    **dict.fromkeys((".c", ".h", ".js", ".mjs"), re.compile(r"^\s*(?://|/\*+|\*(?!/))\s?(.*)$")),
    ".swift": re.compile(r"^\s*///?\s?(.*)$"),
}
ENDINGS = {".md"} | set(COMMENT)
GENERATED = {"measure/bench/results.md"}
HIDDEN = re.compile(r"`+[^`]*`+|\]\([^)]*\)|\"[^\"]*\"|<[^>]*>")


@dataclass(frozen=True)
class Rule:
    pattern: re.Pattern
    replacement: str


def rules(text: str) -> list[Rule]:
    lines = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return [Rule(re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement in lines]


def paragraphs_of_page(text: str) -> list[tuple[int, str]]:
    """Returns (line number, text) of each paragraph, list item and table row. Code blocks, headings
    and front matter are left out."""
    found: list[tuple[int, list[str]]] = []
    is_code, is_new = False, True
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code, is_new = not is_code, True
        elif is_code or not line.strip() or line.startswith("#"):
            is_new = True
        elif is_new or re.match(r"\s*(\||[-*] |\d+\. )", line):
            found.append((number, [line.strip()]))
            is_new = False
        else:
            found[-1][1].append(line.strip())
    return [(number, " ".join(lines)) for number, lines in found]


def comments_of_source(name: str, text: str) -> list[tuple[int, str]]:
    comment = COMMENT[Path(name).suffix]
    lines = ((number, comment.match(line)) for number, line in enumerate(text.splitlines(), 1))
    return [(number, match[1]) for number, match in lines if match] + (docstrings(text) if name.endswith(".py") else [])


def docstrings(text: str) -> list[tuple[int, str]]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    owners = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds) and ast.get_docstring(node)]
    return [
        (owner.body[0].lineno, " ".join(paragraph.split()))
        for owner in owners
        for paragraph in ast.get_docstring(owner).split("\n\n")
    ]


def hidden(text: str) -> str:
    """Removes what is not prose: names in backticks, link targets, quotations, tags, a bold heading
    at the start."""
    text = re.sub(r"^(\||[-*] |\d+\. )\s*", "", text)
    text = re.sub(r"^\*\*[^*]*\*\*\s*|\*\*", "", text)
    return HIDDEN.sub(lambda match: "`" + "_" * (len(match[0]) - 2) + "`", text)


def complaints(name: str, text: str, known: list[Rule]) -> list[str]:
    parts = paragraphs_of_page(text) if name.endswith(".md") else comments_of_source(name, text)
    return [
        f'{name}:{number}: "{match[0].strip()[:60]}": say "{rule.replacement}"'
        for number, part in parts
        for rule in known
        for match in rule.pattern.finditer(hidden(part))
    ]


def files() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in listed if Path(name).suffix in ENDINGS and name not in GENERATED]


def main() -> int:
    known = rules((ROOT / "scripts/words.txt").read_text())
    searched = sys.argv[1:] or files()
    found = [line for name in searched for line in complaints(name, (ROOT / name).read_text(), known)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
