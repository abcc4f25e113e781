#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest, by hand: what capturing a frame costs, beside other programs. docs/live-capture.md says how.
set -eu -o pipefail
. "$(dirname "$0")/lib.inc"
device=/dev/video0
rate=50
seconds=6
rounds=${ROUNDS:-3}

# The CPU time of process $1 in ns, by the scheduler's clock: what ticks count is wrong for programs that wake
# up with them.
used()
{
    cat "/proc/$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%d", sum }'
}

# a_frame NAME WARM COMMAND...: from what the program uses once it runs evenly, WARM seconds after its start.
a_frame()
{
    local name=$1 warm=$2 before after pid
    shift 2
    "$@" >/dev/null 2>&1 </dev/null &
    pid=$!
    sleep "$warm"
    before=$(used $pid)
    sleep $seconds
    after=$(used $pid)
    kill $pid
    wait $pid || true
    echo "$name: $(((after - before) / 1000 / (seconds * rate))) us of CPU a frame"
}

# v4l2-ctl's hand-off, as it says itself: the time between a buffer's timestamp and its being there.
hand_off()
{
    v4l2-ctl -d $device --stream-user=8 --stream-count=$((seconds * rate)) --verbose --stream-show-delta-now 2>&1 |
        grep -o 'delta now: [-0-9.]* ms' | awk '{ print $3 }' | sort -n |
        awk '{ v[NR] = $1 } END { print "v4l2-ctl --stream-user: hand-off median " int(1000 * v[int(NR / 2) + 1]) " us" }'
}

v4l2-ctl -d $device -v width=320,height=180,pixelformat=YUYV >/dev/null
v4l2-ctl -d $device -p $rate >/dev/null
for _ in $(seq "$rounds"); do
    "$live" pace $device $((seconds * rate))
    a_frame "v4l2-ctl --stream-user" 3 v4l2-ctl -d $device --stream-user=8
    hand_off
    a_frame "ffmpeg -f null" 30 ffmpeg -f v4l2 -input_format yuyv422 -video_size 320x180 -framerate $rate -i $device \
        -f null -
    a_frame "zcapp -o none" 3 "$zcapp" -q $device --stages none -o none
done
