#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the plugin and the tool for aarch64, in build-aarch64. The sysroot there is a Debian
# 12 for arm64 with the packages for building and testing. The packages are only unpacked, so
# this machine is not changed.
set -eu
source "$(dirname "$0")/common.sh"
build=$root/build-aarch64
swift=$build/swift
include=libgstreamer-plugins-base1.0-dev,gstreamer1.0-plugins-base,gstreamer1.0-plugins-good,gstreamer1.0-tools,libc6-dev,libstdc++-12-dev

if [ ! -f "$build/sysroot.ini" ]; then
  rm -rf "$build/sysroot"
  mkdir -p "$build"
  echo "Unpacking Debian 12 for arm64 …"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$include" \
    bookworm "$build/sysroot"
  # qemu would use the sysroot's folders even for /tmp and the like, so remove all folders
  # but those of programs and libraries.
  find "$build/sysroot" -mindepth 1 -maxdepth 1 ! -name usr ! -name 'lib*' -exec rm -rf {} +
  # make links relative, because absolute links would lead out of the sysroot
  find "$build/sysroot/usr/lib" "$build/sysroot/lib" -type l -lname '/*' -printf '%p\n%l\n' |
    while read -r link && read -r target; do
      ln -snfr "$build/sysroot$target" "$link"
    done
  printf "[constants]\nsysroot = '%s'\n" "$build/sysroot" > "$build/sysroot.ini"
fi
[ -f "$build/build.ninja" ] || meson setup "$build" \
  --cross-file "$build/sysroot.ini" --cross-file packaging/aarch64.ini
ninja -C "$build" programs

# ---- the tool ----

# The tool needs Swift's libraries for Linux on aarch64, and the compiler that built them.
# Debian sid has both; the compiler runs on this machine.
if [ ! -d "$build/sysroot/usr/lib/swift_static" ]; then
  rm -rf "$swift"
  echo "Unpacking Debian's Swift …"
  # adopt this machine's setting for whether the lists of an archive may be out of date
  must_be_recent=true
  eval "$(apt-config shell must_be_recent Acquire::Check-Valid-Until/b)"
  # shellcheck disable=SC2016 # mmdebstrap runs the hook
  mmdebstrap --quiet --variant=extract --architectures="$(dpkg --print-architecture),arm64" \
    --include=swiftlang,dash,git,libc6-dev --aptopt="Acquire::Check-Valid-Until \"$must_be_recent\"" \
    --extract-hook='cd "$1" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get download swiftlang:arm64' \
    sid "$swift"
  # the target of a link to headers
  ln -s "$build/sysroot/usr/include/gstreamer-1.0" "$swift/usr/include"
  dpkg-deb --fsys-tarfile "$swift"/swiftlang_*_arm64.deb |
    tar -x --strip-components=5 -C "$swift" ./usr/libexec/swift/lib/clang ./usr/libexec/swift/lib/swift_static
  rm "$swift"/swiftlang_*_arm64.deb
  mv "$swift/clang" "$swift/swift_static" "$build/sysroot/usr/lib"
fi
aarch64-linux-gnu-gcc --sysroot="$build/sysroot" -O2 -fPIE -c packaging/newer-glibc.c \
  -o "$build/sysroot/usr/lib/swift_static/newer-glibc.o"
SYSROOT=$build/sysroot SWIFT=packaging/swift-aarch64.sh scripts/make-tool.sh "$build/tool" \
  qemu-aarch64-static -L "$build/sysroot"
