#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Live capture into memory that the GPU reads, from the virtual camera: 1080p, USERPTR, each frame's every pixel
# checked by the digest that the GPU makes of it; on each route and in low latency alone, on route mapped with
# others beside it. Two minutes.
# Usage: tests/gpu/vcam.sh FOLDER for results; BUILD names a build with CUDA and V4L2; FRAMES how many at 120 fps
# [10000], a quarter at 30. Status 77: skipped, with the reason.
set -u -o pipefail
cd "$(dirname "$0")/../.."
OUT=${1:?a folder for results}
BUILD_DIR=${BUILD:-/tmp/zcstream-gpu}
FRAMES=${FRAMES:-10000}
mkdir -p "$OUT"
# shellcheck disable=SC1091
. tests/vcam/numbers.inc
[ -x "$BUILD_DIR/tests/vcam" ] || { echo "skipped: no virtual camera in this build"; exit 77; }
bad=0

# on_gpu NAME FORMAT FPS FRAMES MEMORY [OPTION...] [-- STATEMENT...]: on route mapped, unless ROUTE says another.
on_gpu()
{
    local name=$1 format=$2 fps=$3 frames=$4 memory=$5
    shift 5
    numbers "$name" "$format" 1920x1080 "$fps" "$frames" --backend cuda --route "${ROUTE:-mapped}" --memory "$memory" "$@"
}

# times NAME: in microseconds, of the run's report.
times()
{
    local leg
    printf '  route %s, multiprocessors held %s\n' "$("$BUILD_DIR/tests/jsonget" "$OUT/$1.json" route)" \
        "$("$BUILD_DIR/tests/jsonget" "$OUT/$1.json" low_latency.held_units 2>/dev/null || echo 0)"
    for leg in driver_to_capture capture_to_result driver_to_result; do
        printf '  %s: p50 %s, p95 %s, p99 %s, max %s\n' $leg \
            $(for point in p50 p95 p99 max; do "$BUILD_DIR/tests/jsonget" "$OUT/$1.json" latency_us.$leg.$point; done)
    done
    printf '  lost by the driver %s, memory %s, freshness %s, copied by the CPU a frame %s\n' \
        $(for key in frames.lost.driver_gap memory freshness.state cpu_bytes_copied_per_frame; do
            "$BUILD_DIR/tests/jsonget" "$OUT/$1.json" $key
        done)
}

echo "alone:"
for format in YUYV pRAA; do
    on_gpu alone-$format $format 120 600 wc
    code=$?
    [ $code != 77 ] || exit 77
    [ $code = 0 ] || bad=1
    times alone-$format
    for route in staged whole; do
        ROUTE=$route on_gpu alone-$format-$route $format 120 600 wc || bad=1
        times alone-$format-$route
    done
    for route in mapped staged; do
        ROUTE=$route on_gpu quick-$format-$route $format 120 600 wc --low-latency || bad=1
        times quick-$format-$route
    done
done

echo "written as soon as the camera has the buffer:"
for format in YUYV pRAA; do
    on_gpu at-once-$format $format 120 600 wc -- at-queue || bad=1
done

echo "eight cameras at once:"
jobs=()
for format in YUYV pRAA; do
    for memory in wc cached; do
        on_gpu $format-120-$memory $format 120 "$FRAMES" $memory &
        jobs+=($!)
        on_gpu $format-30-$memory $format 30 $((FRAMES / 4)) $memory &
        jobs+=($!)
    done
done
for job in "${jobs[@]}"; do
    wait "$job" || bad=1
done
for format in YUYV pRAA; do
    for memory in wc cached; do
        for fps in 120 30; do
            echo "$format-$fps-$memory"
            times $format-$fps-$memory
        done
    done
done

echo "written too early, which must be seen:"
for format in YUYV pRAA; do
    on_gpu early-$format $format 120 300 wc -- "frame 0.. early 0"
    [ $? = 1 ] || bad=1
done
[ $bad = 0 ] && echo "no stale and no torn frame, and early writes are seen"
exit $bad
