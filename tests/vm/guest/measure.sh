#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest, by hand: what capturing a frame costs, beside v4l2-ctl and ffmpeg. docs/live-capture.md says how.
set -eu -o pipefail
device=/dev/video0
TIMEFORMAT='%U %S'

# cpu COMMAND...: its CPU time in microseconds.
cpu()
{
    { time "$@" >/dev/null 2>&1 </dev/null; } 2>&1 | awk '{ print int(($1 + $2) * 1e6) }'
}

# a_frame NAME COMMAND-WITH-%N...: from the difference of 520 and 20 frames, so that the start does not count.
a_frame()
{
    local name=$1 few many
    shift
    few=$(cpu "${@//%N/20}")
    many=$(cpu "${@//%N/520}")
    echo "$name: $(((many - few) / 500)) us of CPU a frame"
}

size=320x180
v4l2-ctl -d $device -v width=${size%x*},height=${size#*x},pixelformat=YUYV >/dev/null
v4l2-ctl -d $device -p 50 >/dev/null
for _ in 1 2 3; do
    "$BUILD_DIR/tests/vm_live" pace $device 500
    a_frame "v4l2-ctl --stream-user" v4l2-ctl -d $device --stream-user=8 --stream-count=%N
    ! command -v ffmpeg >/dev/null ||
        a_frame "ffmpeg -f null" ffmpeg -f v4l2 -video_size $size -framerate 50 -i $device -frames:v %N -f null -
done
