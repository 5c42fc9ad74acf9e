#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: need-packages.sh PURPOSE …
#
# Installs the missing Debian packages of packages-PURPOSE.txt. Without root, prints the command
# that installs them instead.
set -eu

packages=()
for purpose in "$@"; do
  # one package per line; '#' starts a comment
  mapfile -t list < <(sed 's/#.*//; s/ *$//; /^$/d' "$(dirname "$0")/packages-$purpose.txt")
  packages+=("${list[@]}")
done

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "These Debian packages, or your system's own, are needed: ${missing[*]}" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "Packages are missing; run this as root, then repeat your command:" >&2
  echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

echo "Installing ${#missing[@]} Debian packages and what they need …"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
install() {
  apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"
}
# counts the packages, so that you see that it works
count() {
  awk '/ newly installed/ { all = $3 } /^Setting up/ && ++done % 25 == 0 { printf "  %d of %d are set up\n", done, all; fflush() }'
}
set -o pipefail
if ! install 2>&1 | tee "$log" | count; then
  tail -n 20 "$log" >&2
  echo "The packages could not be installed; see above: ${missing[*]}" >&2
  exit 1
fi
rm -f "$log"
