#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest, by hand: what capturing a frame costs, beside v4l2-ctl. docs/live-capture.md says how.
set -eu -o pipefail
device=/dev/video0
size=320x180
rate=50
seconds=8

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

v4l2-ctl -d $device -v width=${size%x*},height=${size#*x},pixelformat=YUYV >/dev/null
v4l2-ctl -d $device -p $rate >/dev/null
for _ in 1 2 3; do
    "$BUILD_DIR/tests/vm_live" pace $device $((seconds * rate))
    a_frame "v4l2-ctl --stream-user" 3 v4l2-ctl -d $device --stream-user=8
done
