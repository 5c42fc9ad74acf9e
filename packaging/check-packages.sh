#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the packages and the archives of build/packages in a bare Debian 12, without Swift and
# build tools: installs them, reverses and scales a file, compares the frames with FFmpeg's,
# removes everything, and checks that nothing is left. Then builds the archive of the sources in
# another bare Debian, without a network. Must run as root.
set -eu
source "$(dirname "$0")/common.sh"
bare=$root/build/bare-debian-12.tar
room=$root/build/bare
shared=$room/work

if [ "$(id -u)" -ne 0 ]; then
  echo "A bare Debian is another root folder, which only root may enter: run this as root." >&2
  exit 1
fi
if [ ! -f "$bare" ]; then
  echo "Unpacking a bare Debian 12 …"
  mmdebstrap --quiet --variant=apt bookworm "${bare%.tar}.new.tar"
  mv "${bare%.tar}.new.tar" "$bare"
fi

toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")

# unpack FILE …: unpacks a bare Debian with these packages in /work
unpack() {
  rm -rf "$room"
  mkdir -p "$room" "$root/build/bare-packages/partial"
  tar -x -C "$room" -f "$bare"
  # use this machine's network settings, and packages that were downloaded before
  cp /etc/resolv.conf "$room/etc/resolv.conf"
  cp -n /etc/apt/apt.conf.d/* "$room/etc/apt/apt.conf.d/" 2>/dev/null || true
  rm -f "$room/etc/apt/apt.conf.d/"docker*
  mkdir -p "$shared/packages" "$room$toolchain"
  cp "$@" "$shared/packages"
  cp launch-examples/media/sample.flac packaging/in-bare-debian.sh packaging/build-in-bare-debian.sh "$shared"
  ffmpeg -v error -i "$shared/sample.flac" -c:a pcm_s16le "$shared/sample.wav"
}

# enter SCRIPT SOUNDS [MOUNT]: runs a script in it, after the command MOUNT; it makes that many sounds
enter() {
  unshare --mount --pid --fork bash -euc "
    mount -t proc proc '$room/proc'
    mount --bind '$root/build/bare-packages' '$room/var/cache/apt/archives'
    ${3:-}
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 SWIFT_PATH='$toolchain/bin' \
      chroot '$room' /bin/bash '/work/$1'
  "
  packaging/compare-with-ffmpeg.py "$shared" "$2"
  rm -rf "$room"
}

unpack "$packages"/*_amd64.deb "$packages"/*-x86_64.tar.xz
enter in-bare-debian.sh 12
unpack "$packages/retrograde-$version.tar.xz"
enter build-in-bare-debian.sh 2 "mount --bind '$toolchain' '$room$toolchain'"
