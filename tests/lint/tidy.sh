#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Static analysis: clang-tidy with the checks of .clang-tidy; of the kernels one variant.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"

if ! command -v clang-tidy >/dev/null; then
    echo "skipped: no clang-tidy"
    exit 77
fi
# The flags are given here, since a build's own list has three lines for each kernel. The CUDA backend needs
# headers of a toolkit that may not be here.
find app kernels lib -name '*.c' ! -path 'lib/backend/cuda/*' -print0 |
    xargs -0 -n 1 -P "$(nproc)" bash -o pipefail -c '
        clang-tidy --quiet "$@" -- -std=c11 -Iinclude -Ilib -I. -D_POSIX_C_SOURCE=200809L \
            -D_FILE_OFFSET_BITS=64 -DZCK_VARIANT=base "-DZCS_VERSION=\"0\"" 2>&1 |
            sed "/^[0-9]* warnings* \(generated\|treated as errors\)/d; /^Suppressed /d"' bash
