#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: lint.sh [PART …]
#
# Checks the sources and the pages without changing them. The parts are swift, api, conversions,
# sources, blocks, indent, shell, spelling, pages, plugin-cache and traps. Without a PART, all parts
# are run.
set -u
cd "$(dirname "$0")/.." || exit 1

# GStreamer's style, as in its gst-indent
INDENT=(--braces-on-if-line --case-brace-indentation0 --case-indentation2
  --braces-after-struct-decl-line --line-length80 --no-tabs --cuddle-else
  --dont-line-up-parentheses --continuation-indentation4 --honour-newlines
  --tab-size8 --indent-level2 --leave-preprocessor-space)

# Words that codespell must accept: of Swift and C, GStreamer Editing Services, a title in
# German, and a file type.
WORDS=inout,upto,atleast,ges,ende,gir

lint_swift() {
  swift format lint --strict -r Sources Tests Package.swift
}

# The API of the libraries must be compatible with the last release, unless VERSION
# announces a break: with a new major number or, before 1.0, a new minor number.
lint_api() {
  local tag version
  if ! tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null); then
    echo "There is no release yet to compare the libraries with."
    return
  fi
  version=$(<VERSION)
  [ "$(promise "$version")" = "$(promise "${tag#v}")" ] || return 0
  swift package diagnose-api-breaking-changes "$tag" --baseline-dir build/api-baseline && return
  echo "Applications that use $tag would break: fix that, or give VERSION the number of a breaking release." >&2
  return 1
}

# promise VERSION: prints the part of VERSION that compatible releases have in common
promise() {
  case $1 in
    0.*) echo "$1" | cut -d. -f1,2 ;;
    *) echo "${1%%.*}" ;;
  esac
}

# Conversions of numbers must have a label that says what happens to a value that does not fit
# (Sources/Retrograde/Runtime/Conversions.swift), because conversions without a label trap.
lint_conversions() {
  local type='\b(U?Int(8|16|32|64)?|g?u?int(8|16|32|64)?|g?s?size|off_t|GstClockTime)'
  ! git grep -nP "^(?!\s*//).*$type(\((?!$|\d+\)|.*radix:|\w+:)|\.init\b)" -- \
    'Sources/Retrograde/*.swift' 'Sources/RetrogradeTool/*.swift'
}

# meson.build must list all files of the plugin by name.
lint_sources() {
  diff -u --label "meson.build" --label "the folders" \
    <(for folder in Sources gst-plugin; do
      grep -oE "'[A-Za-z0-9+/-]+\.(swift|c)'" "$folder/meson.build" | tr -d "'" | sed "s|^|$folder/|"
    done | sort) \
    <(git ls-files 'Sources/TimeDSP/*.swift' 'Sources/CTimeDSP/*.c' 'gst-plugin/*.c' \
      ':!*/API/*' | sort)
}

# TimeDSP/Blocks counts in frames; times, flags and seqnums belong in C.
lint_blocks() {
  ! git grep -nP 'Ns\b|_ns\b|secondNs|(?i)seqnum|flush|flags' -- Sources/TimeDSP/Blocks
}

lint_indent() {
  local program=build/venv/bin/gst-indent-1.0 status=0 file
  if [ ! -x "$program" ]; then
    python3 -m venv build/venv && build/venv/bin/pip -q install gst-indent==1.0.0 || return 1
  fi
  while read -r file; do
    "$program" "${INDENT[@]}" < "$file" > build/indented.c || status=1
    diff -u --label "$file" --label "$file, indented" "$file" build/indented.c || status=1
  done < <(git ls-files '*.c')
  return "$status"
}

lint_shell() {
  git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck
}

lint_spelling() {
  git grep -Ilz '' -- ':!LICENSE' ':!Tests/fuzz/corpus' | xargs -0 codespell --ignore-words-list "$WORDS"
}

lint() { # PART
  case $1 in
    swift) lint_swift ;;
    api) lint_api ;;
    conversions) lint_conversions ;;
    sources) lint_sources ;;
    blocks) lint_blocks ;;
    indent) lint_indent ;;
    shell) lint_shell ;;
    spelling) lint_spelling ;;
    pages) scripts/check-pages.py ;;
    plugin-cache) scripts/plugin-cache.py ;;
    traps) scripts/traps.py ;;
    *)
      echo "There is no part '$1': choose from swift, api, conversions, sources, blocks, indent, shell, spelling, pages, plugin-cache and traps." >&2
      exit 2
      ;;
  esac
}

[ $# -gt 0 ] || set -- swift api conversions sources blocks indent shell spelling pages plugin-cache traps
failed=()
for part in "$@"; do
  lint "$part" || failed+=("$part")
done
[ ${#failed[@]} -eq 0 ] && exit 0
echo "Not in order: ${failed[*]}." >&2
exit 1
