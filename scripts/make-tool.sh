#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: make-tool.sh [FOLDER [COMMAND …]]
#
# The tool as it is installed, into FOLDER (build/tool): optimised, with Swift's own
# libraries inside so that it needs none at run time, its manual and its
# completions, which it writes itself. A tool for another architecture is built by
# the swift that SWIFT names, and run by COMMAND.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/tool}
tool=$folder/retrograde
run=("${@:2}" "$tool")
swift=${SWIFT:-swift}

# who builds it as well, meanwhile, waits
mkdir -p "$folder"
exec 9> "$folder/.lock"
flock 9

# No folder of this machine gets into the program. It is hardened as Debian's flags do it;
# Swift checks its bounds itself, and links position-independent programs anyway.
options=(-c release --static-swift-stdlib --product retrograde
  -Xswiftc -DRETROGRADE_INSTALLED -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
  -Xcc -fstack-protector-strong -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now)
# the linker warns of a function in Foundation, which is of no use to anybody
log=$folder-build.log
echo "Building the tool; the first time takes some minutes. The output of the compiler goes to $log."
if ! "$swift" build "${options[@]}" > "$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "The tool could not be built; the output of the compiler is in $log." >&2
  exit 1
fi

# Two sections are of no use at run time, and hold sums of stripped data, folders of this machine
# among it. The toolchain's own program removes them; GNU strip would rearrange the segments, and
# lose the one that protects addresses (RELRO).
toolchain=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)\/lib\/swift.*/\1/p')
"$toolchain/bin/llvm-objcopy" --strip-all -R .swift_modhash -R .note.gnu.build-id \
  "$("$swift" build "${options[@]}" --show-bin-path)/retrograde" "$tool.new"
# one that is the same may be running, and looks beside its own file for the plugin
install -C "$tool.new" "$tool"
rm "$tool.new"
scripts/make-manual.py "${run[@]}" > "$tool.1"
for shell in bash zsh fish; do
  "${run[@]}" --generate-completion-script "$shell" > "$tool.$shell"
done
# it is sourced, not run
sed -i '1{/^#!/d}' "$tool.bash"
echo "Built $tool, its manual, and completions for bash, zsh and fish."
