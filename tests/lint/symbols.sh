#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The archive's symbols: all begin with zcs_, zci_ or zck_, and none is data that can change.
set -eu -o pipefail
archive=${BUILD_DIR:?the build folder}/lib/libzcstream.a
bad=0

others=$(nm --extern-only --defined-only "$archive" |
    awk 'NF == 3 && $3 !~ /^(zcs|zci|zck)_|[Nn]vtx/ { print $3 }')
if [ -n "$others" ]; then
    echo "libzcstream.a: external symbols without a prefix of the library's:" $others >&2
    bad=1
fi

# Constant tables lie in .rodata or .data.rel.ro; what lies in .data or .bss is state of the whole program.
# nvcc registers kernels through some of its own, and so do the headers of NVTX, where they are built in.
state=$(nm --format=sysv "$archive" |
    awk -F '|' '$4 ~ /OBJECT|TLS/ && $7 ~ /^ *(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ &&
        $7 !~ /\.data\.rel\.ro/ && $1 !~ /__device_stub|__cuda|[Ff]atbin|__nv_|[Nn]vtx/ { print $1 "(" $7 ")" }')
if [ -n "$state" ]; then
    echo "libzcstream.a: mutable data:" $state >&2
    bad=1
fi
exit $bad
