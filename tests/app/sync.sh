#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Frames matched by their times: failing outputs, and the counts in the report.
. "$(dirname "$0")/lib.inc"

# A failed recording of any input ends the run: the frames of the others have no matches any more.
run 0 -q -f GREY -s 320x240 --fps 30 -n 60 -o none --record big.zcr pattern:zone
run 0 -q -f GREY -s 16x16 --fps 30 -n 60 -o none --record small.zcr pattern:zone
for inputs in "big.zcr small.zcr" "small.zcr big.zcr"; do
    got=0
    rm -rf big small
    # shellcheck disable=SC2086
    (ulimit -f 1000 && exec timeout -s KILL 20 "$ZCAPP" -q $inputs --sync 1ms -o none --record take.zcr \
        --json report.json) 2>err.txt || got=$?
    same "status of a run whose recording failed ($inputs)" "$got" 1
    error_says "big/take.zcr: File too large"
    same "outcome" "$(report outcome) $(report sync.unmatched.0) $(report sync.unmatched.1)" "failed 0 0"
    [ "$(report sync.matches)" -lt 60 ] || fail "the run went on without the recording"
done

# Bytes that were copied for results after the last match do not count for the matched frames.
run 0 -q -f SRGGB10P -s 64x48 -n 8 -o none --record packed.zcr pattern:zone
run 0 -q -n 5 -o none --json report.json packed.zcr
alone=$(report cpu_bytes_copied_per_frame)
run 0 -q -f SRGGB10P -s 64x48 -n 5 -o none --json report.json pattern:zone
alone="$alone $(report cpu_bytes_copied_per_frame)"
run 0 -q -f SRGGB10P -s 64x48 -n 5 --sync 1000s -o none --json report.json packed.zcr pattern:zone
same "matches" "$(report sync.matches)" 5
same "bytes copied for each frame" \
    "$(report inputs.0.cpu_bytes_copied_per_frame) $(report inputs.1.cpu_bytes_copied_per_frame)" "$alone"
[ "$alone" != "0 0" ] || fail "nothing was copied: this test says nothing"
