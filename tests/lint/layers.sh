#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The include graph: what a file includes, directly or through other headers, is of a layer that its own may use.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# A layer and those that it may use, itself included; docs/architecture.md has the same table.
cat >"$work/layers" <<'END'
include/zcstream include/zcstream
lib/core include/zcstream lib/core
lib/os include/zcstream lib/core lib/os
kernels include/zcstream lib/core kernels
lib/backend include/zcstream lib/core lib/os kernels lib/backend
lib/frame include/zcstream lib/core lib/os kernels lib/backend lib/frame
lib/context include/zcstream lib/core lib/os kernels lib/backend lib/frame lib/context
lib/record include/zcstream lib/core lib/os kernels lib/context lib/frame lib/record
lib/source include/zcstream lib/core lib/os kernels lib/context lib/frame lib/source
lib/stream include/zcstream lib/core lib/os kernels lib/backend lib/context lib/frame lib/source lib/stream
app include/zcstream app
END

files=$(find include lib kernels app -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' | LC_ALL=C sort)
# Each include as "USER FILE"; a file that is not there keeps its name.
grep -oE '^ *# *include *"[^"]+"' $files | sed 's/^\([^:]*\):.*"\([^"]*\)"/\1 \2/' | while read -r user name; do
    for file in "lib/$name" "include/$name" "$name"; do
        [ ! -e "$file" ] || break
    done
    echo "$user $file"
done >"$work/includes"

awk '
    function layer(file,    l) {
        for (l in may) if (index(file, l "/") == 1) return l
        return ""
    }
    # What `at` reaches, with the way there.
    function walk(from, at, way,    i, next_file) {
        for (i = 1; i <= count[at]; i++) {
            next_file = to[at, i]
            if ((from, next_file) in seen) continue
            seen[from, next_file] = 1
            if (index(may[layer(from)], " " layer(next_file) " ") == 0) {
                print from ": includes " way next_file ": its layer may use:" may[layer(from)]
                bad = 1
            } else
                walk(from, next_file, way next_file " -> ")
        }
    }
    FILENAME ~ /layers$/ { l = $1; $1 = ""; may[l] = $0 " "; next }
    FILENAME ~ /includes$/ {
        if ($2 ~ /\.\./ || $2 ~ /^\//) { print $1 ": includes \"" $2 "\": paths begin at a layer"; bad = 1 }
        to[$1, ++count[$1]] = $2
        next
    }
    layer($1) == "" { print $1 ": lies in no layer"; bad = 1; next }
    { walk($1, $1, "") }
    END { exit bad }' "$work/layers" "$work/includes" <(echo "$files") >&2 || bad=1

# System headers that belong to one place: pattern, the number of files at most, and where they may be.
owned()
{
    local users
    users=$(grep -lE "^ *# *include *[<\"]([a-z/]*/)?$1\.h" $files || true)
    [ "$(echo "$users" | grep -c .)" -le "$2" ] || {
        echo "$1.h is included by more than $2: $(echo $users)" >&2
        bad=1
    }
    for user in $users; do
        case $user in
        $3) ;;
        *)
            echo "$user: includes $1.h, which belongs to $3" >&2
            bad=1
            ;;
        esac
    done
}
owned videodev2 5 'lib/source/v4l2/port_*.c'
owned cuda_runtime_api 1 'lib/backend/cuda/*'

[ $bad = 0 ] && echo "layers: $(echo "$files" | wc -l) files, $(wc -l <"$work/includes") includes"
exit $bad
