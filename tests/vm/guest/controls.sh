# SPDX-License-Identifier: MIT
# In the guest: lists, controls and doctor on vivid. To be run by suite.sh.
set -eu -o pipefail
. "$(dirname "$0")/lib.inc"

# value CONTROL: as v4l2-ctl reads it.
value()
{
    v4l2-ctl -d /dev/video0 --get-ctrl "$1" | sed 's/.*: //'
}

step "lists: nodes, formats, controls as v4l2-ctl has them"
"$zcapp" --list-devices >"$OUT/devices"
want "camera  /dev/video0  vivid  driver vivid  bus platform:vivid-000  formats YUYV" "$OUT/devices"
"$zcapp" --list-devices --json "$OUT/devices.json"
want '"bus": "platform:vivid-001"' "$OUT/devices.json"
[ "$(grep -c '^camera  /dev/video' "$OUT/devices")" -ge 4 ] || fail "not all cameras in --list-devices"
for node in /dev/video0 /dev/video1; do
    "$zcapp" --list-formats $node >"$OUT/formats"
    v4l2-ctl -d $node --list-formats | sed -n "s/.*: '\([^']*\)'.*/\1/p" | sed 's/ *$//' >"$OUT/theirs"
    grep -c '^[^ ]' "$OUT/formats" >"$OUT/count"
    [ "$(cat "$OUT/count")" = "$(wc -l <"$OUT/theirs")" ] || fail "$node: $(cat "$OUT/count") formats, v4l2-ctl has $(wc -l <"$OUT/theirs")"
    grep -Eq '^    640x480  .*30.* fps$' "$OUT/formats" || fail "$node: no 640x480 at 30"
done
"$zcapp" --list-controls /dev/video0 >"$OUT/controls"
v4l2-ctl -d /dev/video0 -l | sed -n 's/^ *\([a-z0-9_]*\) 0x.*/\1/p' | sort >"$OUT/theirs"
sed -n 's/^\([a-z0-9_]*\) *0x.*/\1/p' "$OUT/controls" | grep -v s32_2_element_array | sort >"$OUT/ours" # v4l2-ctl 1.22 passes it over
cmp "$OUT/theirs" "$OUT/ours" || { diff "$OUT/theirs" "$OUT/ours" >&2; fail "other names of controls than v4l2-ctl's"; }
grep -Eq '^u16_8x16_matrix +0x[0-9a-f]* +u16\[8\]\[16\]$' "$OUT/controls" || fail "no kind of u16_8x16_matrix"
grep -Eq '^integer_64_bits +0x[0-9a-f]* +int64 +-9223372036854775808\.\.9223372036854775807 ' "$OUT/controls" || fail "no integer_64_bits"

step "controls: set, read back, refused"
set_all=()
for setting in brightness=33 Contrast=0x10 horizontal_flip=on "menu=Menu Item 4" integer_menu=21 integer_64_bits=-5000000000 \
    bitmask=0x80402000 string=abcd 0x00980902=99; do
    set_all+=(--set "$setting")
done
"$zcapp" -q /dev/video0 -s 320x180 -n 2 -o none "${set_all[@]}" --json "$OUT/set.json"
for pair in brightness=33 contrast=16 saturation=99 horizontal_flip=1 menu=4 integer_menu=7 integer_64_bits=-5000000000 string=abcd; do
    got=$(value "${pair%%=*}")
    case $got in
    "${pair#*=}" | "${pair#*=} "* | "'${pair#*=}'") ;;
    *) fail "$pair was set, v4l2-ctl reads '$got'" ;;
    esac
    want "\"${pair%%=*}\": \"${pair#*=}\"" "$OUT/set.json"
done
refused 2 "brightness=256: it takes 0..255" /dev/video0 --set brightness=256
refused 2 "menu=2: it takes 1 (Menu Item 1), 3 (Menu Item 3)" /dev/video0 --set menu=2
refused 3 "can only be read" /dev/video0 --set read_only_integer_32_bits=1
refused 3 "u16_8x16_matrix is u16[8][16]" /dev/video0 --set u16_8x16_matrix=1
refused 2 "no control 'focus'; it has brightness" /dev/video0 --set focus=1
"$zcapp" -q /dev/video0 -n 1 -o none --set horizontal_flip=0 --set brightness=128

step "a change by another program counts from a frame on"
"$zcapp" -v /dev/video0 -s 320x180 --fps 25 -n 60 -o none 2>"$OUT/changes" &
pid=$!
sleep 1.5
v4l2-ctl -d /dev/video0 --set-ctrl brightness=77
wait $pid
grep -Eq 'frame [0-9]+ is the first after brightness=77' "$OUT/changes" || { cat "$OUT/changes" >&2; fail "the change was not seen"; }

step "latency, and whose time it is"
v4l2-ctl -d /dev/video0 --set-ctrl timestamp_source=1
"$zcapp" -q /dev/video0 -s 320x180 -n 10 -o none --json "$OUT/times.json"
want '"of": "start of exposure"' "$OUT/times.json"
want '"compared": 10' "$OUT/times.json"
v4l2-ctl -d /dev/video0 --set-ctrl timestamp_source=0

step "doctor"
"$zcapp" doctor /dev/video0 >"$OUT/doctor"
for path in userptr registered copied; do
    grep -Eq "$path: works" "$OUT/doctor" || { cat "$OUT/doctor" >&2; fail "doctor: $path does not work"; }
done
want "the driver fills buffers with the CPU" "$OUT/doctor"
grep -Eq '^measured +[0-9]+ frames' "$OUT/doctor" || fail "doctor measured nothing"
"$zcapp" doctor /dev/video2 >"$OUT/doctor"
want "userptr: VIDIOC_REQBUFS" "$OUT/doctor"
"$zcapp" -q /dev/video0 -s 320x180 -n 200 -o none &
pid=$!
sleep 1
"$zcapp" doctor /dev/video0 >"$OUT/doctor" && fail "doctor finds a camera free that is not"
kill $pid 2>/dev/null || true
wait $pid || true
want "process $pid (zcapp)" "$OUT/doctor"
want "- another program has the camera open" "$OUT/doctor"

# As somebody else: who may open the node, and what to do about it.
nobody()
{
    setpriv --reuid 65534 --regid 65534 --clear-groups "$zcapp" doctor /dev/video0 >"$OUT/doctor" && fail "nobody may open the camera"
    want "$1" "$OUT/doctor"
}
chgrp video /dev/video0
chmod 660 /dev/video0
nobody "- your user may not open /dev/video0: 'sudo usermod -aG video USER'"
chmod 600 /dev/video0
nobody "- /dev/video0 has mode 600: no group may read and write it"
