#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs the programs for comparison that are Python packages into build/venv-peers, which uses
# the system's numpy and scipy. They are optional: `make quality` names the programs that are not
# installed, and leaves them out.
cd "$(dirname "$0")/.." || exit 1

list=scripts/packages-quality-pypi.txt
venv=build/venv-peers
[ "$venv/installed" -nt "$list" ] && exit 0

mkdir -p build
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if /usr/bin/python3 -m venv --system-site-packages "$venv" > "$log" 2>&1 &&
  "$venv/bin/pip" install -q -r "$list" >> "$log" 2>&1; then
  touch "$venv/installed"
else
  tail -n 5 "$log" >&2
  echo "Signalsmith and Bungee could not be installed; they are left out." >&2
fi
exit 0
