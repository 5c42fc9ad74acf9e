#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds everything with sanitizers in build-NAME, C with the clang of the Swift toolchain,
# and runs the tests of the plugin.
#
#   sanitize.sh NAME SANITIZERS [TEST …]      SANITIZERS: as for meson's b_sanitize
set -eu
cd "$(dirname "$0")/.."

name=$1 sanitizers=$2
shift 2

toolchain=$(dirname "$(command -v swiftc)")
if [ "$sanitizers" = thread ]; then
  # the ThreadSanitizer of this clang refers to libdispatch
  libraries=$toolchain/../lib/swift/linux
  export LDFLAGS="-L$libraries -Wl,-rpath,$libraries -ldispatch -lBlocksRuntime"
fi

if [ ! -f "build-$name/build.ninja" ]; then
  CC="$toolchain/clang" CC_LD=lld meson setup "build-$name" \
    -Db_sanitize="$sanitizers" -Db_lundef=false
fi
ninja -C "build-$name" all meson-test-prereq
# sanitizers make everything several times slower
export CK_TIMEOUT_MULTIPLIER=5
exec meson test -C "build-$name" --suite plugin --suite race --no-rebuild --print-errorlogs \
  --timeout-multiplier 10 "$@"
