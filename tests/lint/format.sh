#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Layout: every C, C++ and CUDA file is as clang-format leaves it.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"

# Versions of clang-format disagree on details, so one decides: that of Debian 12.
tool=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$tool" ]; then
    echo "skipped: no clang-format"
    exit 77
fi
version=$("$tool" --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != 14 ]; then
    echo "skipped: clang-format $version; version 14 decides"
    exit 77
fi
find $(ls -d app include kernels lib samples tests 2>/dev/null) \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' \) -print0 |
    xargs -0 "$tool" --dry-run -Werror
