#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: make-deb.sh [FOLDER]
#
# Builds Debian packages into build/packages: for this machine's architecture, and for arm64
# if `make build-aarch64` has been run. Builds them from copies of the sources in FOLDER
# (default: build/deb).
set -eu
source "$(dirname "$0")/common.sh"
folder=${1:-$root/build/deb}
tree=$folder/retrograde-$version

# debian_folder TREE: creates TREE/debian
debian_folder() {
  cp -r packaging/debian "$1/debian"
  cat > "$1/debian/changelog" << END
retrograde ($version-1) unstable; urgency=medium

  * Release $version. The changelog of the sources lists the changes.

 -- The Retrograde authors <retrograde@localhost>  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
}

# build_packages TREE LOG OPTION …: runs dpkg-buildpackage; prints its output only if it fails
build_packages() {
  local tree=$1 log=$2
  shift 2
  if ! (cd "$tree" && dpkg-buildpackage -b -us -uc -ui "$@") > "$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "The packages could not be built; the whole output is in $log." >&2
    exit 1
  fi
}

appstreamcli validate --no-net --pedantic --no-color packaging/retrograde.metainfo.xml
rm -f "$folder"/*.*deb "$packages"/*.*deb
mkdir -p "$folder" "$packages"
copy_sources "$tree"
debian_folder "$tree"
build_packages "$tree" "$folder/native.log"

if [ -n "$sysroot" ]; then
  export SYSROOT=$sysroot NATIVE=$tree/debian
  export CROSS_FILES="$root/build-aarch64/sysroot.ini $root/packaging/aarch64.ini"
  options=(-aarm64)
  [ -d "$sysroot/usr/lib/swift_static" ] || options+=(-Ppkg.retrograde.notool)
  cross_tree=$folder/retrograde-$version-arm64
  copy_sources "$cross_tree"
  debian_folder "$cross_tree"
  # -d, because the build dependencies are not installed but in build-aarch64/sysroot
  build_packages "$cross_tree" "$folder/arm64.log" "${options[@]}" -d
fi
cp "$folder"/*.deb "$packages"
rm -f "$packages"/*-dbgsym_*
sums
lintian --allow-root --fail-on error,warning "$packages"/*.deb
ls "$packages"/*.deb
