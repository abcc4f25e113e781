# SPDX-License-Identifier: MIT
# --record: a recording plays to the same pixels; --policy, a full disk, a killed recorder, --inject.
. "$(dirname "$0")/lib.inc"
digest() {
    run 0 -q "$@" -o none --json report.json
    report digest
}

# A round trip of pixels, numbers and times; --skip and --every apply to the recorded frames.
pattern="-f RG10 -s 160x120 --fps 30 --stages demosaic,digest pattern:zone"
run 0 -q $pattern -n 12 -o a/%02u.png --record a.zcr --json report.json
same "recorded" "$(report frames.recorded) $(report frames.lost.writer)" "12 0"
first=$(report digest)
run 0 -q --stages demosaic,digest -o b/%02u.png --json report.json a.zcr
same "the digest of the recording" "$(report digest)" "$first"
same "what it was recorded from" "$(report recorded_from) $(report recorded_text)" "pattern:zone "
run 0 -v -n 1 -o none a.zcr
grep -q "a.zcr: recorded from pattern:zone" err.txt || fail "-v does not say what it was recorded from"
same "its format" "$(report format) $(report width)x$(report height)" "RG10 160x120"
diff -r <(cd a && for f in *; do "$PNGINFO" digest "$f"; done) \
    <(cd b && for f in *; do "$PNGINFO" digest "$f"; done) || fail "the pictures of the recording differ"
run 0 -q -o c/%02u.png --skip 3 --every 4 a.zcr
same "the numbers of --skip 3 --every 4" "$(ls c | tr '\n' ' ')" "03.png 07.png 11.png "
run 0 -q --record b.zcr -o none a.zcr
cmp -s <(tail -c +4097 a.zcr | head -c 400000) <(tail -c +4097 b.zcr | head -c 400000) ||
    fail "the recording of a recording is another"
run 0 -q --record part.zcr --skip 2 --every 3 -n 2 -o none a.zcr
run 0 -q --stages digest -o d/%02u.png part.zcr
same "the numbers of a part" "$(ls d | tr '\n' ' ')" "00.png 03.png "

# Playing at the recorded times: twelve frames at 30 per second take a third of a second.
before=$(date +%s%N)
run 0 -q --pace -o none a.zcr
[ $(($(date +%s%N) - before)) -ge 360000000 ] || fail "--pace does not keep the recorded times"
run 0 -q --loop 3 -o none --json report.json a.zcr
same "frames of three passes" "$(report frames.captured)" 36

# A full disk ends the run with one line; the frames before can be played.
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=512k none full 2>/dev/null; then
    trap 'umount full 2>/dev/null || true; leave' EXIT
    run 1 -q $pattern -n 100 -o none --record full/x.zcr
    error_says "full/x.zcr: No space left on device; the recording ends after "
    frames=$(sed 's/.*after \([0-9]*\) frames/\1/' err.txt)
    run 0 -q -o none --json report.json full/x.zcr
    same "frames of the full disk" "$(report frames.captured)" "$frames"
    [ "$frames" -gt 5 ] || fail "only $frames frames fit"
    rest=$(($(stat -c %s full/x.zcr) - 4096 - frames * (4096 + 40960)))
    [ "$rest" = 0 ] || [ "$rest" = $((48 * frames + 40)) ] ||
        fail "$rest bytes of what was not finished are left"
    umount full
fi
refused 1 "/dev/full: No space left on device; no header is written" -q $pattern -n 2 -o none --record /dev/full
run 0 -q $pattern -n 2 -o none --record new/folder/x.zcr
run 0 -q -o none new/folder/x.zcr

# Killed at any moment: every frame but the current one is there. ZCS_KILLS: the number of attempts.
for ((i = 0; i < ${ZCS_KILLS:-8}; i++)); do
    rm -f kill.zcr
    "$ZCAPP" -q -f GREY -s 64x48 --fps 2000 --pace -n 100000 -o none --record kill.zcr pattern:square &
    process=$!
    sleep 0.0$((RANDOM % 9))$((RANDOM % 10))
    kill -9 $process
    wait $process 2>/dev/null || true
    [ -s kill.zcr ] || continue # before its header
    size=$(stat -c %s kill.zcr)
    whole=$(((size - 4096 + 4096 - 3072) / 8192))
    [ "$size" -lt 4096 ] && continue
    status=0
    "$ZCAPP" -q -o none --json report.json kill.zcr 2>err.txt || status=$?
    if [ "$whole" -gt 0 ]; then
        same "a recording killed at $size bytes" "$status $(report frames.captured)" "0 $whole"
    else
        same "status of a recording without a frame" "$status" 1
    fi
done

# A blocked file: frames that do not fit into the queue are dropped and counted.
for policy in drop-newest latest; do
    mkfifo slow
    { sleep 1 && cat >/dev/null; } <slow &
    run 0 -q -f GREY -s 64x48 --fps 400 --pace -n 100 --policy $policy -o none --record slow \
        --json report.json pattern:square
    same "processed beside a slow recording" "$(report frames.processed)" 100
    same "recorded and lost" "$(($(report frames.recorded) + $(report frames.lost.writer)))" 100
    [ "$(report frames.lost.writer)" -gt 50 ] || fail "lost: $(report frames.lost.writer)"
    wait
    rm slow
done

