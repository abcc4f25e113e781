#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The newcomer's script: its help names each command that it has, and a word that is none is named in an error.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"

fail()
{
    echo "$1" >&2
    exit 1
}

help=$(./zc help)
commands=$(sed -n '/^case \$command in/,/^esac/s/^\([a-z]\{1,\}\)\( |\|)\).*/\1/p' zc)
[ "$(wc -w <<<"$commands")" -ge 6 ] || fail "commands of zc: only these were found: $commands"
for command in $commands; do
    grep -q "^  $command " <<<"$help" || fail "./zc help does not name '$command'"
done
status=0
words=$(./zc dmeo 2>&1) || status=$?
[ "$status" = 2 ] || fail "./zc dmeo: status $status, not 2"
[ "${words%%$'\n'*}" = "zc: no such command: dmeo" ] || fail "./zc dmeo: $words"

# In a folder of its own, where cmake and ctest only leave a mark.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/build/zc" "$work/out/demo"
cp zc "$work/zc"
for program in cmake ctest; do
    printf '#!/bin/sh\necho %s "$@" >>"%s/called"\n' "$program" "$work" >"$work/bin/$program"
    chmod +x "$work/bin/$program"
done

# does_nothing STATUS FIRST_LINE ARGUMENT...
does_nothing()
{
    local wanted=$1 line=$2 got=0 words
    shift 2
    words=$(PATH=$work/bin:$PATH "$work/zc" "$@" 2>&1) || got=$?
    [ "$got" = "$wanted" ] || fail "./zc $*: status $got, not $wanted"
    [ "${words%%$'\n'*}" = "$line" ] || fail "./zc $*: ${words%%$'\n'*}"
    [ -d "$work/build/zc" ] && [ -d "$work/out/demo" ] || fail "./zc $* removed something"
    [ ! -e "$work/called" ] || fail "./zc $* ran: $(cat "$work/called")"
}

for command in $commands; do
    does_nothing 0 "${help%%$'\n'*}" "$command" --help
    does_nothing 0 "${help%%$'\n'*}" "$command" -h
    does_nothing 0 "${help%%$'\n'*}" help "$command"
    [ "$command" = test ] || does_nothing 2 "zc: $command: no such argument: --fast" "$command" --fast
done
does_nothing 2 "zc: no such command: dmeo" help dmeo
does_nothing 2 "zc: help: no such argument: build" help test build
does_nothing 2 "zc: test: no such argument: unit (tests by name: ./zc test -R unit)" test unit
does_nothing 2 "zc: test: no such argument: unit (tests by name: ./zc test -R unit)" test --all unit
does_nothing 2 "zc: build: no such argument: --fast" build --all-gpus --fast

# configured ARGUMENT...: what CMake is told about CUDA.
configured()
{
    rm -f "$work/called"
    PATH=$work/bin:$PATH "$work/zc" "$@" >/dev/null || fail "./zc $*: failed"
    grep -o -- '-[DU]\(ZCS_CUDA\|CMAKE_CUDA_ARCHITECTURES\)[^ ]*' "$work/called" | tr '\n' ' '
    rm -f "$work/called"
}

for program in nvcc clang-format clang-tidy; do # nothing is to be installed
    printf '#!/bin/sh\n' >"$work/bin/$program"
    chmod +x "$work/bin/$program"
done
if ! command -v nvidia-smi >/dev/null && [ ! -e /proc/driver/nvidia ]; then
    [ "$(configured build)" = "-DZCS_CUDA=OFF " ] || fail "./zc build without a driver: not for the host alone"
fi
printf '#!/bin/sh\nprintf "9.0\\n8.6\\n9.0\\n"\n' >"$work/bin/nvidia-smi"
chmod +x "$work/bin/nvidia-smi"
[ "$(configured build)" = "-DZCS_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=86-real;90-real " ] ||
    fail "./zc build with two kinds of GPU: $(configured build)"
[ "$(configured build --all-gpus)" = "-DZCS_CUDA=ON -UCMAKE_CUDA_ARCHITECTURES " ] ||
    fail "./zc build --all-gpus: $(configured build --all-gpus)"
[ "$(CI=true configured test)" = "-DZCS_CUDA=ON -UCMAKE_CUDA_ARCHITECTURES " ] ||
    fail "CI=true ./zc test: not for all GPUs"
"$work/zc" clean
[ ! -e "$work/build/zc" ] && [ ! -e "$work/out/demo" ] || fail "./zc clean left something"
