#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the elements of the built plugin with their committed description.

Usage: plugin-cache.py [--update]

The description, docs/plugins/gst_plugins_cache.json, contains every element, pad template, property
and signal, in the format of GStreamer's documentation caches. The comparison reveals accidental
changes that would affect applications and documentation; --update rewrites the description.
"""
import argparse
import difflib
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CACHE = ROOT / "docs/plugins/gst_plugins_cache.json"
os.environ |= {
    "GST_PLUGIN_PATH_1_0": str(ROOT / "build/gst-plugin"),
    "GST_PLUGIN_SYSTEM_PATH_1_0": "",
    "GST_REGISTRY_1_0": str(ROOT / "build/plugin-cache.registry"),
}

import gi  # noqa: E402

gi.require_version("Gst", "1.0")
gi.require_version("GstAudio", "1.0")
from gi.repository import GObject, Gst, GstAudio  # noqa: E402

# GstParamFlags: https://gstreamer.freedesktop.org/documentation/gstreamer/gstparamspec.html
CONTROLLABLE = 1 << 9
MUTABLE = {1 << 10: "ready", 1 << 11: "paused", 1 << 12: "playing"}


def hierarchy(gtype):
    """Yields the names of a class and its ancestors."""
    while gtype.name != "GObject":
        yield gtype.name
        gtype = gtype.parent
    yield "GObject"


def value_text(spec, value):
    """Returns a default value or a limit in the format of the caches."""
    if spec.value_type.is_a(GObject.TYPE_ENUM):
        return f"{value.value_nick} ({int(value)})"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    return "NULL" if value is None else str(value)


def property_entry(spec):
    entry = {
        "blurb": spec.blurb,
        "construct": bool(spec.flags & GObject.ParamFlags.CONSTRUCT),
        "construct-only": bool(spec.flags & GObject.ParamFlags.CONSTRUCT_ONLY),
        "controllable": bool(spec.flags & CONTROLLABLE),
        "default": value_text(spec, spec.default_value),
        "mutable": next((name for flag, name in MUTABLE.items() if spec.flags & flag), "null"),
        "readable": bool(spec.flags & GObject.ParamFlags.READABLE),
        "type": spec.value_type.name,
        "writable": bool(spec.flags & GObject.ParamFlags.WRITABLE),
    }
    for key, limit in ("max", "maximum"), ("min", "minimum"):
        if getattr(spec, limit, None) is not None:
            entry[key] = value_text(spec, getattr(spec, limit))
    return entry


def signal_entry(gtype, name):
    query = GObject.signal_query(name, gtype)
    return {
        "args": [{"name": f"arg{n}", "type": t.name} for n, t in enumerate(query.param_types)],
        "return-type": query.return_type.name,
    }


def caps_text(caps):
    """Returns caps in the format of the caches. The list of all formats, which depends on the
    running GStreamer, is replaced by its name in C."""
    listed = ", ".join(GstAudio.AudioFormat.to_string(f) for f in GstAudio.audio_formats_raw())
    return caps.to_string().replace("; ", ";\n").replace(f"{{ {listed} }}", "GST_AUDIO_FORMATS_ALL")


def pad_entry(template):
    return {
        "caps": caps_text(template.get_caps()),
        "direction": template.direction.value_nick,
        "presence": template.presence.value_nick,
    }


def own_types(gtype):
    """Yields a class and its ancestors, as far as they belong to the plugin."""
    while gtype.name != "GstElement":
        yield gtype
        gtype = gtype.parent


def element_entry(factory):
    element = factory.create(None)
    own = list(own_types(element.__gtype__))
    specs = [spec for spec in GObject.list_properties(element) if spec.owner_type in own]
    signals = [(gtype, name) for gtype in own for name in GObject.signal_list_names(gtype)]
    entry = {key: factory.get_metadata(key) for key in ("author", "description", "klass", "long-name")}
    return entry | {
        "hierarchy": list(hierarchy(element.__gtype__)),
        "pad-templates": {t.name_template: pad_entry(t) for t in factory.get_static_pad_templates()},
        "properties": {spec.name: property_entry(spec) for spec in specs},
        "rank": str(factory.get_rank()),
        "signals": {name: signal_entry(gtype, name) for gtype, name in signals},
    }, specs


def enum_entry(gtype):
    values = [value for _, value in sorted(gtype.pytype.__enum_values__.items())]
    return {
        "kind": "enum",
        "values": [{"desc": v.value_name, "name": v.value_nick, "value": str(int(v))} for v in values],
    }


def describe(plugin):
    elements, types = {}, {}
    for factory in Gst.Registry.get().get_feature_list_by_plugin(plugin.get_name()):
        elements[factory.get_name()], specs = element_entry(factory.load())
        types |= {s.value_type.name: enum_entry(s.value_type) for s in specs if s.value_type.is_a(GObject.TYPE_ENUM)}
    return {
        plugin.get_name(): {
            "description": plugin.get_description(),
            "elements": elements,
            "filename": pathlib.Path(plugin.get_filename()).stem.removeprefix("lib"),
            "license": plugin.get_license(),
            "other-types": types,
            "package": plugin.get_package(),
            "source": plugin.get_source(),
            "url": plugin.get_origin(),
        }
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--update", action="store_true", help="write what the plugin says now")
    arguments = parser.parse_args()

    Gst.init([])
    plugin = Gst.Registry.get().find_plugin("retrograde")
    if plugin is None:
        sys.exit("The plugin is not built, or does not load: run `make build` first.")
    said = json.dumps(describe(plugin), indent=4, sort_keys=True) + "\n"
    if arguments.update:
        CACHE.parent.mkdir(parents=True, exist_ok=True)
        CACHE.write_text(said)
        return
    committed = CACHE.read_text() if CACHE.exists() else ""
    if said != committed:
        sys.stderr.writelines(difflib.unified_diff(committed.splitlines(True), said.splitlines(True), "committed", "built"))
        name = CACHE.relative_to(ROOT)
        sys.exit(f"{name} is not what the built plugin says: if the change is intended, run `scripts/plugin-cache.py --update` and commit it.")


if __name__ == "__main__":
    main()
