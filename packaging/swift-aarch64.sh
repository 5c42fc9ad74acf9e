#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: SYSROOT=FOLDER swift-aarch64.sh build OPTION …
#
# Runs `swift build` for Debian 12 on aarch64, with the Swift that build-aarch64.sh has unpacked
# beside the sysroot. That Swift is from a later Debian and needs the libraries of that Debian, so
# it runs in a mount namespace in which /usr is the one of the later Debian.
set -eu

options=(--triple aarch64-unknown-linux-gnu --sdk "$SYSROOT"
  --scratch-path .build/aarch64 --cache-path .build/aarch64/cache)
for option in -sdk "$SYSROOT" -resource-dir "$SYSROOT/usr/lib/swift_static" -use-ld=lld; do
  options+=(-Xswiftc "$option")
done
options+=(-Xlinker "$SYSROOT/usr/lib/swift_static/newer-glibc.o" -Xcc "-ffile-prefix-map=$SYSROOT=")

export PKG_CONFIG_PATH=$SYSROOT/usr/lib/aarch64-linux-gnu/pkgconfig:$SYSROOT/usr/share/pkgconfig
export PKG_CONFIG_SYSROOT_DIR=$SYSROOT
export SWIFT_ROOT=${SYSROOT%/*}/swift
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --map-root-user --mount bash -euc '
  mount --bind "$SWIFT_ROOT/usr" /usr
  libraries=/usr/libexec/swift/lib/swift
  export PATH=/usr/libexec/swift/bin:/usr/bin LD_LIBRARY_PATH=$libraries/linux:$libraries/host
  exec swift "$@"' bash "$@" "${options[@]}"
