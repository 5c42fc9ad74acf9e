#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: check-tools.sh [swift]
#
# Checks that the tools for a build are installed and new enough; with `swift`, only that there is a
# Swift, which needs some packages to run. If a tool is missing or too old, exits with a sentence about
# the first such tool.
set -u

APT="as root: apt-get install meson ninja-build gcc pkg-config libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev"

need() { # NAME, MINIMUM, FOUND (empty: none), HOW TO GET IT
  if [ -z "$3" ]; then
    echo "$1 $2 or newer is needed and was not found; $4" >&2
    exit 1
  fi
  if ! printf '%s\n%s\n' "$2" "$3" | sort -V -C; then
    echo "$1 $2 or newer is needed and this is $3; $4" >&2
    exit 1
  fi
}

swift_found=$(swiftc --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
meson_found=$(meson --version 2>/dev/null)
gst_found=$(pkg-config --modversion gstreamer-1.0 2>/dev/null)
audio_found=$(pkg-config --modversion gstreamer-audio-1.0 2>/dev/null)

# the toolchain for this system; the address of the others is the same for all
how_to_get_swift() {
  local system
  # shellcheck disable=SC1091 # each system has its own
  system=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${ID_LIKE:-}")
  case $system in
    *debian*) echo "get the one for Debian 12 or your Ubuntu from https://www.swift.org/install/linux" ;;
    *fedora*) echo "dnf install swift-lang, or get the one for Fedora from https://www.swift.org/install/linux" ;;
    *arch*) echo "get the package swift-bin from the AUR, or the one for Debian 12 from https://www.swift.org/install/linux" ;;
    *) echo "get one from https://www.swift.org/install/linux" ;;
  esac
  echo "  unpack it: mkdir -p ~/swift && tar -xf swift-*.tar.gz -C ~/swift --strip-components=1"
  echo "  and say where it is: export PATH=\$HOME/swift/usr/bin:\$PATH"
}

if [ "${1:-}" = swift ]; then
  need Swift 6.3 "$(command -v swiftc > /dev/null && echo 6.3)" "$(how_to_get_swift)"
  exit 0
fi
if [ -z "$swift_found" ] && command -v swiftc > /dev/null; then
  echo "Swift does not run: $(swiftc --version 2>&1 | tail -n 1); install as root: apt-get install libncurses6 libsqlite3-0 libxml2" >&2
  exit 1
fi
need Swift 6.3 "$swift_found" "$(how_to_get_swift)"
need Meson 1.0.0 "$meson_found" "install it $APT"
need Ninja 1.8 "$(ninja --version 2>/dev/null)" "install it $APT"
need "A C compiler (gcc)" 8 "$(gcc -dumpfullversion 2>/dev/null)" "install it $APT"
need GStreamer 1.20 "$gst_found" "install it $APT"
need "GStreamer's audio library" 1.20 "$audio_found" "install it $APT"
