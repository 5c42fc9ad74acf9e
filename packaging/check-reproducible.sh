#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds packages and archives twice, in different folders, from the sources without git,
# and checks that the results are identical.
set -eu
source "$(dirname "$0")/common.sh"

folders=("$root/build/reproducible/one" "$root/build/reproducible/another/and-longer/two")
rm -rf "$root/build/reproducible"
for folder in "${folders[@]}"; do
  copy_sources "$folder"
  # without git, the sources do not contain the settings of the sysroot for arm64
  [ ! -f build-aarch64/sysroot.ini ] || { mkdir -p "$folder/build-aarch64" && cp build-aarch64/sysroot.ini "$folder/build-aarch64"; }
done
for folder in "${folders[@]}"; do
  echo "Building in $folder …"
  (cd "$folder" && packaging/make-deb.sh && packaging/make-dist.sh) > "$folder.log" 2>&1 || {
    tail -n 40 "$folder.log" >&2
    exit 1
  }
done
if ! diff "${folders[0]}/build/packages/SHA256SUMS" "${folders[1]}/build/packages/SHA256SUMS"; then
  echo "The two builds differ." >&2
  exit 1
fi
cat "${folders[0]}/build/packages/SHA256SUMS"
echo "Both builds are the same bits."
