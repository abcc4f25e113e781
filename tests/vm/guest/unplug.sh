#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs in the guest: USB cameras pulled and put back in mid-stream, VM_PULLS times.
set -eu -o pipefail
. "$(dirname "$0")/lib.inc"
pulls=${VM_PULLS:-4}
mkdir -p "$OUT/unplug"
cd "$OUT/unplug"
# What a program says while it runs is read from memory: the shared folder may show a file that grows as it was before.
said=$(mktemp -d /run/unplug.XXXXXX)
declare -A camera=()

# node PORT: the node of the pictures of the camera at that port; nothing where there is none.
node()
{
    local node
    for node in /sys/class/video4linux/video*; do
        case $(readlink "$node/device") in
        */?-$(($1 + 1)):1.0) [ "$(cat "$node/index")" != 0 ] || echo "/dev/${node##*/}" ;;
        esac
    done
}

# plug PORT OPTION...: a camera comes to that port, as $usb.
plug()
{
    local port=$1
    shift
    "$usbcam" -p "$port" "$@" &
    camera[$port]=$!
    for _ in $(seq 600); do
        usb=$(node "$port")
        [ -z "$usb" ] || [ ! -e "$usb" ] || return 0
        sleep 0.05
    done
    fail "the USB camera does not come"
}
pull()
{
    kill "${camera[$1]}" 2>/dev/null || true
    wait "${camera[$1]}" 2>/dev/null || true
    for _ in $(seq 600); do
        [ -n "$(node "$1")" ] || return 0
        sleep 0.05
    done
    fail "the USB camera does not go"
}

# await TEXT FILE PID: a line of a running program's.
await()
{
    until grep -q "$1" "$2"; do
        kill -0 "$3" 2>/dev/null || { cat "$2"; fail "it ended before '$1'"; }
        sleep 0.05
    done
}

step "a USB camera pulled and put back $pulls times"
plug 0 -s 0001
"$unplug" "$usb" "$pulls" 8 >"$said/out" 2>"$said/err" &
pid=$!
for i in $(seq "$pulls"); do
    await "^flows $i\$" "$said/out" $pid
    pull 0
    plug 0 -s 0001
done
wait $pid || { cat "$said/err" "$said/out"; fail "capture did not go on"; }
grep -v '^flows' "$said/out"

step "another camera in its plug, then itself in another plug"
"$unplug" "$usb" 1 8 >"$said/out" 2>"$said/err" &
pid=$!
await "^flows 1\$" "$said/out" $pid
pull 0
plug 0 -s 0002
plug 1 -s 0001
wait $pid || { cat "$said/err" "$said/out"; fail "capture did not go on"; }
want "is back after" "$said/err"
pull 0

step "it does not come back"
"$zcapp" -q "$usb" --reconnect 1 -o gone.raw --json gone.json 2>err.txt &
pid=$!
soon has_written $pid 1000000 || fail "nothing was written"
pull 1
status=0
wait $pid || status=$?
[ $status = 1 ] || fail "status $status, not 1"
want "did not come back within 1.0 s" err.txt
want '"outcome": "failed"' gone.json

step "two cameras, one pulled: the other loses nothing"
plug 0 -w 160 -h 120 -r 10
first=$usb
plug 1 -w 160 -h 120 -r 10
"$zcapp" -q "$first" "$usb" -o none --record take.zcr --json two.json 2>err.txt &
pid=$!
soon has_written $pid 500000 || fail "nothing was written"
pull 0
sleep 4
kill -INT $pid
status=0
wait $pid || status=$?
[ $status = 1 ] || { cat err.txt; fail "status $status, not 1"; }
[ "$(wc -l <err.txt)" = 1 ] || { cat err.txt; fail "more than one line of error"; }
want "the camera was unplugged" err.txt
# of PLACE KEY: the first or second value of that key, a number or a text.
of()
{
    grep -o "\"$2\": [0-9\"][^,]*" two.json | sed -n "$1s/.*: //p"
}
[ "$(of 1 outcome) $(of 2 outcome) $(of 3 outcome)" = '"failed" "interrupted" "failed"' ] ||
    { cat two.json; fail "the outcomes"; }
for cause in driver_gap error short stale policy writer away; do
    [ "$(of 2 $cause)" = 0 ] || { cat two.json; fail "the other camera: $cause $(of 2 $cause)"; }
done
[ "$(of 2 captured)" -gt 40 ] || fail "only $(of 2 captured) frames of the other camera"
[ "$(of 1 captured)" -lt "$(of 2 captured)" ] || fail "the first camera went on"
echo "captured: $(of 1 captured) and $(of 2 captured)"
pull 1
