# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the web site that `make docs` creates, and the links in the pages of the repository.

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from support import ROOT, run

# Folders that builds and tests create have names that begin with these.
MADE = ("build", ".", "demo", "out")


class Links(HTMLParser):
    """Collects the links, the pictures and the anchors of a page."""

    def __init__(self, page: Path):
        super().__init__()
        self.targets, self.anchors, self.pictures_without_text = [], set(), 0
        self.feed(page.read_text())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.targets += [found[name] for name in ("href", "src") if name in found]
        self.anchors |= {found["id"]} if "id" in found else set()
        self.pictures_without_text += tag == "img" and not found.get("alt")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    run(ROOT / "scripts/make-site.py", folder, env={**os.environ, "SITE": ""})
    return {path.relative_to(folder).as_posix(): Links(path) for path in folder.rglob("*.html")}, folder


@pytest.mark.long
def test_every_link_of_the_site_leads_somewhere(site):
    pages, folder = site
    broken = []
    for name, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme:
                continue
            path = (folder / name).parent / unquote(parts.path) if parts.path else folder / name
            place = path.resolve()
            anchors = pages.get(place.relative_to(folder).as_posix(), None)
            if not place.exists() or (parts.fragment and unquote(parts.fragment) not in anchors.anchors):
                broken.append((name, target))
    assert not broken


@pytest.mark.long
def test_every_picture_says_what_it_shows(site):
    pages, _ = site
    assert {name for name, links in pages.items() if links.pictures_without_text} == set()


@pytest.mark.long
def test_the_site_has_every_page_and_every_property(site):
    pages, folder = site
    assert {f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")} <= set(pages)
    (plugin,) = json.loads((ROOT / "docs/plugins/gst_plugins_cache.json").read_text()).values()
    for name, element in plugin["elements"].items():
        text = (folder / f"element-{name}.html").read_text()
        missing = [own for own in element["properties"] if own not in ("name", "parent", "qos") and f'id="{own}"' not in text]
        assert not missing


@pytest.mark.long
def test_no_page_is_wider_than_a_phone_but_for_what_scrolls(site):
    """Tables and code must scroll in a frame of their own, and pictures shrink."""
    _, folder = site
    style = (folder / "style.css").read_text()
    assert "img { max-width: 100%" in style and "overflow-x: auto" in style
    for page in folder.glob("*.html"):
        text = page.read_text()
        assert text.count("<table>") == text.count('<div class="wide"><table>')


def github_anchor(heading: str) -> str:
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {github_anchor(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)}


def test_every_link_between_files_of_the_repository_leads_somewhere():
    broken = []
    pages = [path for path in ROOT.rglob("*.md") if not path.relative_to(ROOT).parts[0].startswith(MADE)]
    assert len(pages) > 15
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            path, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target) or page.parent.suffix == ".docc":
                continue
            place = (page.parent / path).resolve() if path else page
            if not place.exists() or (anchor and anchor not in anchors(place)):
                broken.append((str(page.relative_to(ROOT)), target))
    assert not broken


@pytest.mark.long
def test_the_site_links_to_the_repository_and_the_releases_that_are_named(tmp_path):
    addresses = {"REPOSITORY": "https://example.org/retrograde", "RELEASES": "https://example.org/retrograde/releases"}
    run(ROOT / "scripts/make-site.py", tmp_path, env={**os.environ, **addresses})
    assert set(addresses.values()) <= set(Links(tmp_path / "troubleshooting.html").targets)
    assert "Install it" in (tmp_path / "index.html").read_text()


@pytest.mark.long
def test_without_releases_no_page_promises_one(tmp_path):
    run(ROOT / "scripts/make-site.py", tmp_path, env={**os.environ, "RELEASES": ""})
    text = (tmp_path / "index.html").read_text()
    assert "Install it" not in text and text.index("Build it") < text.index("make demo")


@pytest.mark.long
def test_a_link_to_a_page_has_a_picture_with_a_whole_address_where_the_site_has_one(site, tmp_path):
    _, folder = site
    assert "og:image" not in (folder / "troubleshooting.html").read_text()
    run(ROOT / "scripts/make-site.py", tmp_path, env={**os.environ, "SITE": "https://example.org/retrograde/"})
    text = (tmp_path / "troubleshooting.html").read_text()
    picture = re.search(r'"og:image" content="https://example.org/retrograde/([^"]*)"', text)[1]
    assert (tmp_path / picture).is_file()
    assert 'property="og:url" content="https://example.org/retrograde/troubleshooting.html"' in text
    assert 'property="og:url" content="https://example.org/retrograde/"' in (tmp_path / "index.html").read_text()


@pytest.mark.long
def test_every_page_comes_before_the_navigation_which_can_be_reached_first(site):
    pages, folder = site
    assert {name for name, links in pages.items() if "#pages" not in links.targets or "pages" not in links.anchors} == set()
    texts = {name: (folder / name).read_text() for name in pages}
    assert {name for name, text in texts.items() if text.index("<main") > text.index("<nav")} == set()
