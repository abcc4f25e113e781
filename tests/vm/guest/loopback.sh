#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest: v4l2loopback, which has neither USERPTR nor DMABUF, fed by ffmpeg.
set -eu -o pipefail
. "$(dirname "$0")/lib.inc"
device=/dev/video40
bytes=$((320 * 180 * 2))
mkdir -p "$OUT/loopback"
cd "$OUT/loopback"

step "v4l2loopback, fed with a known picture"
head -c $bytes /dev/urandom >picture.yuyv
ffmpeg -v error -re -stream_loop -1 -f rawvideo -pix_fmt yuyv422 -s 320x180 -framerate 25 -i picture.yuyv \
    -c:v rawvideo -f v4l2 $device </dev/null &
feeder=$!
trap 'kill $feeder; wait $feeder || true' EXIT
fed()
{
    v4l2-ctl -d $device --all 2>/dev/null | grep -q 'Video Capture$'
}
for _ in $(seq 100); do
    ! fed || break
    sleep 0.1
done
refused 3 "VIDIOC_REQBUFS" $device --require-path userptr
refused 3 "VIDIOC_REQBUFS" $device --require-path dmabuf
refused 3 "its feeder writes into buffers that are being read" $device --require-path registered
"$zcapp" -q $device -n 5 -o none --record copied.zcr --json copied.json
want '"path": "copied"' copied.json
for place in 0 4; do
    payload copied.zcr $place $bytes | cmp - picture.yuyv || fail "frame $place differs"
done
