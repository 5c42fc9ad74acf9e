#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: with-gstreamer.sh PREFIX COMMAND …
#
# Runs a command with the GStreamer that is installed below PREFIX instead of the system's,
# both for building and for running.
set -eu

if [ $# -lt 2 ]; then
  echo "Say where GStreamer is installed, and what to run: with-gstreamer.sh PREFIX COMMAND …" >&2
  exit 2
fi
prefix=$(realpath "$1")
shift

# lib, lib64, or Debian's lib/x86_64-linux-gnu
library=$(find "$prefix" -name gstreamer-1.0.pc -printf '%h\n' -quit 2>/dev/null)
if [ -z "$library" ]; then
  echo "There is no GStreamer below $prefix: no gstreamer-1.0.pc was found." >&2
  exit 2
fi
library=${library%/pkgconfig}

export PATH=$prefix/bin:$PATH
export LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH=$library/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export GI_TYPELIB_PATH=$library/girepository-1.0${GI_TYPELIB_PATH:+:$GI_TYPELIB_PATH}
export GST_PLUGIN_SYSTEM_PATH_1_0=$library/gstreamer-1.0
export GST_PLUGIN_SCANNER_1_0=$prefix/libexec/gstreamer-1.0/gst-plugin-scanner
# Do not use the registry of the system's GStreamer. Scripts and tests set a registry of their own,
# in the build folder.
export GST_REGISTRY_1_0=${XDG_CACHE_HOME:-$HOME/.cache}/gstreamer-1.0/registry${prefix//\//-}.bin
exec "$@"
