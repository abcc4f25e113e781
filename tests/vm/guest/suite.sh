#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest: every scenario against its driver. Nodes: 0 vivid, 1 multi-planar, 2 without USERPTR, 3 HDMI.
set -eu -o pipefail
live=$BUILD_DIR/tests/vm_live
usbcam=$BUILD_DIR/tests/vm_usbcam
zcapp=$BUILD_DIR/app/zcapp

step()
{
    printf '[%d s] %s\n' "$SECONDS" "$*"
}

fail()
{
    echo "failed: $1" >&2
    exit 1
}

# want TEXT FILE: the report has it.
want()
{
    grep -qF -- "$1" "$2" || { cat "$2" >&2; fail "no '$1' in the report"; }
}

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

step "wishes that are not kept, and nodes that are none"
status=0
"$zcapp" -q /dev/video0 -s 333x222 -n 1 -o none 2>"$OUT/wish" || status=$?
[ "$status" != 0 ] || fail "a size that the driver does not have was accepted"
want "asked for 333x222, the driver gives" "$OUT/wish"
status=0
"$zcapp" -q /dev/video2 -n 1 -o none --require-path userptr 2>"$OUT/path" || status=$?
[ "$status" = 3 ] || fail "--require-path ended with $status, not 3"
want "VIDIOC_REQBUFS" "$OUT/path"

step "interrupted"
mkdir -p "$OUT/interrupted"
"$zcapp" -q /dev/video0 -s 320x180 -o "$OUT/interrupted/%03u.png" &
pid=$!
sleep 2
kill -INT $pid
wait $pid || fail "SIGINT ended with $?"
ls "$OUT/interrupted"/*.png >/dev/null || fail "no pictures before SIGINT"
ls "$OUT/interrupted" | grep -v '\.png$' && fail "unfinished files"

step "an HDMI input, its signal followed"
"$live" count /dev/video3 userptr 20

# plug NODROP OPTION...: a USB camera comes; its pictures are at $usb, its metadata at the node behind.
plug()
{
    echo "$1" >/sys/module/uvcvideo/parameters/nodrop
    shift
    "$usbcam" "$@" &
    camera=$!
    usb=""
    for _ in $(seq 50); do
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
    for _ in $(seq 50); do
        [ -e "$usb" ] || return 0
        sleep 0.1
    done
    fail "the USB camera does not go"
}

step "a USB webcam: good, damaged and short frames, dropped by the driver and not"
plug 0
"$live" count "$usb" userptr 40
status=0
"$zcapp" -q "/dev/video$((${usb#/dev/video} + 1))" -n 1 -o none 2>"$OUT/metadata" || status=$?
[ "$status" != 0 ] || fail "a metadata node gave pictures"
want "metadata node" "$OUT/metadata"
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
step "a USB webcam pulled out"
plug 0 -x 30
"$live" ends "$usb"
unplug

if [ "$VM_SOAK" -gt 0 ]; then
    step "soak"
    "$live" soak /dev/video0 "$VM_SOAK"
fi
step "done"
