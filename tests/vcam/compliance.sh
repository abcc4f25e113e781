#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The virtual camera under v4l2-compliance, the judge that kernel drivers answer to; single- and multi-planar.
set -eu -o pipefail
command -v v4l2-compliance >/dev/null || { echo "skipped: no v4l2-compliance (package v4l-utils)"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# judged NAME STATEMENT...: nothing may fail, streaming included. It finds out in sysfs what a node is.
judged()
{
    local name=$1 extra=(-e "file /sys/dev/char/81:0/uevent MAJOR=81 MINOR=0 DEVNAME=video0") statement status=0
    shift
    for statement in "$@"; do
        extra+=(-e "$statement")
    done
    "${BUILD_DIR:?the build folder}/tests/vcam" "$here/conformance.script" "${extra[@]}" -- \
        v4l2-compliance -d /dev/video0 -s >"$work/$name" 2>&1 || status=$?
    [ $status != 77 ] || return 77
    grep -q 'Failed: 0' "$work/$name"
}
jobs=()
judged single &
jobs+=($!)
judged mmap "memory mmap" &
jobs+=($!)
judged multi "caps capture-multi streaming" "mode NM12 320x240 60" &
jobs+=($!)
bad=0
for job in "${jobs[@]}"; do
    status=0
    wait "$job" || status=$?
    [ $status = 0 ] || bad=$status
done
grep -hE 'fail|FAIL|Total|vcam:' "$work"/* || true
exit $bad
