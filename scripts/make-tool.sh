#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: make-tool.sh [FOLDER [COMMAND …]]
#
# Builds the tool for installation, with its manual and its completions, into FOLDER
# (default: build/tool): optimised, and with Swift's libraries linked statically. For another
# architecture, the variable SWIFT is the `swift` to build with, and COMMAND runs the tool,
# which prints its help and its completions.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/tool}
tool=$folder/retrograde
run=("${@:2}" "$tool")
swift=${SWIFT:-swift}

# simultaneous builds must wait for each other
mkdir -p "$folder"
exec 9> "$folder/.lock"
flock 9

# The program must not contain names of folders of this machine. The flags harden the program as
# Debian's flags do. Flags for bounds checks and position-independent code are not needed, because
# Swift has both by default.
options=(-c release --static-swift-stdlib --product retrograde
  -Xswiftc -DRETROGRADE_INSTALLED -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
  -Xcc -fstack-protector-strong -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now)
# The log also hides the linker's harmless warning about a function in Foundation.
log=$folder-build.log
echo "Building the tool; the first time takes some minutes. The output of the compiler goes to $log."
if ! "$swift" build "${options[@]}" > "$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "The tool could not be built; the output of the compiler is in $log." >&2
  exit 1
fi

# Remove two sections that are useless at run time. They contain digests of data with names of
# folders, so they differ from machine to machine. GNU strip would rearrange the segments and lose
# the segment for RELRO, so use the toolchain's program.
toolchain=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)\/lib\/swift.*/\1/p')
"$toolchain/bin/llvm-objcopy" --strip-all -R .swift_modhash -R .note.gnu.build-id \
  "$("$swift" build "${options[@]}" --show-bin-path)/retrograde" "$tool.new"
# -C does not replace an identical file. The program may be running, and then searches for the
# plugin beside its own file.
install -C "$tool.new" "$tool"
rm "$tool.new"
scripts/make-manual.py "${run[@]}" > "$tool.1"
for shell in bash zsh fish; do
  "${run[@]}" --generate-completion-script "$shell" > "$tool.$shell"
done
# bash sources the file, so it needs no #! line
sed -i '1{/^#!/d}' "$tool.bash"
echo "Built $tool, its manual, and completions for bash, zsh and fish."
