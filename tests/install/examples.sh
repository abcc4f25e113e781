#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example programs, built against the installed library as anybody would, and what they print.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "$1" >&2
    exit 1
}

cmake --install "${BUILD_DIR:?the build folder}" --prefix "$work/prefix" >/dev/null
cmake -S samples/examples -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="${CC:-cc}" \
    -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" >/dev/null
cmake --build "$work/build" >/dev/null
for file in samples/examples/*.c; do
    [ "$(wc -l <"$file")" -lt 100 ] || fail "$file: an example has fewer than 100 lines"
done

# says COUNT LINE PROGRAM ARGUMENT...: the program ends well and prints so many lines that match LINE.
says()
{
    local count=$1 line=$2
    shift 2
    "$work/build/$@" >"$work/out" 2>"$work/err" || fail "$1 failed: $(cat "$work/err")"
    [ "$(grep -cE "$line" "$work/out")" = "$count" ] ||
        fail "$1 was to print $count lines like '$line', not: $(cat "$work/out")"
}

says 3 '^frame [012]: 640x480, first pixel [0-9]+ [0-9]+ [0-9]+$' first
# Samples 10 times the number, stretched from 0..200 to 0..255, each from its own buffer.
says 12 '^frame [0-9]+: first sample [0-9]+, 0 bytes copied by the CPU$' push_frames
for ((i = 0; i < 12; i++)); do
    grep -qx "frame $i: first sample $(((i * 10 * 255 * 2 + 200) / 400)), .*" "$work/out" || fail "frame $i: $(cat "$work/out")"
done
says 3 '^frame [012]: left 255, right 0$' custom_stage
light=$(sed -n 's/ light pixels$//p' "$work/out")
[ "$light" -gt 100000 ] && [ "$light" -lt 921600 ] || fail "custom_stage counted '$light' light pixels"

# A grey file comes back as it is.
head -c $((16 * 8 * 3 * 2)) /dev/zero | tr '\0' '\144' >"$work/gray.rgb"
says 2 '^frame [01]: 16x8, mean 100\.0 100\.0 100\.0$' replay_results "$work/gray.rgb" RGB3 16x8
says 3 '^frame [012]: 480x320, mean 1[12][0-9]\.[0-9] 1[12][0-9]\.[0-9] 1[12][0-9]\.[0-9]$' \
    replay_results samples/frames/chart_SRGGB10P.zcr
[ "$("$work/build/replay_results" >/dev/null 2>&1 || echo $?)" = 2 ] || fail "replay_results without arguments"
[ "$("$work/build/replay_results" "$work/nosuch" RGB3 16x8 2>&1 >/dev/null | wc -l)" = 1 ] ||
    fail "replay_results says what is missing in one line"
