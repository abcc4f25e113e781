#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every public header compiles alone, and twice, as C11 and as C++17.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Wpedantic -Wundef -Werror"

for header in include/zcstream/*.h; do
    name=zcstream/${header##*/}
    printf '#include "%s"\n#include "%s"\n' "$name" "$name" | tee "$work/alone.c" >"$work/alone.cpp"
    "${CC:-cc}" -std=c11 $warnings -Wstrict-prototypes -Iinclude -fsyntax-only "$work/alone.c"
    [ -z "${CXX:-}" ] || "$CXX" -std=c++17 $warnings -Iinclude -fsyntax-only "$work/alone.cpp"
done
if [ -z "${CXX:-}" ]; then
    echo "skipped: no C++ compiler; as C11 every header compiles"
    exit 77
fi
