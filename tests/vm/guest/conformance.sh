#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest: what tests/vcam/conformance.sh wants of the virtual camera, wanted of vivid and uvcvideo.
set -eu -o pipefail
. "$(dirname "$0")/lib.inc"
bad=0

# conforms NAME NODE FOURCC SIZE
conforms()
{
    echo "== $1, $3"
    "$BUILD_DIR/tests/vcam_conformance" "$2" "$3" "$4" || bad=1
}
conforms "vivid, single-planar" /dev/video0 YUYV 320x180
conforms "vivid, multi-planar" /dev/video1 YUYV 320x180
conforms "vivid, multi-planar" /dev/video1 NM12 320x180
conforms "vivid, without USERPTR" /dev/video2 YUYV 320x180
"$usbcam" &
camera=$!
usb=""
for _ in $(seq 300); do
    for name in /sys/class/video4linux/video*/name; do
        folder=$(dirname "$name")
        if [ "$(cat "$name")" = Cam ] && [ "$(cat "$folder/index")" = 0 ]; then
            usb=/dev/$(basename "$folder")
        fi
    done
    [ -z "$usb" ] || [ ! -e "$usb" ] || break
    sleep 0.1
done
conforms uvcvideo "$usb" YUYV 320x240
kill $camera

# Not this machine's kernel but the guest's has /dev/udmabuf: the virtual camera's third kind of memory.
OUT=$(mktemp -d)
. tests/vcam/numbers.inc
NUMBERS_PATH=dmabuf numbers "virtual camera, dmabuf" YUYV 640x480 30 30 --backend host || bad=1
exit $bad
