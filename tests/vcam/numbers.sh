#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No stale and no torn frame on the host backend; and what a requeue too early would do is seen.
# tests/gpu/vcam.sh has the same on a GPU.
set -eu -o pipefail
: "${BUILD_DIR:?the build folder}"
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
# shellcheck disable=SC1091
. "$(dirname "$0")/numbers.inc"

for format in YUYV pRAA; do
    status=0
    numbers "$format" $format 640x480 120 100 --backend host || status=$?
    [ $status = 0 ] || exit $status
    # A driver that writes as soon as it is given a buffer, so that no reader is left alone by luck.
    status=0
    numbers "$format, written at once" $format 640x480 120 60 --backend host -- at-queue || status=$?
    [ $status = 0 ] || exit $status
    status=0
    numbers "$format, written too early" $format 640x480 120 30 --backend host -- "frame 0.. early 0" || status=$?
    [ $status = 1 ] || { echo "status $status: the early writes were not seen" >&2; exit 1; }
done
