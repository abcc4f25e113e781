#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The virtual camera under v4l2-compliance, the judge that kernel drivers answer to; single- and multi-planar.
set -eu -o pipefail
command -v v4l2-compliance >/dev/null || { echo "skipped: no v4l2-compliance (package v4l-utils)"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# judged STATEMENT...: nothing may fail, streaming included.
judged()
{
    local extra=() status=0
    for statement in "$@"; do
        extra+=(-e "$statement")
    done
    "${BUILD_DIR:?the build folder}/tests/vcam" "$here/conformance.script" "${extra[@]}" -- \
        v4l2-compliance -d /dev/video0 -s >"$out" 2>&1 || status=$?
    [ $status != 77 ] || { cat "$out"; exit 77; }
    tail -n 2 "$out"
    grep -q 'Failed: 0' "$out" || { grep -E 'fail|FAIL' "$out"; exit 1; }
}
# It finds out in sysfs what a node is.
node="file /sys/dev/char/81:0/uevent MAJOR=81 MINOR=0 DEVNAME=video0"
judged "$node"
judged "$node" "memory mmap"
judged "$node" "caps capture-multi streaming" "mode NM12 320x240 60"
