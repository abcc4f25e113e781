#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Several inputs in one run: separate files and counts, one that fails, frames matched by their times.
. "$(dirname "$0")/lib.inc"
size="-f YUYV -s 16x16"
head -c $((10 * 512)) /dev/urandom >a.yuyv
head -c $((20 * 512)) /dev/urandom >b.yuyv

# files FOLDER: the number of files.
files() { find "$1" -type f | wc -l; }

# Each input gives the same pixels as alone, in its own folder, even if names are alike.
mkdir other
cp b.yuyv other/a.yuyv
run 0 -q $size -o out/%02u.png --json report.json --record take.zcr a.yuyv other/a.yuyv pattern:bars -n 8
same "files" "$(files out/a) $(files out/a-2) $(files out/bars)" "8 8 8"
all_whole out/a 8
run 0 -q $size -o alone/%02u.png --record alone.zcr other/a.yuyv -n 8
"$PNGINFO" digest alone/0?.png | sed 's/.*[ :]//' >alone.txt
"$PNGINFO" digest out/a-2/0?.png | sed 's/.*[ :]//' >third.txt
cmp alone.txt third.txt || fail "pictures differ from those of a run alone"
for name in a a-2 bars; do
    run 0 -q -o none --json played.json $name/take.zcr
    same "frames of the recording $name" "$("$JSONGET" played.json frames.processed)" 8
done
same inputs "$(report inputs.0.input) $(report inputs.1.input) $(report inputs.2.input)" \
    "a.yuyv other/a.yuyv pattern:bars"
same written "$(report inputs.0.frames.written) $(report inputs.2.frames.recorded)" "8 8"
same outcome "$(report outcome) $(report status) $(report sync)" "done 0 null"
for key in backend path memory route format width height fps latency_us frames.lost.away outcome; do
    report inputs.1.$key >/dev/null
done

# A file has the name of a folder; a label contains a conversion of -o.
cp a.yuyv plain
run 0 -q $size -o %u.png plain b.yuyv -n 1
[ -f plain ] && [ -f plain-2/0.png ] || fail "$(ls)"
cp a.yuyv in-0.raw
run 0 -q $size -o numbers/%u.png in-%u.raw b.yuyv -n 1
[ -f numbers/in-_u/0.png ] || fail "$(ls numbers)"

# Labels that are no valid folder names: "." and "..".
mkdir dots
cp a.yuyv dots/..a
cp a.yuyv dots/...b
run 0 -q $size -o folders/in/%u.png dots/..a dots/...b -n 1
same "folders of names with dots" "$(find folders -name '*.png' | sort | tr '\n' ' ')" \
    "folders/in/input-2/0.png folders/in/input/0.png "

# One file for all frames of each input.
run 0 -q $size -o film.y4m a.yuyv b.yuyv
same "pictures in the films" "$(grep -ao FRAME a/film.y4m | wc -l) $(grep -ao FRAME b/film.y4m | wc -l)" "10 20"

# -n, --skip and the default limit of patterns apply to each input; lines begin with its label.
run 0 $size -o none --skip 5 --stages digest -v a.yuyv b.yuyv
grep -q '^zcapp: a: 5 frames' err.txt && grep -q '^zcapp: b: 15 frames' err.txt || fail "$(cat err.txt)"
grep -q '^zcapp: b: frame 19: digest' err.txt || fail "digests do not say whose"
run 0 $size -o none --json report.json a.yuyv pattern:bars
same frames "$(report inputs.0.frames.processed) $(report inputs.1.frames.processed)" "10 100"

# One input fails at the start, in the middle, or while writing: the others are complete, and the status is 1.
run 1 -q $size -o fail/%02u.png --json report.json nothing.yuyv b.yuyv
error_says "nothing.yuyv"
same "the other's files" "$(files fail/b)" 20
same outcome "$(report outcome) $(report inputs.0.outcome) $(report inputs.1.outcome)" "failed failed done"
run 1 -q $size -o gone/%02u.png --json report.json --inject gone=15 b.yuyv a.yuyv
error_says "gone after 15 frames"
same "files" "$(files gone/a) $(files gone/b)" "10 15"
same status "$(report status) $(report inputs.0.status) $(report inputs.1.status)" "1 1 0"
mkdir -p full/b/07.png
run 1 -q $size -o full/%02u.png --json report.json b.yuyv a.yuyv
error_says "full/b/07.png"
same "the other's files" "$(files full/a)" 10
run 3 -q -o none /dev/video98 /dev/video99
run 1 -q $size -o none /dev/video98 a.yuyv
run 1 -q $size -o none nothing.yuyv nothing2.yuyv

# SIGINT ends all of them.
"$ZCAPP" $size --fps 50 --pace --loop 0 -o int/%04u.png --json report.json a.yuyv b.yuyv 2>err.txt &
pid=$!
for _ in $(seq 100); do
    [ ! -d int/b ] || [ ! -d int/a ] || break
    sleep 0.05
done
kill -INT $pid
wait $pid || fail "SIGINT ended with $?"
same outcome "$(report outcome) $(report inputs.0.outcome) $(report inputs.1.outcome)" \
    "interrupted interrupted interrupted"
all_whole int/a "$(report inputs.0.frames.written)"


