#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: setup.sh [FOLDER]
#
# Creates a Python environment with Dask in FOLDER (default: build/cluster-venv), unless it
# exists.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../build/cluster-venv}

cmp -s "$here/requirements.txt" "$folder/requirements.txt" && exit 0
rm -rf "$folder"
/usr/bin/python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
cp "$here/requirements.txt" "$folder/"
