#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The part of check-packages.sh that runs in the bare Debian. The folder /work contains the
# packages and a sound, and receives the results.
set -eu
cd /work
export DEBIAN_FRONTEND=noninteractive

die() {
  echo "$*" >&2
  exit 1
}

# quiet COMMAND …: prints output only if the command fails
quiet() {
  "$@" > quiet.log 2>&1 || { cat quiet.log; exit 1; }
}

# files: lists all files except for those of apt and dpkg, and this folder
files() {
  find / -xdev \( -path /work -o -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/lib/dpkg \
    -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /run \) -prune -o -print | sort
}

# make_sound NAME: reverses and scales the sound with GStreamer and, if it is installed, with
# the tool
make_sound() {
  local source=(filesrc location=sample.flac ! flacparse ! flacdec ! audioconvert !
    'audio/x-raw,format=S16LE')
  gst-launch-1.0 -q "${source[@]}" ! revbuf direction=reverse ! wavenc ! filesink location="$1-reversed.wav"
  gst-launch-1.0 -q "${source[@]}" ! timescale factor=1.5 interpolation=linear ! wavenc ! filesink location="$1-scaled.wav"
  gst-launch-1.0 -q "${source[@]}" ! timescale factor=1.5 keep-pitch=true ! wavenc ! filesink location="$1-stretched.wav"
  retrograde reverse sample.flac -o "$1-tool-reversed.wav"
  retrograde scale --factor 1.5 --interpolation linear sample.flac -o "$1-tool-scaled.wav"
  retrograde scale --factor 1.5 --keep-pitch sample.flac -o "$1-tool-stretched.wav"
  retrograde info "$1-tool-scaled.wav"
}

for program in swift swiftc gcc cc clang make meson; do
  ! command -v "$program" > /dev/null || die "This Debian is not bare: it has $program."
done

echo "== apt-get install"
quiet apt-get update
quiet apt-get install -y --no-install-recommends gstreamer1.0-tools xz-utils
quiet apt-get install -y --no-install-recommends ./packages/*.deb
! dpkg -L gstreamer1.0-retrograde retrograde | grep -i swift || die "Something of Swift was installed."
! ldd /usr/bin/retrograde | grep -iE "swift|not found" || die "The tool needs what is not there."
dpkg-query -W -f '${Package} ${Version} ${Installed-Size} KiB\n' gstreamer1.0-retrograde retrograde
gst-inspect-1.0 retrograde | grep -E "Version|revbuf|timescale"
retrograde --version
make_sound packages

echo "== apt-get purge"
purge() {
  quiet apt-get purge -y gstreamer1.0-retrograde retrograde
  rm -rf /root/.cache
}
purge
find / -xdev -path /work -prune -o -path /proc -prune -o -path /var/cache/apt -prune -o \
  -iname '*retrograde*' -print > left.txt
[ ! -s left.txt ] || die "The packages left: $(cat left.txt)"
# dependencies are installed by now, so any later difference is due to our packages
files > before.txt
quiet apt-get install -y --no-install-recommends ./packages/*.deb
purge
files > purged.txt
diff before.txt purged.txt || die "The packages left something behind, or took something away."

echo "== the archive"
tar -xf packages/*.tar.xz
folder=$(echo retrograde-*/)
[ -f "$folder/doc/index.html" ] || die "The archive has no pages."
"$folder/install.sh"
export PATH=/root/.local/bin:$PATH
make_sound archive
"$folder/install.sh" --uninstall
rm -rf /root/.cache
find /root/.local -type d -empty -delete
files > purged.txt
diff before.txt purged.txt || die "The archive left something behind."
