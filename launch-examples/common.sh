# shellcheck shell=bash disable=SC2034 # what is set here is used by the scripts
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# common.sh: what the example scripts share, so that each of them is hardly
# more than its pipeline. A script says which options it takes, then
#
#   parse 2 "$@"                   options, input and output from the command line
#   open_input                     checks the input; gives $stem, $uri, and
#                                  decode=(…), what a pipeline begins with
#   open_output "$stem-new.wav"    gives $part, a temporary file to write to
#   gst-launch-1.0 … location="$part"
#   close_output                   gives the finished file its name
#
# The comment at the head of a script, from "usage:" on, is its help.

unset CDPATH # or cd might go elsewhere
examples=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=${examples%/*}
build=$root/build

# The names with _1_0 win over those without, so these are what is set.
named=${GST_PLUGIN_PATH_1_0-${GST_PLUGIN_PATH-}}
export GST_PLUGIN_PATH_1_0=$build/gst-plugin${named:+:$named}
# A cache of our own: the user's must not remember a plugin from a build folder.
export GST_REGISTRY_1_0=$build/gst-registry.bin
# avdec_mp3 dithers what is loud: it decodes a file another way each time
export GST_PLUGIN_FEATURE_RANK=${GST_PLUGIN_FEATURE_RANK-mpg123audiodec:PRIMARY}

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

# ---- the command line ----

declare -A option=() allowed=() test=()
arguments=()

# number NAME DEFAULT LEAST MOST: the script takes --NAME=<number>.
number() {
    option[$1]=$2 allowed[$1]="a number from $3 to $4" test[$1]="is_number $3 $4"
}

# choice NAME DEFAULT OTHER…: the script takes --NAME=<one of these words>.
choice() {
    option[$1]=$2 allowed[$1]="one of: ${*:2}" test[$1]="is_one_of ${*:2}"
}

# nicks PROPERTY: the words that this property of timescale takes.
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
    # The test is a command of several words.
    # shellcheck disable=SC2086
    ${test[$name]} "$value" || wrong_usage "--$name must be ${allowed[$name]}."
    option[$name]=$value
}

# parse MOST "$@": fills option[…] and arguments=(…), of which there may be MOST.
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
    # Also fills the cache, whose first scan has much to say about other plugins.
    gst-inspect-1.0 --exists --atleast-version=0.0 timescale 2>/dev/null ||
        die "GStreamer cannot load the plugin in $build/gst-plugin; rebuild it: rm -r $build && make build"
}

# Checks the first argument, or takes the sample. Gives $decode, the beginning
# of a pipeline, with the file as a URI, which can hold every name: GStreamer's
# command line has quoting rules of its own for blanks, quotes and backslashes.
#
# Of a film only the sound is decoded, because pictures that lead nowhere make
# some pipelines hang, and so does an AIFF in uridecodebin (GStreamer 1.22).
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

# Goes to the folder, for two reasons: nothing in the folder's name can upset GStreamer's command
# line, and a file gets its final name in one step only from within the same file system. Every file
# whose name begins with $part is in a separate folder, where no other user can put a link, and is
# removed in the end, however the script ends. After Ctrl-C gst-launch reports success, with half a
# file; this script does not.
enter() {
    mkdir -p -- "$1"
    cd -- "$1" || exit
    part=$(mktemp -d .retrograde-XXXXXXXX)/part || exit
    trap 'rm -rf -- "${part%/*}"' EXIT
    trap 'exit 130' INT
}

# keep TEMPORARY NAME: the temporary file is complete and may replace an older one.
keep() {
    mv -fT -- "$1" "$2"
    printf 'wrote %s\n' "$PWD/$2"
}

# open_output DEFAULT: the last argument, or DEFAULT in the folder out of the current one.
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