# After SIGINT the recording has an index.
"$ZCAPP" -q -f GREY -s 64x48 --fps 200 --pace -n 100000 -o none --record int.zcr pattern:square &
process=$!
sleep 0.4
kill -INT $process
wait $process || fail "status of an interrupted recording"
run 0 -o none --json report.json int.zcr
grep -q "no complete index" err.txt && fail "no index after SIGINT"
[ "$(report frames.captured)" -gt 10 ] || fail "too few frames before SIGINT"

# Injected faults are counted; the same seed gives the same faults.
run 0 -q --inject drop=5%,error=3%,short=2%,seed=4 -n 300 -f GREY -s 16x8 -o none --json report.json pattern:bars
lost="$(report frames.lost.driver_gap) $(report frames.lost.error) $(report frames.lost.short)"
run 0 -q --inject short=2%,drop=5%,error=3%,seed=4 -n 300 -f GREY -s 16x8 -o none --json report.json pattern:bars
same "the same seed" "$(report frames.lost.driver_gap) $(report frames.lost.error) $(report frames.lost.short)" "$lost"
for count in $lost; do
    [ "$count" -ge 1 ] && [ "$count" -le 40 ] || fail "injected losses: $lost"
done
run 0 -q --inject drop=50% -o e/%02u.png --json report.json a.zcr
kept=$(ls e | wc -l)
same "frames and drops" "$((kept + $(report frames.lost.driver_gap)))" 12
[ "$kept" -lt 12 ] && [ "$kept" -gt 0 ] || fail "a half dropped leaves $kept of 12"
refused 1 "a.zcr: gone after 5 frames, as injected" -q --inject gone=5 -o g/%02u.png a.zcr
same "frames before it was gone" "$(ls g | wc -l)" 5
before=$(date +%s%N)
run 0 -q --inject stall=150ms/6 -o none a.zcr
[ $(($(date +%s%N) - before)) -ge 300000000 ] || fail "two stalls of 150 ms take less than 300"

# Neither an input nor another output is overwritten.
mkdir reading
run 0 -q -s 32x24 -n 3 -o none --record reading/0.zcr pattern:bars
cp reading/0.zcr reading/1.zcr
cp reading/0.zcr whole.zcr
refused 2 "--record reading/1.zcr: that is INPUT" -o none --record reading/1.zcr reading
refused 2 "--record reading/0.zcr: that is INPUT" -o none --record reading/0.zcr reading/%u.zcr
refused 2 "--json whole.zcr: that is INPUT" -o none --json whole.zcr whole.zcr
refused 2 "--json ./new.zcr: --record writes to the same file" -o none --record new.zcr --json ./new.zcr whole.zcr
refused 2 "--record new.y4m: --output writes to the same file" -o new.y4m --record new.y4m whole.zcr
refused 2 "--route-cache whole.zcr: that is INPUT" -o none --route-cache whole.zcr whole.zcr
refused 2 "--json 3.png: is also one of the files of --output" -o %u.png --json 3.png whole.zcr
refused 2 "--record -: a recording must be a file" -o none --record - whole.zcr
run 0 -q -s 16x16 -n 2 -o reading/%02u.ppm pattern:bars
refused 2 "would overwrite reading/00.ppm, which is INPUT" -o reading/%02u.ppm reading/00.ppm
cmp reading/0.zcr whole.zcr && cmp reading/1.zcr whole.zcr || fail "a recording was changed"
got=0
"$ZCAPP" -f GREY -s 4x4 -o none --record raw - <whole.zcr >out.txt 2>err.txt || got=$?
same "a recording beside standard input" "$got" 0
got=0
"$ZCAPP" -f GREY -s 4x4 -o none --record whole.zcr - <whole.zcr >out.txt 2>err.txt || got=$?
same "a recording of its own standard input" "$got" 2

# A recording is read from standard input redirected from a file, but not from a pipe; an empty file is reported.
"$ZCAPP" -q -o none --stages digest --json a.json - <whole.zcr || fail "a recording on standard input"
run 0 -q -o none --stages digest --json b.json whole.zcr
same "a recording on standard input" "$("$JSONGET" a.json digest) $("$JSONGET" a.json frames.processed)" \
    "$("$JSONGET" b.json digest) $("$JSONGET" b.json frames.processed)"
got=0
cat whole.zcr | "$ZCAPP" -q -o none - 2>err.txt || got=$?
same "status of a recording in a pipe" "$got" 2
error_says "standard input: a recording is read from a file, not from a pipe"
: >empty.zcr
refused 1 "empty.zcr: empty, 0 bytes" -q -o none empty.zcr
got=0
"$ZCAPP" -q -o none - </dev/null 2>err.txt || got=$?
same "status of nothing" "$got" 1
error_says "standard input: empty, 0 bytes"

got=0
"$ZCAPP" -q -o none - <empty.zcr 2>err.txt || got=$?
same "status of an empty file" "$got" 1
error_says "standard input: empty, 0 bytes"
got=0
"$ZCAPP" -q -o none - 0>>whole.zcr 2>err.txt || got=$?
same "status of what is only written to" "$got" 1
error_says "standard input: open for writing only"

# A sparse recording without an index opens fast.
cp whole.zcr hole.zcr
truncate -s 20G hole.zcr
timeout -k 5 20 "$ZCAPP" -q -o none hole.zcr </dev/null 2>err.txt || fail "20 GB of hole: status $?"
