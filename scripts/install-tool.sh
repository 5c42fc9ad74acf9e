#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: install-tool.sh install|uninstall ROOT ZSHDIR [PLUGINDIR]
#
# Installs the files of build/tool below ROOT (DESTDIR and prefix), or removes them again.
# ZSHDIR is the folder for zsh's completions. If PLUGINDIR, the folder of the installed
# plugin, is given, prints all installed files, and the settings with which GStreamer finds
# the plugin. ZSHDIR and PLUGINDIR are relative to ROOT.
set -eu
cd "$(dirname "$0")/.."

action=$1 root=$2 zshdir=$3 plugins=${4:-}
files=()

one() { # MODE, FILE in build/tool, TARGET relative to ROOT
  if [ "$action" = install ]; then
    install -D -m "$1" "build/tool/$2" "$root/$3"
    files+=("$root/$3")
  else
    rm -f "$root/$3"
  fi
}

one 755 retrograde bin/retrograde
one 644 retrograde.1 share/man/man1/retrograde.1
one 644 retrograde.bash share/bash-completion/completions/retrograde
one 644 retrograde.zsh "$zshdir/_retrograde"
one 644 retrograde.fish share/fish/vendor_completions.d/retrograde.fish

if [ -n "$plugins" ]; then
  printf 'Installed:\n'
  printf '  %s\n' "$root/$plugins/libgstretrograde.so" "${files[@]}"
  if [ "$root/$plugins" != "$(pkg-config --variable=pluginsdir gstreamer-1.0)" ]; then
    echo "The tool finds this plugin on its own. For gst-launch-1.0 and applications to find it:"
    echo "  export GST_PLUGIN_PATH_1_0=\"$root/$plugins\""
  fi
fi
