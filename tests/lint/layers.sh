#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The include graph: a lower layer never includes an upper one, and the app sees public headers alone.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"

# Which first path components of #include "..." a layer's files may name.
allowed()
{
    case $1 in
    include/*) echo zcstream ;;
    lib/core/*) echo zcstream core ;;
    kernels/*) echo zcstream core kernels ;;
    lib/backend/*) echo zcstream core kernels backend ;;
    lib/frame/*) echo zcstream core kernels backend frame ;;
    lib/record/*) echo zcstream core kernels frame record ;;
    lib/source/*) echo zcstream core kernels frame source ;;
    lib/stream/*) echo zcstream core kernels backend frame record source stream ;;
    app/*) echo zcstream app ;;
    *) echo "no layer" ;;
    esac
}

bad=0
complain()
{
    echo "$1" >&2
    bad=1
}

files=$(find include lib kernels app -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' | sort)
for file in $files; do
    layer=$(allowed "$file")
    [ "$layer" != "no layer" ] || complain "$file: lies in no layer"
    for name in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file"); do
        case $name in
        *..* | /*) complain "$file: includes \"$name\": paths begin at a layer" ;;
        esac
        case " $layer " in
        *" ${name%%/*} "*) ;;
        *) complain "$file: includes \"$name\": its layer may include only: $layer" ;;
        esac
    done
done

# System headers that belong to one place: pattern, how many files at most, and where they may be.
owned()
{
    local users
    users=$(grep -lE "^ *# *include *[<\"]([a-z/]*/)?$1\.h" $files || true)
    [ "$(echo "$users" | grep -c .)" -le "$2" ] ||
        complain "$1.h is included by more than $2: $(echo $users)"
    for user in $users; do
        case $user in
        $3) ;;
        *) complain "$user: includes $1.h, which belongs to $3" ;;
        esac
    done
}
owned videodev2 5 'lib/source/v4l2/port_*.c'
owned cuda_runtime_api 1 'lib/backend/cuda/*'

[ $bad = 0 ] && echo "layers: $(echo "$files" | wc -l) files"
exit $bad
