#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Takes what run.sh has found into the corpus, and of both keeps no more than reaches every edge, beside the
# inputs made by hand, which have names: tests/fuzz/merge.sh [TARGET...]
set -eu -o pipefail
cd "$(dirname "$0")/../.."
build=${ZCS_FUZZ_BUILD:-build/fuzz}
corpus=tests/fuzz/corpus

[ $# -gt 0 ] || set -- $(ls "$corpus")
for name in "$@"; do
    kept=$(mktemp -d)
    find "$corpus/$name" -type f ! -regex '.*/[0-9a-f]*' -exec cp {} "$kept" \;
    "$build/tests/fuzz/fuzz_$name" -set_cover_merge=1 -use_counters=0 -max_len=4096 "$kept" "$corpus/$name" \
        "$build/found/$name" >"$build/found/$name.merge.log" 2>&1
    rm -r "${corpus:?}/$name"
    mv "$kept" "$corpus/$name"
    chmod 755 "$corpus/$name"
    printf '%-8s %5d inputs, %6d bytes\n' "$name" "$(ls "$corpus/$name" | wc -l)" \
        "$(cat "$corpus/$name"/* | wc -c)"
done
