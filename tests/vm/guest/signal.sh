#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest: an HDMI input ($1, vivid's) whose signal changes while zcapp captures.
set -eu -o pipefail
. "$(dirname "$0")/lib.inc"
device=$1
mkdir -p "$OUT/signal"
cd "$OUT/signal"

# The item of the menu of signals that has this size.
item()
{
    v4l2-ctl -d "$device" -L | sed -n "/dv_timings /,/dv_timings_aspect\|dv_timings_signal\|^\$/p" |
        sed -n "s/^[[:space:]]*\([0-9]*\): .*$1.*/\1/p" | head -1
}
small=$(item 720x480p)
large=$(item 800x600p)
[ -n "$small" ] && [ -n "$large" ] || { v4l2-ctl -d "$device" -L; fail "no such signals"; }

# signal ITEM: what the input detects from now on.
signal()
{
    v4l2-ctl -d "$device" --set-ctrl "dv_timings=$1"
    v4l2-ctl -d "$device" --set-ctrl dv_timings_signal_mode=0
    v4l2-ctl -d "$device" --set-ctrl dv_timings_signal_mode=4
}

# The pictures so far; numbers are the driver's, and some may be missing.
pictures()
{
    [ ! -d pictures ] || find pictures -name '*.ppm' | sort
}

# has_begun PID: some pictures are there, or a film of some frames.
has_begun()
{
    [ "$(pictures | wc -l)" -gt 3 ] || has_written "$1" 3000000
}

# has_size SIZE PICTURE
has_size()
{
    [ -n "$2" ] && head -c 15 "$2" | grep -q "^$1"
}

# has_followed PID: pictures have the new size, or the process has ended.
has_followed()
{
    [ ! -e "/proc/$1/fd/1" ] || has_size '800 600' "$(pictures | tail -1)"
}

# run ARGUMENT...: zcapp, and another signal in the middle. Its status: $status.
run()
{
    signal "$small"
    "$zcapp" -q "$device" "$@" --json report.json 2>err.txt &
    local pid=$!
    soon has_begun $pid || true
    signal "$large"
    soon has_followed $pid || true
    kill -INT $pid 2>/dev/null || true
    status=0
    wait $pid || status=$?
}

step "another signal: numbered files go on in the new size"
run -o pictures/%06u.ppm
[ $status = 0 ] || { cat err.txt; fail "status $status"; }
head -qc 15 pictures/*.ppm | grep -ao '^[0-9]* [0-9]*$' | sort | uniq -c
has_size '720 480' "$(pictures | head -1)" || fail "the first picture"
has_size '800 600' "$(pictures | tail -1)" || fail "the last picture"
want '"width": 800' report.json
mv pictures pictures-before

step "one file ends"
run -o film.y4m --policy latest
[ $status = 1 ] || { cat err.txt report.json; fail "status $status, not 1"; }
want "one file has frames of one size" err.txt
head -c 40 film.y4m | grep -q 'W720 H480' || fail "the film"
