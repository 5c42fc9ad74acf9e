#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes the source archive, the archive of the player for web pages and, from the Debian packages in
# build/packages, an archive of binaries for each of their architectures. Also writes SHA-256 sums.
set -eu
source "$(dirname "$0")/common.sh"

# from Debian's name of an architecture to the kernel's, which is in the names of archives
declare -A machine=([amd64]=x86_64 [arm64]=aarch64)
work=$root/build/dist

# binaries FOLDER ARCHITECTURE: unpacks the packages, and arranges their files as install.sh
# expects them
binaries() {
  local folder=$1 unpacked=$work/unpacked package
  rm -rf "$unpacked"
  for package in "$packages"/*_"$2".deb; do
    dpkg-deb -x "$package" "$unpacked"
  done
  mkdir -p "$folder/lib/gstreamer-1.0"
  cp "$unpacked"/usr/lib/*/gstreamer-1.0/libgstretrograde.so "$folder/lib/gstreamer-1.0"
  cp LICENSE packaging/README.txt packaging/install.sh "$folder"
  scripts/make-site.py "$folder/doc" > /dev/null
  [ -f "$unpacked/usr/bin/retrograde" ] || return 0
  mkdir -p "$folder/bin" "$folder/share/man/man1" "$folder/share/zsh/site-functions"
  cp "$unpacked/usr/bin/retrograde" "$folder/bin"
  gunzip -c "$unpacked/usr/share/man/man1/retrograde.1.gz" > "$folder/share/man/man1/retrograde.1"
  cp -r "$unpacked/usr/share/bash-completion" "$unpacked/usr/share/fish" "$folder/share"
  cp "$unpacked/usr/share/zsh/vendor-completions/_retrograde" "$folder/share/zsh/site-functions"
}

rm -rf "$work" "$packages"/*.tar.xz
mkdir -p "$work" "$packages"
name=retrograde-$version
copy_sources "$work/$name"
# the package that Swift would download
swift package resolve
mkdir "$work/$name/Vendor"
cp -r .build/checkouts/swift-argument-parser "$work/$name/Vendor"
rm -rf "$work/$name/Vendor"/*/.git
archive "$packages/$name.tar.xz" "$work" "$name"

name=retrograde-$version-web
scripts/make-web.sh "$work/$name"
cp LICENSE web/README.md "$work/$name"
archive "$packages/$name.tar.xz" "$work" "$name"

for architecture in "${!machine[@]}"; do
  compgen -G "$packages/*_$architecture.deb" > /dev/null || continue
  name=retrograde-$version-linux-${machine[$architecture]}
  binaries "$work/$name" "$architecture"
  archive "$packages/$name.tar.xz" "$work" "$name"
done
sums
rm -rf "$work"
cat "$packages/SHA256SUMS"
