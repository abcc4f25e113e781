#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest: every scenario against its driver. Nodes: 0 vivid, 1 multi-planar, 2 without USERPTR, 3 HDMI.
set -eu -o pipefail
. "$(dirname "$0")/lib.inc"

step "zcapp writes a hundred pictures, the driver writing into the slots"
pictures()
{
    mkdir -p "$OUT/$2"
    "$zcapp" -q "$1" -s 320x180 --fps 25 -n 100 \
        -o "$OUT/$2/%03u.png" --require-path userptr --json "$OUT/$2.json"
    want '"path": "userptr"' "$OUT/$2.json"
    want '"cpu_bytes_copied_per_frame": 0' "$OUT/$2.json"
    want '"written": 100' "$OUT/$2.json"
}
pictures /dev/video0 single
pictures /dev/video1 multi

# No call carries pixels: what is read and moved in one go is less than a frame's tenth. Leak detection does
# not work under strace.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -qq -e trace=read,pread64,readv,process_vm_readv,vmsplice,splice -o "$OUT/calls" \
    "$zcapp" -q /dev/video0 -s 320x180 --fps 25 -n 10 -o none
awk '$NF + 0 >= 11520 { print; bad = 1 } END { exit bad }' "$OUT/calls" || fail "calls that carry pixels"

step "formats on every path"
"$live" colors /dev/video0
"$live" matrix /dev/video0 userptr dmabuf registered copied
"$live" matrix /dev/video1 userptr dmabuf registered copied
"$live" matrix /dev/video2 registered copied

step "error injection"
"$live" faults /dev/video0
"$live" faults /dev/video1
"$live" gone /dev/video0

step "wishes that are kept, and some that are not"
refused 3 "asked for 333x222, the driver gives" /dev/video0 -s 333x222
"$zcapp" /dev/video0 -s 333x222 --accept-nearest -n 1 -o none 2>"$OUT/nearest"
want "asked for 333x222, the driver gives" "$OUT/nearest"
refused 3 "VIDIOC_REQBUFS" /dev/video2 --require-path userptr
"$zcapp" -q /dev/video0 --input 0 -n 1 -o none
refused 3 "no input '7'; it has 1" /dev/video0 --input 7
refused 3 "VIDIOC_S_SELECTION (crop)" /dev/video0 --crop 64x48+0+0
"$zcapp" -q /dev/video3 --input "HDMI 003-0" -s 640x360 --crop 640x360+320+180 -n 1 -o none --json "$OUT/crop.json"
want '"width": 640' "$OUT/crop.json"
v4l2-ctl -d /dev/video3 --get-selection target=crop >"$OUT/crop"
want "Left 320, Top 180, Width 640, Height 360" "$OUT/crop"
v4l2-ctl -d /dev/video0 --set-ctrl percentage_of_dropped_buffers=100
refused 1 "given up" /dev/video0 --stall 1
v4l2-ctl -d /dev/video0 --set-ctrl percentage_of_dropped_buffers=0

step "interrupted"
mkdir -p "$OUT/interrupted"
"$zcapp" -q /dev/video0 -s 320x180 -o "$OUT/interrupted/%03u.png" &
pid=$!
sleep 2
kill -INT $pid
wait $pid || fail "SIGINT ended with $?"
ls "$OUT/interrupted"/*.png >/dev/null || fail "no pictures before SIGINT"
ls "$OUT/interrupted" | grep -v '\.png$' && fail "unfinished files"

bash tests/vm/guest/recording.sh
bash tests/vm/guest/controls.sh
[ -z "$LOOPBACK" ] || bash tests/vm/guest/loopback.sh

step "an HDMI input, its signal followed"
"$live" count /dev/video3 userptr 20
bash tests/vm/guest/signal.sh /dev/video3

# plug NODROP OPTION...: a USB camera comes; its pictures are at $usb, its metadata at the node behind.
plug()
{
    echo "$1" >/sys/module/uvcvideo/parameters/nodrop
    shift
    "$usbcam" "$@" &
    camera=$!
    usb=""
    for _ in $(seq 300); do
        for node in /sys/class/video4linux/video*; do
            [ "$(cat "$node/name")" = Cam ] && [ "$(cat "$node/index")" = 0 ] && usb=/dev/${node##*/}
        done
        [ -z "$usb" ] || [ ! -e "$usb" ] || return 0
        sleep 0.1
    done
    fail "the USB camera does not come"
}
unplug()
{
    kill $camera 2>/dev/null || true
    wait $camera 2>/dev/null || true
    for _ in $(seq 300); do
        [ -e "$usb" ] || return 0
        sleep 0.1
    done
    fail "the USB camera does not go"
}

step "a USB webcam: good, damaged and short frames, dropped by the driver and not"
plug 0
"$live" count "$usb" userptr 40
refused 3 "metadata node" "/dev/video$((${usb#/dev/video} + 1))"
"$zcapp" --list-devices >"$OUT/devices"
grep -Eq "^camera  $usb  Cam.*driver uvcvideo  bus usb-.*formats YUYV" "$OUT/devices" || { cat "$OUT/devices" >&2; fail "no USB camera listed"; }
grep -q "^metadata  /dev/video.*same device $usb$" "$OUT/devices" || fail "the metadata node is not told apart"
"$zcapp" --list-controls "$usb" >"$OUT/controls"
grep -Eq '^brightness +0x00980900 +int +-10\.\.10 \[5\]  = 5$' "$OUT/controls" || { cat "$OUT/controls" >&2; fail "no brightness of the USB camera"; }
grep -Eq '^power_line_frequency .*= 1 \(50 Hz\)$' "$OUT/controls" || { cat "$OUT/controls" >&2; fail "no menu of the USB camera"; }
"$zcapp" "$usb" -n 5 -o none --set brightness=-4 --set power_line_frequency="60 hz" --json "$OUT/usb.json" 2>"$OUT/set"
want '"brightness": "-4"' "$OUT/usb.json"
want '"power_line_frequency": "2"' "$OUT/usb.json"
refused 2 "brightness=11: it takes -10..10" "$usb" --set brightness=11
"$zcapp" doctor "$usb" >"$OUT/doctor" || { cat "$OUT/doctor" >&2; fail "doctor on a USB camera"; }
grep -Eq "^usb +480 Mbit/s" "$OUT/doctor" || { cat "$OUT/doctor" >&2; fail "no USB speed"; }
want "userptr: works" "$OUT/doctor"
unplug
plug 0 -e 5
"$live" count "$usb" userptr 30
unplug
plug 1 -e 5
"$live" count "$usb" userptr 30 error
unplug
plug 1 -t 5
"$live" count "$usb" userptr 30 error
unplug
bash tests/vm/guest/unplug.sh

step "a USB webcam pulled out"
plug 0 -x 30
"$live" ends "$usb"
unplug

if [ "$VM_SOAK" -gt 0 ]; then
    step "soak"
    "$live" soak /dev/video0 "$VM_SOAK"
fi
step "done"
