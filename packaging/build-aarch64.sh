#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Debian 12 for arm64 in build-aarch64/sysroot, with what the plugin is built with
# and tested with, and a build folder for it, build-aarch64. The packages are only
# unpacked: nothing of this machine is changed, and nothing of them is run.
set -eu
source "$(dirname "$0")/common.sh"
build=$root/build-aarch64
include=libgstreamer-plugins-base1.0-dev,gstreamer1.0-plugins-base,gstreamer1.0-plugins-good,gstreamer1.0-tools,libc6-dev

if [ ! -f "$build/sysroot.ini" ]; then
  rm -rf "$build/sysroot"
  mkdir -p "$build"
  echo "Unpacking Debian 12 for arm64 …"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$include" \
    bookworm "$build/sysroot"
  # qemu looks here first, also for /tmp and the like, which are to be this machine's
  find "$build/sysroot" -mindepth 1 -maxdepth 1 ! -name usr ! -name 'lib*' -exec rm -rf {} +
  # links to absolute places would lead out of it
  find "$build/sysroot/usr/lib" "$build/sysroot/lib" -type l -lname '/*' -printf '%p\n%l\n' |
    while read -r link && read -r target; do
      ln -snfr "$build/sysroot$target" "$link"
    done
  printf "[constants]\nsysroot = '%s'\n" "$build/sysroot" > "$build/sysroot.ini"
fi
[ -f "$build/build.ninja" ] || meson setup "$build" \
  --cross-file "$build/sysroot.ini" --cross-file packaging/aarch64.ini
ninja -C "$build" programs
