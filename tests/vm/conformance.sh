#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The conformance program of the virtual camera on the kernel's drivers, in one guest.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
export BUILD_DIR=${BUILD_DIR:?the build folder}
# Plain, multi-planar, and one whose memory is contiguous and so without USERPTR.
vivid="vivid n_devs=3 node_types=0x1,0x1,0x1 multiplanar=1,2,1 num_inputs=1,1,1 input_types=0x00,0x00,0x00 allocators=0,0,1"
ZCS_VM_ENV="BUILD_DIR ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS" tests/vm/harness/run-in-guest --timeout 300 \
    --module "$vivid" --module vhci_hcd --module uvcvideo -- bash tests/vm/guest/conformance.sh
