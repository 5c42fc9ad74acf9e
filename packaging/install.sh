#!/bin/sh
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: install.sh [PREFIX]             installs below PREFIX (~/.local)
#        install.sh --uninstall [PREFIX]  removes what was installed there
set -eu

action=install
if [ "${1-}" = --uninstall ]; then
  action=uninstall
  shift
fi
prefix=${1:-$HOME/.local}
case $prefix in
  -*)
    echo "There is no option $1: install.sh [--uninstall] [PREFIX]" >&2
    exit 2
    ;;
esac
[ "$action" = uninstall ] || mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
cd "$(dirname "$0")"

# the core plugin of a GStreamer below PREFIX, if there is one
core=$(find "$prefix"/lib* -path '*/gstreamer-1.0/libgstcoreelements.so' 2>/dev/null | head -n 1)
plugins=${core%/*}
plugins=${plugins:-$prefix/lib/gstreamer-1.0}
# every GStreamer searches this folder for plugins of the user
own=$HOME/.local/share/gstreamer-1.0/plugins
plugin=libgstretrograde.so

one() { # FILE TARGET MODE
  if [ "$action" = install ]; then
    mkdir -p "${2%/*}"
    cp "$1" "$2.new"
    chmod "$3" "$2.new"
    mv "$2.new" "$2"
  else
    rm -f "$2"
  fi
}

one "lib/gstreamer-1.0/$plugin" "$plugins/$plugin" 644
if [ -f bin/retrograde ]; then
  one bin/retrograde "$prefix/bin/retrograde" 755
  find share -type f | while read -r file; do
    one "$file" "$prefix/$file" 644
  done
fi
if [ "$prefix" = "$HOME/.local" ]; then
  rm -f "$own/$plugin"
  [ "$action" = uninstall ] || { mkdir -p "$own" && ln -s "$plugins/$plugin" "$own/$plugin"; }
fi

if [ "$action" = uninstall ]; then
  echo "Retrograde is no longer below $prefix."
elif [ -n "$core" ] || [ "$prefix" = "$HOME/.local" ]; then
  echo "Retrograde is installed; try: gst-inspect-1.0 revbuf"
else
  echo "Retrograde is installed. For GStreamer to find the plugin, put this into your profile:"
  echo "  export GST_PLUGIN_PATH_1_0=$plugins"
fi
