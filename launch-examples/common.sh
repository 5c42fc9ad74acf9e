# shellcheck shell=bash disable=SC2034 # what is set here is used by the scripts
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# common.sh: functions for the example scripts, so that they contain little more than their
# pipelines. A script declares its options, and then calls
#
#   parse 2 "$@"                   reads options, input and output
#   open_input                     checks the input; sets $stem, $uri, and
#                                  decode=(…), the beginning of a pipeline
#   open_output "$stem-new.wav"    sets $part, a temporary file to write to
#   gst-launch-1.0 … location="$part"
#   close_output                   gives the finished file its name
#
# The help of a script is the comment at its head, from "usage:" on.

unset CDPATH # with it, cd might change to another folder
examples=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=${examples%/*}
build=$root/build

# GStreamer prefers the variables with _1_0 to the variables without.
named=${GST_PLUGIN_PATH_1_0-${GST_PLUGIN_PATH-}}
export GST_PLUGIN_PATH_1_0=$build/gst-plugin${named:+:$named}
# A separate plugin cache, to keep the plugin in the build folder out of the user's cache.
export GST_REGISTRY_1_0=$build/gst-registry.bin
# Don't use avdec_mp3, because it dithers loud audio and each decode returns different samples.
export GST_PLUGIN_FEATURE_RANK=${GST_PLUGIN_FEATURE_RANK-mpg123audiodec:PRIMARY}

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

# ---- the command line ----

declare -A option=() allowed=() test=()
arguments=()

# number NAME DEFAULT LEAST MOST: allows the option --NAME=<number>.
number() {
    option[$1]=$2 allowed[$1]="a number from $3 to $4" test[$1]="is_number $3 $4"
}

# choice NAME DEFAULT OTHER…: allows the option --NAME=<one of these words>.
choice() {
    option[$1]=$2 allowed[$1]="one of: ${*:2}" test[$1]="is_one_of ${*:2}"
}

# nicks PROPERTY: the values of an enum property of timescale.
nicks() {
    gst-inspect-1.0 timescale 2>/dev/null | awk -v name="$1" '
        /^  [a-z]/ { inside = $1 == name }
        inside && $1 ~ /^\([0-9]+\):$/ { print $2 }' || true
}

is_number() {
    [[ $3 =~ ^([0-9]+\.?|[0-9]*\.[0-9]+)$ ]] &&
        LC_ALL=C awk -v least="$1" -v most="$2" -v value="$3" \
            'BEGIN { exit !(value + 0 >= least && value + 0 <= most) }'
}

is_one_of() {
    [[ " ${*:1:$#-1} " == *" ${*: -1} "* ]]
}

help() {
    sed -n '/^# usage:/,/^[^#]/ s/^# \{0,1\}//p' "$0"
}

wrong_usage() {
    printf '%s\n' "$1" >&2
    help | sed '/^$/,$d' >&2
    exit 2
}

set_option() {
    local name=${1%%=*} value=${1#*=}
    [[ -n ${allowed[$name]-} ]] || wrong_usage "There is no option --$name."
    # the test is a command of several words
    # shellcheck disable=SC2086
    ${test[$name]} "$value" || wrong_usage "--$name must be ${allowed[$name]}."
    option[$name]=$value
}

# parse MOST "$@": fills option[…] and arguments=(…), and allows MOST arguments at most.
parse() {
    local most=$1
    shift
    while (($#)); do
        case $1 in
            -h | --help) help && exit ;;
            --[a-z]*=*) set_option "${1#--}" ;;
            --) shift && arguments+=("$@") && break ;;
            -?*) wrong_usage "There is no option $1 (write ./$1 for a file of that name)." ;;
            *) arguments+=("$1") ;;
        esac
        shift
    done
    ((${#arguments[@]} <= most)) || wrong_usage "There are too many arguments."
}

# ---- the plugin and the files ----

need_plugin() {
    [[ -e $build/gst-plugin/libgstretrograde.so ]] || make -s -C "$root" build >&2
    # This also fills the plugin cache, and hides messages from the first scan about other plugins.
    gst-inspect-1.0 --exists --atleast-version=0.0 timescale 2>/dev/null ||
        die "GStreamer cannot load the plugin in $build/gst-plugin; rebuild it: rm -r $build && make build"
}

# open_input: checks the first argument, or uses the sample if there is none. Sets $decode to the
# first elements of a pipeline that reads the file. They take the file as a URI, because blanks,
# quotes and backslashes in a file name would have to be quoted for gst-launch-1.0.
#
# We only decode the sound of a film, because unlinked video makes some pipelines hang, and we don't
# use uridecodebin for AIFF, because GStreamer 1.22's hangs on it.
open_input() {
    input=${arguments[0]:-$examples/media/sample.mp3}
    stem=${input##*/} stem=${stem%.*}
    mkdir -p -- "$build"
    uri=$("$examples/check-input.py" "$input")
    decode=(uridecodebin uri="$uri" caps=audio/x-raw expose-all-streams=false)
    if head -c 4 -- "$input" | grep -q ^FORM; then
        decode=("$uri" ! aiffparse)
    fi
    need_plugin
}

# enter FOLDER: changes to the output folder, so that we don't have to quote its name for
# gst-launch-1.0, and temporary files are in the same file system and can be renamed. Their names
# begin with $part. They're in a folder where no other user can create links, and are removed when
# the script ends. After Ctrl-C, gst-launch reports success although only half of the file is
# written, but the script fails.
enter() {
    mkdir -p -- "$1"
    cd -- "$1" || exit
    part=$(mktemp -d .retrograde-XXXXXXXX)/part || exit
    trap 'rm -rf -- "${part%/*}"' EXIT
    trap 'exit 130' INT
}

# keep TEMPORARY NAME: gives a complete temporary file its final name, replacing any older file.
keep() {
    mv -fT -- "$1" "$2"
    printf 'wrote %s\n' "$PWD/$2"
}

# open_output DEFAULT: prepares the output, which is the second argument, or DEFAULT in the
# folder "out".
open_output() {
    output=${arguments[1]:-out/$1}
    [[ ! -d $output && $output != */ ]] || die "$output: this is a folder; the output must be a file."
    [[ ! $output -ef ${input-} ]] || die "$output: this is the input, which must not be overwritten."
    [[ $output == /* ]] || output=$PWD/$output
    enter "${output%/*}/"
}

close_output() {
    keep "$part" "${output##*/}"
}
