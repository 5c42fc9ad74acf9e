#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: make-site.py [FOLDER]

Makes the web site in FOLDER (default: build/docs): README, the pages in docs, the descriptions of
the elements, and the sources that the pages link to. The site links to the reference of the Swift
library in FOLDER/library. site.conf, or the environment, has REPOSITORY and RELEASES, addresses to link to,
and SITE, the site's own address."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

try:
    import markdown
except ImportError:
    sys.exit("make-site.py: install python3-markdown.")

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "docs/plugins/gst_plugins_cache.json"
EXTENSIONS = ["tables", "fenced_code", "sane_lists", "toc"]

# (page, source file, title), in the order of the navigation. Entries without a page are headings.
PAGES = [
    (None, None, "Start"),
    ("index.html", "README.md", "Retrograde"),
    ("compare.html", "web/sounds/sounds.json", "Before and after"),
    ("troubleshooting.html", "docs/troubleshooting.md", "Troubleshooting"),
    (None, None, "Use it"),
    ("tool.html", "docs/tool.md", "Command line"),
    ("revbuf.html", "docs/revbuf.md", "revbuf"),
    ("element-revbuf.html", "revbuf", "revbuf: reference"),
    ("timescale.html", "docs/timescale.md", "timescale"),
    ("element-timescale.html", "timescale", "timescale: reference"),
    ("speed.html", "docs/speed.md", "Any speed"),
    ("embedding.html", "docs/embedding.md", "Players and editors"),
    ("library.html", "docs/library.md", "Swift"),
    ("library/documentation/retrograde/index.html", None, "Retrograde: reference"),
    ("timedsp/documentation/timedsp/index.html", None, "TimeDSP: reference"),
    ("web.html", "web/README.md", "Web"),
    ("examples.html", "launch-examples/README.md", "Examples"),
    (None, None, "Know it"),
    ("sound.html", "docs/sound.md", "Sound"),
    ("performance.html", "docs/performance.md", "Speed and memory"),
    ("formats.html", "docs/formats.md", "Formats"),
    ("compatibility.html", "docs/compatibility.md", "Compatibility"),
    ("security.html", "SECURITY.md", "Security"),
    ("changes.html", "CHANGELOG.md", "Changes"),
    (None, None, "Change it"),
    ("contributing.html", "CONTRIBUTING.md", "Contributing"),
    ("how-it-works.html", "docs/internals/how-it-works.md", "How it works"),
    ("threads.html", "docs/internals/threads.md", "Threads"),
    ("where-time-goes.html", "docs/internals/performance.md", "Where the time goes"),
    ("stretch-tried.html", "docs/internals/stretch-tried.md", "Stretch: what was tried"),
    ("stretch.html", "docs/internals/stretch.md", "Stretch: the figures"),
    ("measurements.html", "docs/internals/measurements.md", "Measurements"),
    ("bench.html", "measure/bench/results.md", "Results of make bench"),
    ("reliability.html", "docs/internals/reliability.md", "Attempts to break it"),
    ("sounds.html", "web/sounds/README.md", "Sounds of this site"),
    ("releasing.html", "RELEASING.md", "Releasing"),
]
# External links at the end of the navigation, and the settings with their addresses.
OUTSIDE = {"Repository": "REPOSITORY", "Releases": "RELEASES"}
HEARD = ("compare.html", "sounds.html")  # pages that need the player
BY_SOURCE = {source: page for page, source, _ in PAGES if source}

# In README, what stands in the place of the comment if there are releases.
RELEASED = """**Install it**: [packages for Debian, and archives for any Linux]({releases}). `apt install ./*_amd64.deb`, or unpack an
archive and run its `install.sh`, which installs into `~/.local`."""

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --ground: #fff; --panel: #f6f8fa;
  --line: #d1d9e0; --link: #0b62b8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --ground: #0d1117;
  --panel: #151b23; --line: #3d444d; --link: #6cb2ff } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--ground) }
