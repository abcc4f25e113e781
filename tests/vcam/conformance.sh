#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The conformance program on the virtual camera; tests/vm/conformance.sh has it on the kernel's drivers.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
tests=${BUILD_DIR:?the build folder}/tests

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# conforms NAME FOURCC STATEMENT...: in a file, beside the others.
conforms()
{
    local name=$1 format=$2 extra=() statement status=0
    shift 2
    for statement in "$@"; do
        extra+=(-e "$statement")
    done
    echo "== virtual camera, $format${1:+, $*}" >"$work/$name"
    "$tests/vcam" "$here/conformance.script" ${extra[@]+"${extra[@]}"} -- "$tests/vcam_conformance" /dev/video0 "$format" \
        >>"$work/$name" 2>&1 || status=$?
    return $status
}
jobs=()
conforms a YUYV &
jobs+=($!)
conforms b GREY "memory userptr" "clock monotonic start" &
jobs+=($!)
conforms c YUYV "caps capture-multi streaming" "memory mmap" &
jobs+=($!)
conforms d NM12 "caps capture-multi streaming" "mode NM12 320x240 60" &
jobs+=($!)
bad=0
for job in "${jobs[@]}"; do
    status=0
    wait "$job" || status=$?
    [ $status = 0 ] || bad=$status
done
cat "$work"/?
exit $bad
