#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest: live recordings against frames of another program, which zcapp plays too.
set -eu -o pipefail
. "$(dirname "$0")/lib.inc"
size=320x180
bytes=$((320 * 180 * 2))
mkdir -p "$OUT/record"
cd "$OUT/record"

step "a still picture, recorded: the bytes that v4l2-ctl gets"
v4l2-ctl -d /dev/video0 -v width=320,height=180,pixelformat=YUYV --set-ctrl osd_text_mode=2 >/dev/null
v4l2-ctl -d /dev/video0 -p 25 >/dev/null
v4l2-ctl -d /dev/video0 --stream-mmap --stream-count=2 --stream-to=other.raw >/dev/null 2>&1
v4l2-ctl -d /dev/video0 --stream-mmap --stream-count=2 --stream-to-hdr=other.hdr >/dev/null 2>&1
head -c $bytes other.raw >other.frame
for path in userptr dmabuf registered copied; do
    "$zcapp" -q /dev/video0 -f YUYV -s $size -n 2 -o none --record $path.zcr --require-path $path
    for place in 0 1; do
        payload $path.zcr $place $bytes | cmp - other.frame || fail "$path: frame $place differs"
    done
done

step "the same picture from v4l2-ctl's files and from the recording"
"$zcapp" -q userptr.zcr -o recorded-%u.ppm
"$zcapp" -q -f YUYV -s $size other.raw -o raw-%u.ppm
"$zcapp" -q -f YUYV -s $size other.hdr -o hdr-%u.ppm
"$zcapp" -q /dev/video0 -f YUYV -s $size -n 1 -o live-%u.ppm
"$zcapp" -q /dev/video0 -f YUYV -s $size --stride 704 -n 1 -o padded-%u.ppm
count=0
for other in recorded-*.ppm raw-*.ppm hdr-*.ppm live-*.ppm padded-*.ppm; do # numbers tell of lost frames
    cmp "$other" recorded-0.ppm || fail "$other differs"
    count=$((count + 1))
done
[ $count = 8 ] || fail "$count pictures"

step "grey samples behind a YUYV label"
"$zcapp" -q /dev/video0 -f YUYV -s $size --treat-as Y16 --stages none --depth 16 -n 1 -o grey.raw
cmp grey.raw other.frame || fail "samples changed"

step "a picture that changes: what was processed and what was recorded"
v4l2-ctl -d /dev/video0 --set-ctrl osd_text_mode=0,horizontal_movement=5
"$zcapp" -v /dev/video0 -f YUYV -s $size -n 10 --stages digest -o none --record moving.zcr 2>live.txt
"$zcapp" -v moving.zcr --stages digest -o none 2>played.txt
v4l2-ctl -d /dev/video0 --set-ctrl horizontal_movement=3
for file in live played; do
    grep -o 'digest [0-9a-f]*$' $file.txt >$file.digests
done
[ "$(sort -u live.digests | wc -l)" = 10 ] || fail "the picture does not change"
cmp live.digests played.digests || fail "the recording differs"
