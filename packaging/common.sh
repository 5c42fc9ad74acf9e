# shellcheck shell=bash disable=SC2034 # what is set here is used by the scripts
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Common functions of the scripts in this folder. Changes to the root of the project. The
# results are in build/packages.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
root=$PWD
version=$(cat VERSION)
packages=$root/build/packages
# the folder of Debian 12 for arm64; empty before build-aarch64.sh has been run
sysroot=$(sed -n "s/^sysroot = '\(.*\)'/\1/p" build-aarch64/sysroot.ini 2>/dev/null || true)

# Files in packages have the time of the commit. Without git, that is the time of VERSION,
# which the source archive has set to the time of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y VERSION)}
export SOURCE_DATE_EPOCH
# output must not depend on the settings of the user
export LC_ALL=C.UTF-8 TZ=UTC
umask 022

# source_files: prints the names of the sources, NUL-terminated.
source_files() {
  if [ -e .git ]; then
    git ls-files -z --cached --others --exclude-standard
  else
    find . \( -path './build*' -o -path ./.build -o -path ./demo -o -path ./out -o -path ./debian -o -name __pycache__ \) -prune -o \( -type f -o -type l \) -printf '%P\0' | sort -z
  fi
}

# copy_sources FOLDER: replaces the sources in FOLDER with the current sources. Keeps Swift's build
# files in FOLDER.
copy_sources() {
  mkdir -p "$1"
  find "$1" -mindepth 1 -maxdepth 1 ! -name .build ! -name Package.resolved -exec rm -rf {} +
  source_files | tar -c --null -T - | tar -x -C "$1"
}

# archive FILE.tar.xz FOLDER NAME: archives FOLDER/NAME, reproducibly
archive() {
  tar -C "$2" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --format=gnu -c "$3" | xz -6 -T1 > "$1"
}

# sums: writes the SHA-256 sums of all files in build/packages
sums() {
  (cd "$packages" && rm -f SHA256SUMS && sha256sum -- * > SHA256SUMS)
}
