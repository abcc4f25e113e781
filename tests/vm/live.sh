#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Live capture on the kernel's real camera drivers, in one guest. VM_SOAK=300 adds a soak of so many seconds.
# VM_PULLS=50 pulls a USB camera so often.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
export BUILD_DIR=${BUILD_DIR:?the build folder} VM_SOAK=${VM_SOAK:-0} VM_PULLS=${VM_PULLS:-4}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OUT=$out
# Four cameras: plain, multi-planar, one whose memory is contiguous (and so without USERPTR), an HDMI input.
vivid="vivid n_devs=4 node_types=0x1,0x1,0x1,0x1 multiplanar=1,2,1,1 num_inputs=1,1,1,1"
vivid="$vivid input_types=0x00,0x00,0x00,0x03 allocators=0,0,1,0"
modules=(--module "$vivid" --module vhci_hcd --module uvcvideo)
export LOOPBACK="" # where it can be had: a fifth camera
if ! command -v ffmpeg >/dev/null; then
    echo "without v4l2loopback: there is no ffmpeg to feed it"
elif why=$(tests/vm/harness/add-v4l2loopback); then
    LOOPBACK=yes
    modules+=(--module "v4l2loopback video_nr=40 exclusive_caps=1")
else
    echo "without v4l2loopback: $why"
fi

ZCS_VM_ENV="BUILD_DIR OUT LOOPBACK VM_SOAK VM_PULLS ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS" \
    tests/vm/harness/run-in-guest --timeout $((540 + VM_SOAK)) --write "$out" "${modules[@]}" -- bash tests/vm/guest/suite.sh

# What the guest wrote: whole pictures, a hundred of each.
for kind in single multi; do
    count=$(find "$out/$kind" -name '*.png' | wc -l)
    [ "$count" = 100 ] || { echo "$kind: $count pictures, not 100" >&2; exit 1; }
done
if command -v pngcheck >/dev/null; then
    pngcheck -q "$out"/*/*.png
fi