# A slow writer of one input, here a pipe, does not delay the other.
mkdir -p slow/bars
mkfifo slow/bars/film.raw
{
    exec 3<slow/bars/film.raw
    until [ -e go ]; do sleep 0.05; done
    cat <&3 >film.copy
} &
reader=$!
"$ZCAPP" -v -v -n 30 -s 320x240 -o slow/film.raw pattern:bars pattern:zone 2>slow.txt &
pid=$!
for _ in $(seq 200); do
    ! grep -q 'zone: frame 29:' slow.txt || break
    sleep 0.05
done
grep -q 'zone: frame 29:' slow.txt || fail "the second input waits for the first: $(tail -3 slow.txt)"
! grep -q 'bars: frame 29:' slow.txt || fail "the first input did not have to wait"
touch go
wait $pid || fail "status $?"
wait $reader
same "bytes" "$(wc -c <film.copy)" "$(wc -c <slow/zone/film.raw)"

# Matches of 25 and 50 frames per second: every second frame of the faster input, under one number.
run 0 -q -f YUYV -s 16x16 --fps 25 -o none --record five.zcr pattern:square -n 5
run 0 -q -f YUYV -s 16x16 --fps 50 -o none --record ten.zcr pattern:square -n 10
run 0 --sync 1ms -o match/%u.png --json report.json five.zcr ten.zcr
same matches "$(report sync.matches) $(report sync.tolerance_us) $(report sync.unmatched.0)" "5 1000 0"
same "left over" "$(report sync.unmatched.1)" 5
same numbers "$(cd match/five && echo *) $(cd match/ten && echo *)" \
    "0.png 1.png 2.png 3.png 4.png 0.png 1.png 2.png 3.png 4.png"
grep -q '^zcapp: 5 matches' err.txt || fail "$(cat err.txt)"
run 0 -q --sync 1 -n 2 -o two/%u.png --json report.json five.zcr ten.zcr
same "as many matches as asked for" "$(report sync.matches) $(files two)" "2 4"
run 1 -q $size --sync 0us --fps 25 -o none --json report.json a.yuyv nothing.yuyv
same "alone" "$(report sync.matches)" 10
run 0 -q -f YUYV -s 16x16 --fps 24 -o none --record late.zcr pattern:square --skip 1 -n 3
refused 1 "no frames of the inputs are within 0.010 ms" -q --sync 10us -o none late.zcr five.zcr

# Results in flight after the last match are in no count: they might have had a match.
for stages in none demosaic; do
    run 0 -f SRGGB8 -s 320x240 -o none --sync 1ms --fps 25 --stages $stages -n 3 --json report.json \
        pattern:square pattern:bars
    for i in 0 1; do
        same "frames of input $i" "$(report inputs.$i.frames.captured) $(report inputs.$i.frames.processed)" "3 3"
        same "frames without a match" "$(report sync.unmatched.$i)" 0
    done
    grep -q '^zcapp: bars: 3 frames; none lost' err.txt || fail "$(cat err.txt)"
done
run 0 -q --sync 1ms -n 2 -o none --json report.json ten.zcr five.zcr
same "without a match before the last one" "$(report sync.unmatched.0) $(report inputs.0.frames.captured)" "1 3"

# The same when a signal ends the run.
"$ZCAPP" -f YUYV -s 16x16 --fps 50 --pace --sync 0 -o matched/%04u.png --json report.json -n 100000 \
    pattern:square pattern:bars 2>err.txt &
pid=$!
wait_for test -e matched/bars/0003.png
kill -INT $pid
wait $pid || fail "SIGINT ended with $?"
for i in 0 1; do
    same "frames of input $i, interrupted" "$(report inputs.$i.frames.captured) $(report sync.unmatched.$i)" \
        "$(report sync.matches) 0"
done

# Inputs that do not exist leave no folders.
run 1 -q -f YUYV -s 16x16 -o none --record left.zcr absent1 absent2
grep -q "absent1: No such file" err.txt || fail "the error is: $(cat err.txt)"
[ ! -e absent1 ] && [ ! -e absent2 ] || fail "folders were made for inputs that are not there"

# Contradictions.
refused 2 "--sync: needs several INPUTs" --sync 5ms $size -o none a.yuyv
refused 2 "--sync '5m': not a time" --sync 5m $size -o none a.yuyv b.yuyv
refused 2 "the same input twice" -q -o none - -
refused 2 "the same input twice" -q -o none /dev/video9 /dev/video9
refused 2 "standard output takes one INPUT" $size -o - a.yuyv b.yuyv
refused 2 "at most 32" -q -o none $(seq 33)
refused 2 "unknown pattern" -q -o none pattern:bars pattern:nonsense
mkdir -p clash/b && cp a.yuyv clash/b/x.raw
refused 2 "INPUT" -q $size -o clash/x.raw clash/b/x.raw b.yuyv

# There is a report even if none of the inputs can be opened.
if ! "$ZCAPP" --list-devices | grep -q cuda; then
    run 3 -q $size -o none --backend cuda --sync 5ms --json report.json a.yuyv b.yuyv
    same "report without a backend" "$(report status) $(report outcome) $(report inputs.1.input) $(report inputs.1.status)" \
        "3 failed b.yuyv 3"
fi