a { color: var(--link); text-underline-offset: 0.15em } nav a { text-decoration: none } nav a:hover { text-decoration: underline }
.skip { position: absolute; left: -99rem; padding: 0.5rem; background: var(--ground) } .skip:focus { left: 0; z-index: 1 }
nav { padding: 1rem 1.25rem; font-size: 0.92rem; background: var(--panel) }
nav b { display: block; margin: 0.9rem 0 0.2rem; color: var(--soft); font-size: 0.8rem }
nav a { display: block; padding: 0.1rem 0 } #found a { padding: 0.25rem 0 } nav a[aria-current] { font-weight: 600; color: var(--ink) }
nav summary { cursor: pointer; font-weight: 600 }
main { padding: 0.5rem 1.25rem 4rem; max-width: 58rem }
h1, h2, h3 { line-height: 1.25; margin: 1.8em 0 0.6em } h1 { font-size: 1.9rem; margin-top: 0.8em }
h2 { font-size: 1.35rem; padding-bottom: 0.25em; border-bottom: 1px solid var(--line) }
img { max-width: 100%; height: auto; vertical-align: middle }
pre { padding: 0.8rem 1rem; border-radius: 6px; line-height: 1.45; --under: var(--panel) }
pre, .wide { overflow-x: auto; background: linear-gradient(to left, var(--under) 40%, transparent) right / 2.5rem 100% no-repeat local,
  linear-gradient(to left, #8888, transparent) right / 0.9rem 100% no-repeat scroll, var(--under) }
pre:focus-visible, .wide:focus-visible { outline: 3px solid var(--link) }
code { font: 0.87em ui-monospace, monospace } pre > code { font-size: 0.83em } :not(pre) > code { padding: 0.1em 0.3em; background: var(--panel);
  border-radius: 4px; overflow-wrap: anywhere }
.wide { --under: var(--ground) } table { border-collapse: collapse; margin: 1em 0; font-size: 0.93rem }
@media (max-width: 40rem) { .picture::after { content: "Tap it to see it larger."; display: block; font-size: 0.85rem; color: var(--soft) } }
@media (max-width: 60rem) { body { display: flex; flex-direction: column } nav { order: -1 }
  nav a, nav summary, #found a { padding: 0.65rem 0 } #search { min-height: 2.75rem } }
#search { width: 100%; margin: 0.6rem 0; padding: 0.4rem; font: inherit }
#found small { display: block; color: var(--soft) }
td code, th code { overflow-wrap: normal } .facts { color: var(--soft); margin: 0 }
th, td { padding: 0.35rem 0.7rem; border: 1px solid var(--line); text-align: left; vertical-align: top }
th { background: var(--panel) } th:empty { padding: 0 }
@media (min-width: 60rem) { body { display: grid; grid-template: "nav main" / 16rem minmax(0, 1fr) }
  nav { grid-area: nav; position: sticky; top: 0; height: 100vh; overflow-y: auto; border-right: 1px solid var(--line) }
  main { grid-area: main; padding: 1rem 3rem 5rem } }
"""
# On a narrow display, the list of pages is above the page, and initially closed. What can be scrolled to the side
# can be reached with the Tab key.
SCRIPT = """if (!matchMedia('(min-width: 60rem)').matches) document.querySelector('nav details').open = false;
const reach = () => document.querySelectorAll("pre, .wide").forEach((one) => {
  if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
  else one.removeAttribute("tabindex");
});
addEventListener("resize", reach);
reach();"""
# Shows the sections of all pages that contain every word in the search box.
SEARCH = """
const box = document.querySelector("#search"), found = document.querySelector("#found"), up = box.dataset.up;
let sections;
box.addEventListener("input", async () => {
  sections ??= await (await fetch(up + "search.json")).json();
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const hits = words.length === 0 ? [] : sections.filter(([, , , text]) => words.every((word) => text.includes(word)));
  found.textContent = words.length > 0 && hits.length === 0 ? "Nothing found. Try fewer or other words." : "";
  found.append(...hits.slice(0, 12).map(([address, page, title]) => {
    const link = Object.assign(document.createElement("a"), { href: up + address, textContent: title });
    link.append(Object.assign(document.createElement("small"), { textContent: page }));
    return link;
  }));
});
"""
# Makes the pages work without a network. Browsers allow this only for secure addresses.
OFFLINE = 'navigator.serviceWorker?.register(up + "sw.js").catch(() => {});\n'
# The player, which follows the first sentence of the first page.
HEAR = (
    '<link rel="stylesheet" href="hear/hear.css">'
    '<retrograde-hear data-samples="Music=hear/sample.mp3|Speech=hear/speech.wav">'
    "<p>The player needs JavaScript, and a page from a web server, such as <code>python3 -m http.server</code>.</p></retrograde-hear>"
    '<script type="module" src="hear/hear.js"></script>'
    '<p><a href="compare.html">Before and after</a>: hear how several programs preserve the pitch, and see the spectrograms.</p>'
)
COMPARE = """<link rel="stylesheet" href="hear/compare.css"><h1>Before and after</h1>
<p>Short sounds are stretched with their pitch preserved by Retrograde and by other programs, and an MP3 is played
backwards. Choose a picture to hear that version. If you choose another one during playback, it continues at the same
position. The difference between two spectrograms is the mean over all bands of the mel scale, in dB (log-mel).</p>
<p>All versions of a sound are equally loud: the louder ones are played at a lower level (ITU-R BS.1770). The delay of each
program has been removed.
<a href="sounds.html">How they were made</a>, <a href="sound.html">all figures</a>.</p>
<p class="compare-keys">Keys: Space plays and pauses, 1 to 9 or the arrows choose.</p>"""
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b62b8"/>'
    '<path d="M16 8v16L5 16zM27 8v16L16 16z" fill="#fff"/></svg>'
)


def setting(name: str) -> str:
    """Returns an address of site.conf, "" if there is none. The environment has precedence."""
    found = re.search(rf"^{name}=(.*)$", (ROOT / "scripts/site.conf").read_text(), re.MULTILINE)
    return os.environ.get(name, found[1].strip() if found else "")


def description(body: str) -> str:
    """Returns the first paragraph of a page as plain text, for search engines."""
    found = re.search(r"<p>(.*?)</p>", body, re.DOTALL)
    text = " ".join(re.sub(r"<[^>]+>", "", found[1]).split()) if found else "Audio backwards, and at any speed, in GStreamer"
    return html.escape(html.unescape(text)[:300])


def picture_of(page: str) -> str:
    """Returns the tags with the picture for previews of links to a page. Without SITE, there is
    none, because its address must be absolute."""
    site = setting("SITE").rstrip("/")
    if not site:
        return ""
    address = html.escape(f"{site}/{page.removesuffix('index.html')}")
    return f'<meta property="og:image" content="{html.escape(site)}/pictures/window-light.png"><meta property="og:url" content="{address}">'


def slug(text: str, separator: str = "-") -> str:
    """Returns the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)


class Site:
    def __init__(self, folder: Path):
        self.folder = folder
        self.has_player = (folder / "hear/hear.js").exists()
        self.sources: set[Path] = set()  # linked files that are not pages
        self.sections: list[tuple[str, str, str, str]] = []  # address, page, heading, text for the search

    def index(self, page: str, title: str, body: str) -> None:
        """Adds the sections of a page to the search index."""
        parts = re.split(r'<h[1-3] id="([^"]*)">(.*?)</h[1-3]>', body)
        for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            words = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", f"{heading} {text}")).lower().split())
            self.sections.append((f"{page}#{anchor}", title, html.unescape(re.sub(r"<[^>]+>", "", heading)), words))

    def write(self, page: str, title: str, body: str) -> None:
        target = self.folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * page.count("/")
        target.write_text(
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="{up}style.css">'
            f'<link rel="icon" href="{up}icon.svg"><meta name="description" content="{description(body)}">'
            f'<meta property="og:title" content="{html.escape(title)}">{picture_of(page)}'
            f'</head><body><a class="skip" href="#pages">Skip to the list of pages</a>'
            f'<main id="page">{body}</main>'
            f'<nav id="pages" tabindex="-1"><details open><summary>Retrograde: all pages</summary>'
            f'<input id="search" type="search" placeholder="Search" aria-label="Search" data-up="{up}"><div id="found" role="status"></div>'
            f"{self.navigation(page, up)}</details></nav>"
            f"<script>{SCRIPT}\n{SEARCH}{OFFLINE if self.has_player else ''}</script></body></html>\n"
        )

    def navigation(self, here: str, up: str) -> str:
        parts = []
        for page, source, title in PAGES:
            if page is None:
                parts.append(f"<b>{title}</b>")
            elif source or (self.folder / page).exists():
                current = ' aria-current="page"' if page == here else ""
                address = up + page.removesuffix("index.html") if source is None else up + page
                parts.append(f'<a href="{address}"{current}>{html.escape(title)}</a>')
        outside = [(name, setting(variable)) for name, variable in OUTSIDE.items()]
        parts += [f'<a href="{html.escape(address)}">{name}</a>' for name, address in outside if address]
        return "".join(parts)

    def address(self, link: str, source: Path) -> str:
        """Returns the address on the site of the target of a link or picture in the page
        `source`."""
        path, _, anchor = link.partition("#")
        if not path or re.match(r"[a-z]+:", link):
            return link
        target = (source.parent / path).resolve()
        name = target.relative_to(ROOT).as_posix()
        if name in BY_SOURCE:
            return BY_SOURCE[name] + (f"#{anchor}" if anchor else "")
        if target.suffix in (".png", ".svg"):
            (self.folder / "pictures").mkdir(exist_ok=True)
            shutil.copy(target, self.folder / "pictures" / target.name)
            return f"pictures/{target.name}"
        self.sources.add(target)
        return f"source/{name}.html"

    def add_page(self, page: str, source: Path, title: str) -> None:
        releases = setting("RELEASES")
        written = source.read_text().replace("<!-- releases -->", RELEASED.format(releases=releases) if releases else "")
        written = re.sub(r"<!--.*?-->", "", written)
        text = markdown.markdown(
            written, extensions=EXTENSIONS, extension_configs={"toc": {"slugify": slug}}, output_format="html"
        )
        text = re.sub(r'(href|src)="([^"]+)"', lambda match: f'{match[1]}="{self.address(match[2], source)}"', text)
        text = text.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        text = re.sub(r'<p>(<img [^>]*src="([^"]*)"[^>]*>)</p>', r'<p class="picture"><a href="\2">\1</a></p>', text)
        self.index(page, title, text)
        if page == "index.html" and self.has_player:
            text = text.replace("</p>", f"</p>{HEAR}", 1)
        self.write(page, title, text)

    def add_source(self, path: Path) -> None:
        """Adds a page with the text of a file, or with the list of the files in a folder."""
        name = path.relative_to(ROOT).as_posix()
        up = "../" * (name.count("/") + 1)
        if path.is_dir():
            entries = sorted(entry for entry in path.iterdir() if not entry.name.startswith((".", "__")))
            files = [entry for entry in entries if entry.is_file()]
            self.sources.update(files)
            lines = [f'<a href="{up}source/{entry.relative_to(ROOT)}.html">{entry.name}</a>' if entry in files else f"{entry.name}/" for entry in entries]
            body = f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
        else:
            try:
                body = f"<pre>{html.escape(path.read_text())}</pre>"
            except UnicodeDecodeError:
                body = f"<p>{path.stat().st_size} bytes.</p>"
        self.write(f"source/{name}.html", name, f"<h1>{html.escape(name)}</h1>{body}")

    def add_sources(self) -> None:
        done: set[Path] = set()
        while self.sources - done:
            for path in sorted(self.sources - done):
                self.add_source(path)
                done.add(path)


def shown_value(text: str) -> str:
    """Returns a value of a property for display; −1 for the largest 64-bit number."""
    return "−1" if text == str(2**64 - 1) else html.escape(text)


def property_text(name: str, about: dict, types: dict) -> str:
    facts = [about["type"]]
    if "min" in about and about["type"] != "gboolean":
        is_open = about["max"] == str(2**64 - 1)
        facts.append(f"{about['min']} or more, or −1" if is_open else f"{about['min']} … {html.escape(about['max'])}")
    facts.append(f"default {shown_value(str(about.get('default') or 'none'))}")
    if about["writable"]:
        facts.append({"playing": "live", "ready": "to be set in READY", "null": "to be set in NULL"}.get(about.get("mutable"), ""))
    else:
        facts.append("read-only")
    facts.append("controllable" if about["controllable"] else "")
    values = types.get(about["type"], {}).get("values", [])
    items = "".join(f"<li><code>{value['name']}</code>: {html.escape(value['desc'])}</li>" for value in values)
    return (
        f'<h3 id="{name}"><code>{name}</code></h3><p class="facts">{", ".join(filter(None, facts))}</p>'
        f"<p>{html.escape(about['blurb'])}.</p>" + (f"<ul>{items}</ul>" if items else "")
    )


def element_page(name: str) -> str:
    """Returns the page of an element, from the plugin cache that `make lint` verifies."""
    plugin = json.loads(CACHE.read_text())["retrograde"]
    about, types = plugin["elements"][name], plugin["other-types"]
    inherited = {"name", "parent", "qos"}
    properties = {key: value for key, value in about["properties"].items() if key not in inherited}
    pads = (
        f"<h3>{pad}</h3><p>{template['presence']}</p><pre>{html.escape(template['caps'])}</pre>"
        for pad, template in about["pad-templates"].items()
    )
    signals = "".join(f"<li><code>{signal}</code></li>" for signal in about["signals"])
    return (
        f"<h1>{name}: reference</h1><p>{html.escape(about['description'])}. Class {about['klass']}, "
        f'rank {about["rank"]}. <a href="{name}.html">What it is for</a></p><h2>Properties</h2>'
        + "".join(property_text(key, value, types) for key, value in properties.items())
        + f"<h2>Pads</h2>{''.join(pads)}<h2>Signals</h2>"
        + (f"<ul>{signals}</ul>" if signals else "<p>It has none.</p>")
    )


def axes(top_hz: float, seconds: float) -> str:
    """Returns the labels below and on the left of a spectrogram."""
    khz = [f"{top_hz * share / 1000:g}" for share in (0, 0.5, 1)]
    hertz = "".join(f'<i style="bottom:{50 * place}%">{label}</i>' for place, label in enumerate(khz))
    times = "".join(f'<i style="left:{100 * second / seconds:.1f}%">{second}</i>' for second in range(int(seconds) + 1))
    return f'<span class="hertz" aria-hidden="true">{hertz}</span><span class="seconds" aria-hidden="true">{times}</span>'


def version_of(version: dict, pair: dict) -> str:
    """Returns a <figure> with one version of a sound, which works without scripts, too."""
    figure = "" if version["figure"] is None else f"<output>{version['figure']:.1f} {pair['unit']}</output>"
    ours = " data-ours" if version["id"] == "retrograde" else ""
    name = html.escape(version["name"])
    alt = f"Spectrogram of {name}, {version['seconds']:.1f} s, up to {pair['topHz'] / 1000:g} kHz"
    return (
        f'<figure data-name="{name}" data-gain="{version["gain"]:g}"{ours}><span class="shot"><img src="sounds/{version["picture"]}" alt="{alt}" width="400" '
        f'height="160" loading="lazy">{axes(pair["topHz"], version["seconds"])}</span><figcaption><b>{name}</b>{figure}'
        f'<small>{html.escape(version["detail"])}</small></figcaption><audio controls preload="none" src="sounds/{version["sound"]}"></audio></figure>'
    )


def colour_scale(scale: dict) -> str:
    low, high = (f"{db}".replace("-", "−") for db in scale["db"])
    colours = ", ".join(f"rgb({red}, {green}, {blue})" for red, green, blue in scale["colours"])
    return (
        f'<p class="scale">Level: {low} dB <span role="img" aria-label="from dark to light" style="background: linear-gradient(to right, {colours})">'
        f"</span> {high} dB, of a sine at full scale. Axes: frequency in kHz, time in s.</p>"
    )


def summary(pairs: list[dict]) -> str:
    """Returns the paragraph that says for how many sounds with a known ideal Retrograde is nearest
    to it, and for which it is not."""
    stretched = [pair for pair in pairs if pair["factor"] > 0]
    judged = [pair for pair in stretched if any(version["id"] == "ideal" for version in pair["versions"])]
    others = [f'<a href="#{pair["id"]}">{pair["title"]}</a>' for pair in judged if "not the best" in pair["verdict"]]
    heading = f"<p>For {len(judged)} of the {len(stretched)} stretched sounds, the ideal result is known"
    if not others:
        return f"{heading}, and Retrograde is nearest to it in all of them.</p>"
    return f"{heading}. Retrograde is nearest to it in {len(judged) - len(others)} of them. Another program is nearer in: {', '.join(others)}.</p>"


def compare_page(made: dict) -> str:
    """Returns the page with the sounds of `make site-sounds`."""
    pairs, parts = made["pairs"], []
    for pair in pairs:
        title = pair["title"] if pair["factor"] < 0 else f"{pair['title']}, {pair['factor']:g} times as long"
        versions = "".join(version_of(version, pair) for version in pair["versions"])
        parts.append(
            f'<h2 id="{pair["id"]}">{title}</h2><p>{html.escape(pair["listen"])}</p><p>{html.escape(pair["verdict"])} '
            f'<small>({html.escape(pair["measure"])})</small></p><p><small>Source: {html.escape(pair["source"])}</small></p>'
            f'<retrograde-compare id="pair-{pair["id"]}" data-title="{html.escape(title)}"><div class="versions">{versions}</div></retrograde-compare>'
        )
    origin = re.sub(r"`(.*?)`", r"<code>\1</code>", made["origin"])
    return COMPARE + summary(pairs) + colour_scale(made["scale"]) + "".join(parts) + f'{origin}<script type="module" src="hear/compare.js"></script>'


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/docs"
    folder.mkdir(parents=True, exist_ok=True)
    site = Site(folder)
    if not site.has_player:  # leave out the pages that need the player
        PAGES[:] = [entry for entry in PAGES if entry[0] not in HEARD]
        for source in [source for source, page in BY_SOURCE.items() if page in HEARD]:
            del BY_SOURCE[source]
    (folder / "style.css").write_text(STYLE)
    (folder / "icon.svg").write_text(ICON)
    for page, source, title in PAGES:
        if page and source and page.startswith("element-"):
            site.write(page, title, element_page(source))
        elif page == "compare.html":
            shutil.copytree(ROOT / "web/sounds", folder / "sounds", ignore=shutil.ignore_patterns("*.md", "*.json"), dirs_exist_ok=True)
            body = compare_page(json.loads((ROOT / source).read_text()))
            site.index(page, title, body)
            site.write(page, title, body)
        elif page and source:
            site.add_page(page, ROOT / source, title)
    site.add_sources()
    (folder / "search.json").write_text(json.dumps(site.sections))
    if site.has_player:
        kept = ["*.html", "style.css", "icon.svg", "search.json", "hear/*", "pictures/*"]
        subprocess.run([ROOT / "scripts/make-offline.py", folder, *kept], check=True)
    print(f"{os.path.relpath(folder)}/index.html: python3 -m http.server -d {os.path.relpath(folder)}")


if __name__ == "__main__":
    main()
