# SPDX-License-Identifier: MIT
# Files of earlier runs: a run that does not start loses none, and two runs do not write one recording.
. "$(dirname "$0")/lib.inc"
run 0 -q -f GREY -s 32x24 -n 3 -o none --record take.zcr pattern:bars
cp take.zcr earlier.copy
printf old >x.y4m

# unchanged WHAT: what an earlier run wrote is as it was, and nothing else came.
unchanged() {
    cmp take.zcr earlier.copy || fail "the recording of an earlier run, after $1"
    same "the video of an earlier run, after $1" "$(cat x.y4m)" old
    same "unfinished files after $1" "$(find . -name '.*.tmp' -o -name '*.part')" ""
}

# A command that is refused, an input that cannot be opened, one without a frame, an output that cannot be.
bars="-q -f GREY -s 16x8 --record take.zcr pattern:bars"
color="-q -s 16x8 --record take.zcr pattern:bars"
run 2 $bars -n 5 -o x.png
unchanged "a name without a number"
run 2 $color -n 1 -o x.pgm
unchanged "a picture with another number of channels"
run 2 $color -n 1 -o none --latest x.pgm
unchanged "a latest picture with another number of channels"
run 2 $bars -n 1 -o x.y4m --stages nosuch
unchanged "a stage that does not exist"
run 2 $bars -n 1 -o x.y4m --json take.zcr
unchanged "two outputs in one file"
run 1 $bars -n 1 -o x.y4m --json .
unchanged "a report that cannot be written"
run 3 $bars -n 1 -o x.y4m --devices 99
unchanged "a device that does not exist"
run 1 -q -f GREY -s 16x8 --record take.zcr -o x.y4m nosuch.raw
unchanged "an input that does not exist"
run 3 -q --record take.zcr -o x.y4m /dev/video-nosuch
unchanged "a camera that does not exist"
run 1 $bars -n 5 --skip 1000 --inject gone=3 -o x.y4m
unchanged "an input without a frame"
timeout --foreground -k 5 --preserve-status -s INT 0.5 "$ZCAPP" $bars --inject drop=100% -o x.y4m </dev/null 2>err.txt ||
    fail "SIGINT while no frame comes: status $?"
unchanged "a signal before the first frame"
run 0 $bars -n 2 -o none
run 0 -q -o none --json report.json take.zcr
same "frames of the run that started" "$(report frames.captured)" 2

# Two runs record into one name: the second is refused, whether the file is new or not, and the first is whole.
for _ in 1 2; do
    "$ZCAPP" -q -f GREY -s 32x24 --fps 100 --pace -n 100000 -o none --record two.zcr pattern:square 2>first.txt &
    process=$!
    wait_for test -s two.zcr
    sleep 0.3
    refused 1 "two.zcr: is being recorded by another recorder" -q -f GREY -s 16x8 -n 2 -o none --record two.zcr pattern:bars
    sleep 0.1
    kill -INT $process
    wait $process || fail "the first run: $(cat first.txt)"
    run 0 -q -o none --json report.json two.zcr
    same "the recording" "$(report width) $(report frames.lost.error)" "32 0"
    [ "$(report frames.captured)" -gt 20 ] || fail "only $(report frames.captured) frames"
done
