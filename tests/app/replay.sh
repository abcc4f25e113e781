# SPDX-License-Identifier: MIT
# Sources of raw frames: files beyond 4 GiB, pipes, folders, numbered series, --pace.
. "$(dirname "$0")/lib.inc"
raw="-f GREY -s 4x2"
# frame VALUE: eight bytes
frame() {
    hex $(repeat 8 echo "0$1")
}
# values FOLDER: the first sample of each picture, in order
values() {
    local file
    for file in "$1"/*.png; do
        "$PNGINFO" pixels "$file" | head -1 | cut -d' ' -f1
    done | tr '\n' ' '
}

# A frame beyond 4 GiB of a sparse file.
truncate -s $((1200 * 4147200)) large.yuyv
hex $(repeat 16 echo 51 5a 51 f0) >>large.yuyv
truncate -s $((1201 * 4147200)) large.yuyv
run 0 -q -f YUYV -s 1920x1080 --skip 1200 -n 1 -o large.png large.yuyv
same "frame 1200" "$("$PNGINFO" pixels large.png | head -1 | cut -d' ' -f1,32,33)" "254,0,0 254,0,0 0,136,0"
rm large.yuyv

# Standard input.
{ frame 1 && frame 2 && frame 3; } >three.grey
"$ZCAPP" -q $raw -o pipe/%u.png - <three.grey || fail "standard input from a file"
same "a file as standard input" "$(values pipe)" "1 2 3 "
cat three.grey | "$ZCAPP" -q $raw -o slow/%u.png --skip 1 - || fail "a pipe"
same "a pipe" "$(values slow)" "2 3 "
{ frame 1 && printf 1234 && sleep 0.3 && printf 5678; } | "$ZCAPP" -q $raw -o late/%u.png - || fail "a slow pipe"
same "a frame that comes in pieces" "$(values late)" "1 49 "
status=0
{ frame 1 && printf 12345; } | "$ZCAPP" $raw -o cut/%u.png --json report.json - 2>err.txt || status=$?
same "status of a pipe that ends in mid-frame" "$status" 0
same "its losses" "$(report frames.processed) $(report frames.lost.short)" "1 1"
status=0
printf 12345 | "$ZCAPP" -q $raw -o none - 2>err.txt || status=$?
same "status of a pipe without a whole frame" "$status" 1
error_says "5*8"

# Folders and numbered series.
mkdir many
frame 4 >many/b.raw
frame 3 >many/a.raw
{ frame 5 && frame 6; } >many/c.raw
run 0 -q $raw -o dir/%u.png many
same "a directory" "$(values dir)" "3 4 5 6 "
frame 7 >in-0007.raw
frame 8 >in-0008.raw
run 0 -q $raw -o numbered/%u.png in-%04u.raw
same "a numbered pattern" "$(values numbered)" "7 8 "

for i in 9 8 10; do frame $((i - 4)) >many/d$i.raw; done
: >many/d11.raw
run 0 $raw -o counted/%u.png --json report.json many
same "a directory, counted" "$(values counted)" "3 4 5 6 4 5 6 "
same "lost with the empty file" "$(report frames.lost.short)" 1
grep -q "many/d11.raw: empty, 0 bytes" err.txt || fail "$(cat err.txt)"

# At a given rate: six frames at 20 per second take a quarter of a second.
before=$(date +%s%N)
run 0 -q $raw --loop 2 --fps 20 --pace -o none three.grey
[ $(($(date +%s%N) - before)) -ge 250000000 ] || fail "--pace does not keep the time"

# Memory does not grow with the number of frames.
truncate -s 8g zeros.grey
run 0 -q -f GREY -s 4096x4096 -o none --every 8 zeros.grey --json report.json
same "frames" "$(report frames.captured)" 512
