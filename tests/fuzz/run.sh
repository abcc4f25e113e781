#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzes: tests/fuzz/run.sh SECONDS [TARGET...] builds the targets with clang, libFuzzer and sanitizers and
# runs each so long from its corpus, two at a time or ZCS_FUZZ_JOBS. Fails on a crash, a hang or a leak and says
# where the input lies that makes it. What a run finds is kept in the build folder for the next one and for
# merge.sh.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
build=${ZCS_FUZZ_BUILD:-build/fuzz}
corpus=tests/fuzz/corpus
jobs=${ZCS_FUZZ_JOBS:-2}
seconds=${1:?how many seconds for each target}
shift

if ! command -v clang >/dev/null ||
    ! echo 'int LLVMFuzzerTestOneInput(const char *d, long n); int LLVMFuzzerTestOneInput(const char *d, long n) { return n == 1 && d[0]; }' |
        clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then
    echo "skipped: no clang that links libFuzzer (Debian, Ubuntu: clang and libclang-rt-VERSION-dev)"
    exit 77
fi
cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DZCS_CUDA=OFF \
    -DZCS_SANITIZE=fuzzer-no-link,address,undefined >/dev/null
cmake --build "$build" --target fuzz >"$build/fuzz.log" || { tail -n 40 "$build/fuzz.log" >&2; exit 1; }

# one TARGET: one line of result.
one()
{
    local name=$1 found=$build/found/$1 log=$build/found/$1.log failed=0
    mkdir -p "$found" "$build/crashes"
    "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=$((5 * jobs)) -rss_limit_mb=2048 -max_len=4096 \
        -dict=tests/fuzz/words.dict -artifact_prefix="$build/crashes/$name-" -print_final_stats=1 \
        "$found" "$corpus/$name" >"$log" 2>&1 || failed=1
    local count covered
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
    printf '%-8s %10s executions, %5s edges%s\n' "$name" "${count:-?}" "${covered:-?}" \
        "$([ $failed = 0 ] || echo ", FAILED")"
    [ $failed = 0 ] && return
    grep -E -A 12 'ERROR|runtime error|failed:|Test unit written' "$log" | tail -n 60 >&2
    return 1
}
export -f one
export build corpus seconds jobs

[ $# -gt 0 ] || set -- $(ls "$corpus")
printf '%s\n' "$@" | xargs -n 1 -P "$jobs" bash -eu -o pipefail -c 'one "$1"' bash
