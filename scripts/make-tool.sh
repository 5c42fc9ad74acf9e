#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The tool as it is installed, into build/tool: optimised, with Swift's own
# libraries inside so that it needs none at run time, its manual and its
# completions, which it writes itself.
set -eu
cd "$(dirname "$0")/.."

# no folder of this machine gets into the program
options=(-c release --static-swift-stdlib --product retrograde
  -Xswiftc -DRETROGRADE_INSTALLED -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=.")
# the linker warns of a function in Foundation, which is of no use to anybody
log=build/tool-build.log
mkdir -p build/tool
echo "Building the tool; the first time takes some minutes. What the compiler says goes to $log."
if ! swift build "${options[@]}" > "$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "The tool could not be built; all of it is in $log." >&2
  exit 1
fi

tool=build/tool/retrograde
# Two sections are of no use at run time, and hold sums of what is stripped, folders
# of this machine among it. The toolchain's own program takes them out; GNU strip would
# lay the segments out anew, and lose the one that protects addresses (RELRO).
toolchain=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)\/lib\/swift.*/\1/p')
"$toolchain/bin/llvm-objcopy" --strip-all -R .swift_modhash -R .note.gnu.build-id \
  "$(swift build "${options[@]}" --show-bin-path)/retrograde" "$tool"
scripts/make-manual.py "$tool" > build/tool/retrograde.1
for shell in bash zsh fish; do
  "$tool" --generate-completion-script "$shell" > "build/tool/retrograde.$shell"
done
# it is sourced, not run
sed -i '1{/^#!/d}' build/tool/retrograde.bash
echo "Built build/tool/retrograde, its manual, and completions for bash, zsh and fish."
