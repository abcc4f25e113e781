#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The conformance program on the virtual camera; tests/vm/conformance.sh has it on the kernel's drivers.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
tests=${BUILD_DIR:?the build folder}/tests

# conforms FOURCC STATEMENT...
conforms()
{
    local format=$1 extra=() statement status=0
    shift
    for statement in "$@"; do
        extra+=(-e "$statement")
    done
    echo "== virtual camera, $format${1:+, $*}"
    "$tests/vcam" "$here/conformance.script" ${extra[@]+"${extra[@]}"} -- "$tests/vcam_conformance" /dev/video0 "$format" ||
        status=$?
    [ $status = 0 ] || exit $status
}
conforms YUYV
conforms GREY "memory userptr" "clock monotonic start"
conforms YUYV "caps capture-multi streaming" "memory mmap"
conforms NM12 "caps capture-multi streaming" "mode NM12 320x240 60"
