#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: make-tool.sh [FOLDER [COMMAND …]]
#
# Builds the tool for installation into FOLDER (build/tool): optimised, with Swift's
# libraries linked statically so that it needs none at run time, with its manual and its
# completions, which it writes itself. A tool for another architecture is built by the
# swift in SWIFT, and run by COMMAND.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/tool}
tool=$folder/retrograde
run=("${@:2}" "$tool")
swift=${SWIFT:-swift}

# other builds at the same time have to wait
mkdir -p "$folder"
exec 9> "$folder/.lock"
flock 9

# The program contains no folder of this machine. The hardening is the same as with Debian's
# flags; Swift checks bounds itself, and always links position-independent programs.
options=(-c release --static-swift-stdlib --product retrograde
  -Xswiftc -DRETROGRADE_INSTALLED -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
  -Xcc -fstack-protector-strong -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now)
# the linker's warning about a function in Foundation does not matter
log=$folder-build.log
echo "Building the tool; the first time takes some minutes. The output of the compiler goes to $log."
if ! "$swift" build "${options[@]}" > "$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "The tool could not be built; the output of the compiler is in $log." >&2
  exit 1
fi

# Two sections are useless at run time, and contain digests of stripped data, which includes
# folders of this machine. The toolchain's own program removes them; GNU strip would rearrange
# the segments, and lose the one for RELRO.
toolchain=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)\/lib\/swift.*/\1/p')
"$toolchain/bin/llvm-objcopy" --strip-all -R .swift_modhash -R .note.gnu.build-id \
  "$("$swift" build "${options[@]}" --show-bin-path)/retrograde" "$tool.new"
# an identical file is not replaced: it may be running, and looks for the plugin beside
# itself
install -C "$tool.new" "$tool"
rm "$tool.new"
scripts/make-manual.py "${run[@]}" > "$tool.1"
for shell in bash zsh fish; do
  "${run[@]}" --generate-completion-script "$shell" > "$tool.$shell"
done
# the file is sourced, not run
sed -i '1{/^#!/d}' "$tool.bash"
echo "Built $tool, its manual, and completions for bash, zsh and fish."
