#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The part of check-packages.sh that builds the archive of the sources in a bare Debian. It has the
# packages that the lists name, and Swift in SWIFT_PATH, but no network while it builds.
set -eu
cd /work
apt-get update > quiet.log 2>&1
# what unpacks the archive, and reads the sound
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends xz-utils gstreamer1.0-plugins-base \
  gstreamer1.0-plugins-good > quiet.log 2>&1
tar -xf packages/*.tar.xz
cd retrograde-*/
echo "== make build tool, without a network"
scripts/need-packages.sh build tool > quiet.log 2>&1 || { cat quiet.log; exit 1; }
export PATH=$SWIFT_PATH:$PATH
unshare --net make build tool > quiet.log 2>&1 || { tail -n 40 quiet.log; exit 1; }
cd /work
tool=$(echo retrograde-*/build/tool/retrograde)
"$tool" --version
"$tool" reverse sample.wav -o built-tool-reversed.wav
"$tool" scale --factor 1.5 --interpolation linear sample.wav -o built-tool-scaled.wav
